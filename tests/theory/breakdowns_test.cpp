// Queues whose servers break down, lose what they have, and are repaired; and how often they are
// up.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "agreement.hpp"
#include "markov_chain.hpp"
#include "sim/engine/engine.hpp"
#include "sim/metrics/availability.hpp"

namespace headway {
namespace {

constexpr double kMu = 1 / kServiceSeconds;

struct Breakdowns {
  double arrivals, faults, repairs;  // rates, per second; service has the rate kMu
};

/// M/M/c with flushing: all servers of a station are on one machine. At a fault all are lost; who
/// comes during the repair waits for its end (D. Towsley and S. Tripathi, A single server priority
/// queue with server failures and queue flushing, Operations Research Letters 10(6), 1991). States:
/// 2 n up, 2 n + 1 down, n requests.
MarkovChain flushed_queue(const Breakdowns& rates, std::size_t most, std::int32_t servers = 1) {
  MarkovChain chain;
  for (std::size_t n = 0; n <= most; ++n) {
    const std::size_t up = 2 * n, down = up + 1;
    chain.number.insert(chain.number.end(), 2, static_cast<double>(n));
    if (n < most) {
      chain.jumps.push_back({up, up + 2, rates.arrivals, 1});
      chain.jumps.push_back({down, down + 2, rates.arrivals, 1});
    }
    const double served = kMu * std::min(static_cast<double>(n), static_cast<double>(servers));
    if (n > 0) chain.jumps.push_back({up, up - 2, served, 0, 1});
    chain.jumps.push_back({up, 1, rates.faults, 0, 0, static_cast<double>(n)});
    chain.jumps.push_back({down, up, rates.repairs});
  }
  return chain;
}

/// Two such servers, each request to the shorter queue of those that are up. They are alike: a
/// state is the longer and the shorter queue, or the queue of the one that is up, or of none.
MarkovChain two_flushed_queues(const Breakdowns& rates, std::size_t most) {
  const auto both = [](std::size_t longer, std::size_t shorter) {
    return longer * (longer + 1) / 2 + shorter;
  };
  const std::size_t first_one = both(most + 1, 0), first_none = first_one + most + 1;
  const auto pair = [&](std::size_t a, std::size_t b) {
    return both(std::max(a, b), std::min(a, b));
  };
  MarkovChain chain;
  for (std::size_t longer = 0; longer <= most; ++longer) {
    for (std::size_t shorter = 0; shorter <= longer; ++shorter) {
      const std::size_t state = both(longer, shorter);
      chain.number.push_back(static_cast<double>(longer + shorter));
      if (shorter < most) {
        chain.jumps.push_back({state, pair(longer, shorter + 1), rates.arrivals, 1});
      }
      for (const auto& [own, other] : {std::pair{longer, shorter}, std::pair{shorter, longer}}) {
        if (own > 0) chain.jumps.push_back({state, pair(own - 1, other), kMu, 0, 1});
        chain.jumps.push_back(
            {state, first_one + other, rates.faults, 0, 0, static_cast<double>(own)});
      }
    }
  }
  for (const std::size_t first : {first_one, first_none}) {
    for (std::size_t n = 0; n <= most; ++n) {
      chain.number.push_back(static_cast<double>(n));
      if (n < most) chain.jumps.push_back({first + n, first + n + 1, rates.arrivals, 1});
    }
  }
  for (std::size_t n = 0; n <= most; ++n) {
    if (n > 0) chain.jumps.push_back({first_one + n, first_one + n - 1, kMu, 0, 1});
    chain.jumps.push_back({first_one + n, first_none, rates.faults, 0, 0, static_cast<double>(n)});
    chain.jumps.push_back({first_one + n, both(n, 0), rates.repairs});
    chain.jumps.push_back({first_none + n, first_one + n, 2 * rates.repairs});
  }
  return chain;
}

struct Stations {
  std::int32_t replicas = 1, servers = 1;  // servers of each
};

Scenario breaking_queue(const Breakdowns& rates, const Stations& stations, std::int64_t requests) {
  Scenario scenario =
      open_queue(rates.arrivals, exponential_law(kServiceSeconds), requests, stations.servers);
  scenario.fleet[0].replicas = stations.replicas;
  scenario.fleet[0].failures.emplace().gpu =
      Failures::Fault{1 / rates.faults, exponential_law(1 / rates.repairs)};
  scenario.router = RouterKind::least_requests;
  return scenario;
}

void expect_chain(const std::string& queue, const Breakdowns& rates, const Stations& stations,
                  const MarkovChain& chain, std::int64_t requests) {
  const ChainAverages theory = averages(chain);
  const double seconds = static_cast<double>(requests) / rates.arrivals;
  expect_agreement(
      queue, breaking_queue(rates, stations, requests),
      {{"number in system", &QueueFigures::number, theory.number.limit,
        theory.number.error(seconds)},
       {"share lost", &QueueFigures::loss, theory.loss.limit, theory.loss.error(seconds)},
       {"served /s", &QueueFigures::throughput, theory.throughput.limit,
        theory.throughput.error(seconds)}},
      0.05);
}

TEST(Theory, AChainOfAnyShapeGivesWhatTheBirthDeathQueueGives) {
  MarkovChain chain;
  const std::size_t most = 200;
  for (std::size_t n = 0; n <= most; ++n) {
    chain.number.push_back(static_cast<double>(n));
    if (n < most) chain.jumps.push_back({n, n + 1, 0.7, 1});
    if (n > 0) chain.jumps.push_back({n, n - 1, 1, 0, 1});
  }
  const ChainAverages found = averages(chain);
  const QueueAverages expected = averages(mmc(0.7, 1, 1));
  EXPECT_NEAR(found.number.limit / expected.number.limit, 1, 1e-9);
  EXPECT_NEAR(found.number.variance / expected.number.variance, 1, 1e-6);
  EXPECT_NEAR(found.number.bias / expected.number.bias, 1, 1e-6);
  EXPECT_NEAR(found.throughput.variance / expected.throughput.variance, 1, 1e-6);
}

TEST(Theory, AFlushedQueueWithoutRepairTimeLosesWhatItHolds) {
  // With repairs in no time N is the M/M/1 queue with catastrophes: geometric, with the root of
  // μ x² − (λ + μ + ξ) x + λ = 0 below 1; lost are ξ E N of λ.
  const Breakdowns rates{0.7 * kMu, 0.02 * kMu, 1e7 * kMu};
  const double sum = 0.7 + 1 + 0.02;
  const double x = (sum - std::sqrt(sum * sum - 4 * 0.7)) / 2;
  const ChainAverages found = averages(flushed_queue(rates, 300));
  EXPECT_NEAR(found.number.limit / (x / (1 - x)), 1, 1e-6);
  EXPECT_NEAR(found.loss.limit / (0.02 * x / (1 - x) / 0.7), 1, 1e-6);
}

TEST(Theory, MM1WithBreakdownsThatLoseAllItHolds) {
  const Breakdowns rates{0.7 * kMu, 0.02 * kMu, 0.1 * kMu};
  expect_chain("M/M/1 flushed at 0.7", rates, {}, flushed_queue(rates, 300), 3'000'000);
}

TEST(Theory, MM4WithBreakdownsThatLoseAllItHolds) {
  const Breakdowns rates{3.2 * kMu, 0.02 * kMu, 0.2 * kMu};
  expect_chain("M/M/4 flushed at 0.8", rates, {1, 4}, flushed_queue(rates, 400, 4), 3'000'000);
}

TEST(Theory, TheShorterOfTwoQueuesThatBreakDown) {
  const Breakdowns rates{1.2 * kMu, 0.05 * kMu, 1.0 * kMu};
  expect_chain("2 x M/M/1 flushed, shorter queue, at 0.6", rates, {2, 1},
               two_flushed_queues(rates, 35), 3'000'000);
}

/// Sums over a run the time that replicas are up.
struct UpWatch final : Observer {
  explicit UpWatch(std::int32_t replicas) : up(static_cast<std::size_t>(replicas), true) {}
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord&) override {}
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override {
    advance(now);
    up[replica] = phase == ReplicaPhase::ready;
  }
  void advance(Time now) {
    const auto count = static_cast<std::size_t>(std::count(up.begin(), up.end(), true));
    by_count.resize(up.size() + 1);
    by_count[count] += to_seconds(now - last);
    last = now;
  }
  std::vector<bool> up;
  std::vector<double> by_count;  // seconds with so many replicas up
  Time last = 0;
};

/// The share of time with each number of replicas up, over 106 days less a little, beside what is
/// expected; its standard error from 20 runs.
void expect_availability(Scenario scenario) {
  const Pool& pool = scenario.fleet[0];
  const auto expected = replicas_up(pool, start_up_means(scenario, pool));
  const std::uint64_t runs = 20;
  std::vector<double> sum(expected.size()), squares(expected.size());
  for (std::uint64_t run = 0; run < runs; ++run) {
    scenario.run.seed = run + 1;
    UpWatch watch(pool.replicas);
    const RunTotals totals = run_scenario(scenario, watch);
    watch.advance(totals.end);
    for (std::size_t n = 0; n < expected.size(); ++n) {
      const double share = watch.by_count[n] / to_seconds(totals.end);
      sum[n] += share;
      squares[n] += share * share;
    }
  }
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const double mean = sum[n] / static_cast<double>(runs);
    const double error = std::sqrt((squares[n] / static_cast<double>(runs) - mean * mean) /
                                   static_cast<double>(runs - 1));
    EXPECT_NEAR(mean, expected[n], 4.5 * error + 1e-6) << n << " of " << pool.replicas << " up";
  }
}

/// Three replicas of four GPUs, two on a node, a request a day.
Scenario failing_fleet() {
  Scenario scenario = open_queue(1 / 86400.0, fixed_law(1), 100);
  scenario.fleet[0].replicas = 3;
  scenario.fleet[0].gpus_per_replica = 4;
  scenario.fleet[0].failures.emplace();
  return scenario;
}

TEST(Theory, ReplicasAreUpForMtbfOverMtbfAndRepair) {
  Scenario scenario = failing_fleet();
  scenario.fleet[0].failures->gpu = Failures::Fault{4 * 86400.0, exponential_law(7200)};
  expect_availability(scenario);
}

TEST(Theory, ReplicasOfOneNodeAreDownTogether) {
  Scenario scenario = failing_fleet();
  scenario.fleet[0].failures->node = Failures::Fault{86400.0, exponential_law(7200)};
  expect_availability(scenario);
}

TEST(Theory, TheEnginesStartIsPartOfARepair) {
  Scenario scenario = failing_fleet();
  scenario.fleet[0].failures->crash = Failures::Fault{36000, fixed_law(60)};
  ColdStart& start = scenario.fleet[0].cold_start.emplace();
  start.provision = fixed_law(5000);  // not of a crash: its machine stays
  start.process = fixed_law(100);
  start.compile = exponential_law(400);
  start.weights = fixed_law(300);
  expect_availability(scenario);
}

TEST(Theory, AReclaimedMachineIsMissedUntilTheNextHasStarted) {
  Scenario scenario = failing_fleet();
  scenario.fleet[0].failures->spot_mtbf_seconds = 36000;
  ColdStart& start = scenario.fleet[0].cold_start.emplace();
  start.provision = exponential_law(600);
  start.process = fixed_law(100);
  start.stock_out = 0.3;
  start.stock_retry_seconds = 900;
  expect_availability(scenario);
}

}  // namespace
}  // namespace headway
