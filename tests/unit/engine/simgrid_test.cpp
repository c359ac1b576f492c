// SimGrid's clock and network against the bare heap and FairNetwork. SimGrid runs once in a
// process: each of its runs is a child of this one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "runs.hpp"
#include "sim/engine/simgrid_kernel.hpp"
#include "sim/engine/simgrid_network.hpp"
#include "sim/scenario/input_error.hpp"
#include "traffic.hpp"

namespace headway {
namespace {

/// What a child has found: it ends with 1 and says what went wrong, for its parent to show. (A
/// child's own expectations are not heard.)
class Findings {
 public:
  void expect(bool right, const std::string& what) {
    if (right) return;
    if (++wrong_ <= 5) std::cerr << what << '\n';
  }
  [[noreturn]] void end() const { std::exit(wrong_ == 0 ? 0 : 1); }

 private:
  int wrong_ = 0;
};

/// When each transfer has arrived, by SimGrid.
std::vector<Time> arrivals_on_simgrid(const Traffic& traffic) {
  SimGridKernel kernel;
  EventHeap heap(1);
  SimGridNetwork network(heap, kernel.zone());
  Courier courier(traffic, heap, network);
  kernel.run([&] {
    while (!courier.finished()) {
      std::uint64_t tag = 0;
      Time at = 0;
      if (!network.idle() && network.wait(heap.next_time(), tag, at)) {
        heap.advance(at);
        courier.on_transfer(tag, at);
      } else {
        heap.run_next(courier);
      }
    }
  });
  return courier.arrivals();
}

void expect_networks_agree(const Traffic& traffic, const std::string& what) {
  const std::vector<Time> fair = arrivals_on_fair_network(traffic);
  EXPECT_EXIT(
      {
        Findings findings;
        const std::vector<Time> simgrid = arrivals_on_simgrid(traffic);
        for (std::size_t i = 0; i < fair.size(); ++i) {
          if (fair[i] == kNever || simgrid[i] == kNever) {
            findings.expect(fair[i] == simgrid[i],
                            "transfer " + std::to_string(i) + " was cancelled on one alone");
            continue;
          }
          const double took = to_seconds(fair[i] - traffic.transfers[i].at);
          const double took_there = to_seconds(simgrid[i] - traffic.transfers[i].at);
          findings.expect(std::abs(took_there - took) <= 1e-6 * took + 2e-9,
                          "transfer " + std::to_string(i) + " took " + std::to_string(took) +
                              " s, on SimGrid " + std::to_string(took_there) + " s");
        }
        findings.end();
      },
      testing::ExitedWithCode(0), "")
      << what;
}

TEST(SimGridNetwork, AgreesWithFairNetworkOnRandomTransfersOverSeveralLinks) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    expect_networks_agree(random_traffic(seed), "seed " + std::to_string(seed));
  }
}

TEST(SimGridNetwork, AgreesWithFairNetworkWhileLinksAreCutAndMendedAndTransfersCancelled) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    expect_networks_agree(random_disturbed_traffic(seed), "seed " + std::to_string(seed));
  }
}

TEST(SimGridNetwork, TwoLoadsOnOneLinkTakeTwiceTheTimeOfOne) {
  EXPECT_EXIT(
      {
        Findings findings;
        const auto arrivals = arrivals_on_simgrid({{{1e9, 0}},
                                                   {{0}},
                                                   {{0, 0, 141'000'000'000},
                                                    {ms(200'000), 0, 141'000'000'000},
                                                    {ms(200'000), 0, 141'000'000'000}}});
        findings.expect(std::abs(to_seconds(arrivals[0]) - 141) < 141e-6, "one: not 141 s");
        for (const int load : {1, 2}) {
          findings.expect(std::abs(to_seconds(arrivals[load]) - 200 - 282) < 282e-6,
                          "two: not 282 s");
        }
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridNetwork, ACutOfTheFrontLinkHoldsWhatIsSentMeanwhile) {
  // Nothing else flows: SimGrid's clock lags behind when the link is mended.
  expect_networks_agree({{{1e6, 0.25}},
                         {{0}},
                         {{0, 0, 500'000}, {ms(1000), 0, 500'000}, {ms(1500), 0, 0}},
                         {{ms(500), 0, 0}, {ms(2000), 0, 1e6}}},
                        "a cut front");
}

TEST(SimGridNetwork, GivesAllOfALinksBandwidth) {
  EXPECT_EXIT(
      {
        Findings findings;
        const auto arrivals = arrivals_on_simgrid({{{1e6, 0.1}}, {{0}}, {{0, 0, 1'000'000}}});
        findings.expect(std::abs(to_seconds(arrivals[0]) - 1.1) < 1e-8, "not 1.1 s");
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridNetwork, SharesALinkEvenlyBetweenRoutesOfDifferentLatency) {
  // By itself SimGrid shares in inverse proportion to the latency of the routes.
  const Traffic traffic{{{1e6, 0}, {1e9, 0.001}, {1e9, 0.004}},
                        {{0, 1}, {0, 2}},
                        {{0, 0, 1'000'000}, {0, 1, 1'000'000}}};
  expect_networks_agree(traffic, "two latencies");
}

TEST(SimGridNetwork, NoBytesTakeTheLatencyAlone) {
  expect_networks_agree({{{1e6, 0.005}, {1e6, 0}}, {{0}, {1}}, {{0, 0, 0}, {ms(1), 1, 0}}},
                        "no bytes");
}

TEST(SimGridNetwork, StartsATransferAtTheModelsTimeHoweverFarItRanAhead) {
  expect_networks_agree({{{1e6, 0}}, {{0}}, {{ms(1e6), 0, 1000}, {ms(3e6), 0, 1000}}},
                        "a thousand seconds apart");
}

/// Thirty users whose requests of up to 200 kB crowd on a link of 1 MB/s.
Scenario crowded_front() {
  WorkloadClass workload = users(30, 600);
  workload.arrivals.think = {.kind = Distribution::Kind::exponential, .a = 0.5};
  workload.input_tokens = Distribution{.kind = Distribution::Kind::uniform, .a = 1, .b = 50};
  workload.output_tokens = Distribution{.kind = Distribution::Kind::uniform, .a = 1, .b = 50};
  workload.request_bytes = Distribution{.kind = Distribution::Kind::uniform, .a = 0, .b = 200'000};
  Scenario scenario = scenario_of(workload, engine());
  scenario.fleet.front().replicas = 3;
  scenario.router = RouterKind::round_robin;
  scenario.front = {.bandwidth = 1e6, .latency_seconds = 0.002};
  return scenario;
}

TEST(SimGridEngine, GivesTheSameFirstTokensAsTheHeapBehindACrowdedFront) {
  // An open load: nothing follows from an answer, so the networks' rounding cannot add up.
  Scenario scenario = crowded_front();
  scenario.workload.front().arrivals = {.kind = Arrivals::Kind::stages, .stages = {{9, 60}}};
  scenario.fleet.front() = station(0.010);
  const Recording heap = run(scenario);
  ASSERT_GT(heap.departed.size(), 400u);
  scenario.run.engine = Run::Engine::simgrid;
  EXPECT_EXIT(
      {
        Findings findings;
        const Recording simgrid = run(scenario);
        findings.expect(simgrid.departed.size() == heap.departed.size(), "another number departed");
        for (const RequestRecord& record : heap.departed) {
          const RequestRecord other = simgrid.request(record.id);
          const double ttft = to_seconds(record.first_token - record.scheduled);
          const double ttft_there = to_seconds(other.first_token - other.scheduled);
          findings.expect(std::abs(ttft_there - ttft) <= 1e-6 * ttft,
                          "request " + std::to_string(record.id) + " waited " +
                              std::to_string(ttft) + " s, on SimGrid " +
                              std::to_string(ttft_there));
        }
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridEngine, KeepsTheIdentitiesWhenTheLoadEndsWithTransfersInFlight) {
  Scenario scenario = crowded_front();
  scenario.workload.front().arrivals.requests = 0;
  scenario.run.duration_seconds = 5;
  scenario.run.engine = Run::Engine::simgrid;
  EXPECT_EXIT(
      {
        Findings findings;
        const Recording r = run(scenario);
        findings.expect(r.totals.in_flight > 0, "none was in flight");
        findings.expect(r.totals.end == ms(5000), "did not end with the load");
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridEngine, LosesNobodyWhoseClientGivesUpDuringTheTransfer) {
  Scenario scenario = crowded_front();
  scenario.workload.front().timeouts.total = {.kind = Distribution::Kind::exponential, .a = 4};
  scenario.workload.front().retries = {.attempts = 3, .backoff_seconds = 2};
  const Recording heap = run(scenario);
  EXPECT_GT(heap.totals.timed_out, 10);
  EXPECT_GT(heap.totals.completed, 10);
  scenario.run.engine = Run::Engine::simgrid;
  EXPECT_EXIT(
      {
        Findings findings;
        const Recording r = run(scenario);
        findings.expect(r.totals.arrived == 600, "not all came");
        findings.expect(r.totals.completed + r.totals.timed_out == 600, "requests were lost");
        findings.expect(r.totals.retries > 10, "nobody tried again");
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridEngine, KeepsTheIdentitiesWhenItIsCancelled) {
  Scenario scenario = crowded_front();
  scenario.workload.front().arrivals.requests = 0;
  scenario.run.duration_seconds = 1e6;
  scenario.run.engine = Run::Engine::simgrid;
  EXPECT_EXIT(
      {
        Findings findings;
        const Recording r = run(scenario, [](const RunProgress&) { return false; });
        findings.expect(r.totals.cancelled, "was not cancelled");
        findings.end();
      },
      testing::ExitedWithCode(0), "");
}

TEST(SimGridEngine, AFrontWhoseRequestsHaveNoSizeIsNoDeadlock) {
  // Bandwidth is given and request_bytes are not: a transfer of no bytes for each request.
  for (const double latency : {0.0, 0.005}) {
    Scenario scenario = scenario_of(users(3, 10), station(0.010));
    scenario.front = {.bandwidth = 1e6, .latency_seconds = latency};
    const Recording heap = run(scenario);
    scenario.run.engine = Run::Engine::simgrid;
    EXPECT_EXIT(
        {
          Findings findings;
          const Recording r = run(scenario);
          findings.expect(r.totals.completed == 10, "requests were lost");
          findings.expect(r.totals.end == heap.totals.end, "ended at another time");
          findings.end();
        },
        testing::ExitedWithCode(0), "");
  }
}

/// What the message of the run's error is, by the child's standard error.
void expect_refused(const Scenario& scenario, const std::string& message) {
  EXPECT_EXIT(
      {
        try {
          run(scenario);
        } catch (const std::exception& error) {
          std::cerr << error.what() << std::endl;
          std::exit(3);
        }
        std::exit(0);
      },
      testing::ExitedWithCode(3), message);
}

TEST(SimGridEngine, PassesOnTheErrorOfATraceThatBreaksInMidRun) {
  WorkloadClass workload = logged({{0}, {1}, {2}});
  std::ofstream(workload.arrivals.trace_path, std::ios::app) << "0.003,nonsense,1\n";
  workload.request_bytes = Distribution{.a = 100'000};
  Scenario scenario = scenario_of(workload, engine());
  scenario.front.bandwidth = 1e6;
  scenario.run.engine = Run::Engine::simgrid;
  expect_refused(scenario, "nonsense");
}

TEST(SimGridEngine, RefusesTheEndOfTime) {
  Scenario scenario = scenario_of(users(1, 3), station(60 * 86400));
  scenario.run.engine = Run::Engine::simgrid;
  expect_refused(scenario, "106 days");
  scenario = scenario_of(users(1, 1), station(1));
  scenario.workload.front().request_bytes = Distribution{.a = 1e15};
  scenario.front.bandwidth = 1;
  scenario.run.engine = Run::Engine::simgrid;
  expect_refused(scenario, "106 days");
}

}  // namespace
}  // namespace headway
