// Replicas fail and come back; when a unit fails is drawn, all that follows is worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "runs.hpp"
#include "sim/model/faults.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using Kind = FaultUnit::Kind;
using enum ReplicaPhase;

Distribution fixed(double seconds) {
  return {.a = seconds};
}

PhaseChange at(double seconds, std::uint32_t replica, ReplicaPhase phase) {
  return {to_picoseconds(seconds), replica, phase};
}

/// When the first unit of this kind fails first, in seconds; 0 if another of the kind, or itself a
/// second time, fails before fifty times that.
double lone_fault(const Scenario& scenario, Kind kind) {
  double first = 0;
  for (const FaultUnit& unit : fault_units(scenario)) {
    if (unit.kind != kind) continue;
    FaultTimes times(unit, scenario.run.seed);
    double next = to_seconds(times.next(0));
    if (unit.number == 0) {
      first = next;
      next = to_seconds(times.next(0));
    }
    if (next < 50 * first) return 0;
  }
  return first;
}

/// A kind of fault, where its mean time stands, and when its first unit is to fail.
struct Wish {
  Kind kind;
  double& mtbf_seconds;
  double at_seconds;
};

/// Finds a seed with which the first unit of each kind fails long before all else of its kind does,
/// and mean times with which that is at its time.
void arrange(Scenario& scenario, const std::vector<Wish>& wishes) {
  for (const Wish& wish : wishes) wish.mtbf_seconds = 1000;
  for (scenario.run.seed = 1; scenario.run.seed < 1'000'000; ++scenario.run.seed) {
    if (std::all_of(wishes.begin(), wishes.end(),
                    [&](const Wish& wish) { return lone_fault(scenario, wish.kind) > 0; })) {
      break;
    }
  }
  for (const Wish& wish : wishes) {
    const double first = lone_fault(scenario, wish.kind);
    ASSERT_GT(first, 0);
    wish.mtbf_seconds = 1000 * wish.at_seconds / first;
  }
}

double& mtbf(std::optional<Failures::Fault>& fault, double repair_seconds) {
  fault = Failures::Fault{1000, fixed(repair_seconds)};
  return fault->mtbf_seconds;
}

/// Stations of 10 s for a request. The log's last request comes a while after the rest.
Scenario stations(std::int32_t replicas, const std::vector<Logged>& requests) {
  Pool pool = station(10);
  pool.replicas = replicas;
  pool.failures.emplace();
  Scenario scenario = scenario_of(logged(requests), pool);
  scenario.router = RouterKind::round_robin;
  return scenario;
}

double seconds_near(Time time) {
  return std::round(to_seconds(time) * 1e6) / 1e6;
}

/// The phases, their times to the microsecond: a scaled draw is not exact to the picosecond.
std::vector<PhaseChange> phases(const Recording& recording) {
  std::vector<PhaseChange> list;
  for (PhaseChange each : recording.phases) {
    each.at = to_picoseconds(seconds_near(each.at));
    list.push_back(each);
  }
  return list;
}

ColdStart engine_start() {
  ColdStart start;
  start.provision = fixed(40);
  start.image = fixed(20);
  start.process = fixed(3);
  start.compile = fixed(2);
  return start;
}

TEST(Failures, ACrashedEngineStartsAgainOnItsMachine) {
  Scenario scenario = stations(1, {{0}, {8'000}, {9'000}});
  scenario.fleet[0].cold_start = engine_start();
  arrange(scenario, {{Kind::crash, mtbf(scenario.fleet[0].failures->crash, 2), 5}});
  const Recording r = run(scenario);
  // Down for 2 s, then its process for 3 s and compilation for 2 s.
  EXPECT_THAT(phases(r), ElementsAre(at(5, 0, process), at(10, 0, compile), at(12, 0, ready)));
  EXPECT_EQ(r.request(0).outcome, Outcome::lost);
  EXPECT_EQ(seconds_near(r.request(0).finished), 5);
  EXPECT_EQ(seconds_near(r.request(1).started), 12);
}

TEST(Failures, TheClientHearsOfALossALatencyLaterAndHasHadWhatCameBefore) {
  // There at 1 s, the first token made 20 ms later, at the client at 2.02 s; the crash after it.
  Pool pool = engine();
  pool.failures.emplace();
  Scenario scenario = scenario_of(logged({{0, 10, 10'000}}), pool);
  scenario.front.latency_seconds = 1;
  for (const double crash : {1.5, 5.0}) {
    arrange(scenario, {{Kind::crash, mtbf(scenario.fleet[0].failures->crash, 2), crash}});
    const RequestRecord lost = run(scenario).request(0);
    EXPECT_EQ(lost.outcome, Outcome::lost);
    EXPECT_EQ(lost.first_token, ms(2020));
    EXPECT_EQ(seconds_near(lost.finished), crash + 1);
  }
}

TEST(Failures, AFaultOfAGpuTakesItsReplicaUntilTheRepairAndTheEnginesStart) {
  Scenario scenario = stations(1, {{0}, {8'000}});
  scenario.fleet[0].cold_start = engine_start();
  arrange(scenario, {{Kind::gpu, mtbf(scenario.fleet[0].failures->gpu, 100), 5}});
  const Recording r = run(scenario);
  EXPECT_THAT(phases(r), ElementsAre(at(5, 0, down), at(105, 0, process), at(108, 0, compile),
                                     at(110, 0, ready)));
  EXPECT_EQ(r.totals.lost, 1);
  EXPECT_EQ(r.totals.completed, 1);
  EXPECT_EQ(r.totals.faults[static_cast<std::size_t>(Kind::gpu)], 1);
}

TEST(Failures, AFaultOfANodeTakesAllReplicasOnItAndNoOther) {
  Scenario scenario = stations(3, {{0}, {0}, {0}});
  scenario.fleet[0].gpus_per_replica = 4;
  arrange(scenario, {{Kind::node, mtbf(scenario.fleet[0].failures->node, 7), 5}});
  const Recording r = run(scenario);
  EXPECT_THAT(phases(r), ElementsAre(at(5, 0, down), at(5, 1, down)));
  EXPECT_EQ(r.totals.lost, 2);
  EXPECT_EQ(r.totals.completed, 1);
}

TEST(Failures, AReplicaIsUpWhenAllThatItNeedsIs) {
  // The GPU is whole at 55 s, the node that fails meanwhile at 130 s.
  Scenario scenario = stations(1, {{0}, {8'000}});
  Failures& failures = *scenario.fleet[0].failures;
  arrange(scenario,
          {{Kind::gpu, mtbf(failures.gpu, 50), 5}, {Kind::node, mtbf(failures.node, 100), 30}});
  const Recording r = run(scenario);
  EXPECT_THAT(phases(r), ElementsAre(at(5, 0, down), at(130, 0, ready)));
  // And the other way round: the GPU's repair outlasts the node's.
  scenario.fleet[0].failures->gpu->repair = fixed(200);
  EXPECT_THAT(phases(run(scenario)), ElementsAre(at(5, 0, down), at(205, 0, ready)));
}

TEST(Failures, WhatIsLostIsTriedAgainOnAnotherReplica) {
  Scenario scenario = stations(2, {{0}});
  scenario.workload[0].retries = {.attempts = 3, .backoff_seconds = 0};
  arrange(scenario, {{Kind::gpu, mtbf(scenario.fleet[0].failures->gpu, 100), 5}});
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(0).outcome, Outcome::completed);
  EXPECT_EQ(r.request(0).attempts, 2);
  EXPECT_EQ(r.request(0).replica, 1u);
  EXPECT_NEAR(to_seconds(r.request(0).finished), 15, 0.01);
  EXPECT_EQ(r.totals.lost, 0);
  EXPECT_EQ(r.totals.retries, 1);
}

TEST(Failures, TheKvCacheIsLostWithTheEngine) {
  // The same prompt again: the second finds its blocks; the third, after a crash, finds none.
  Pool pool = engine();
  pool.failures.emplace();
  WorkloadClass workload = logged({{0, 64, 1}, {2'000, 64, 1}, {8'000, 64, 1}, {12'000, 64, 1}});
  workload.prefix = SharedPrefix{.groups = 1, .tokens = 64};
  Scenario scenario = scenario_of(workload, pool);
  const Recording before = run(scenario);
  EXPECT_GT(before.request(2).prefix_hit_tokens, 0);
  arrange(scenario, {{Kind::crash, mtbf(scenario.fleet[0].failures->crash, 0), 5}});
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(1).prefix_hit_tokens, before.request(1).prefix_hit_tokens);
  EXPECT_EQ(r.request(2).prefix_hit_tokens, 0);
  EXPECT_GT(r.request(3).prefix_hit_tokens, 0);
}

TEST(Failures, AReclaimedMachineEndsWhatItHasAndAnotherIsOrdered) {
  Scenario scenario = stations(1, {{0}, {8'000}});
  scenario.fleet[0].cold_start = engine_start();
  Failures& failures = *scenario.fleet[0].failures;
  failures.spot_notice_seconds = 120;
  arrange(scenario, {{Kind::spot, failures.spot_mtbf_seconds, 5}});
  const Recording r = run(scenario);
  // Its request ends at 10 s; the next machine takes 65 s.
  EXPECT_THAT(phases(r), ElementsAre(at(5, 0, draining), at(10, 0, off), at(10, 0, provisioning),
                                     at(50, 0, image), at(70, 0, process), at(73, 0, compile),
                                     at(75, 0, ready)));
  EXPECT_EQ(r.request(0).outcome, Outcome::completed);
  EXPECT_EQ(seconds_near(r.request(1).started), 75);
}

TEST(Failures, WhatIsLongerThanTheNoticeIsLost) {
  Scenario scenario = stations(1, {{0}, {8'000}});
  Failures& failures = *scenario.fleet[0].failures;
  failures.spot_notice_seconds = 2;
  arrange(scenario, {{Kind::spot, failures.spot_mtbf_seconds, 5}});
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(0).outcome, Outcome::lost);
  EXPECT_EQ(seconds_near(r.request(0).finished), 7);
}

TEST(Failures, ASlowMachineTakesItsFactorLonger) {
  Scenario scenario = stations(1, {{0}});
  scenario.fleet[0].failures->slow_share = 1;
  scenario.fleet[0].failures->slow_factor = 1.5;
  EXPECT_EQ(run(scenario).request(0).finished, ms(15'000));
  Pool pool = engine();
  pool.failures = scenario.fleet[0].failures;
  EXPECT_EQ(run(scenario_of(logged({{0, 10, 1}}), pool)).request(0).finished, ms(30));
}

/// A second replica is ordered at 10 s and loads 10 GB over 1 GB/s.
Scenario loading(double cut_at, double repair) {
  Scenario scenario = stations(1, {{0}, {1'000'000}});
  Pool& pool = scenario.fleet[0];
  pool.failures.reset();
  pool.autoscaler.emplace().min = 2;
  pool.autoscaler->max = 2;
  pool.autoscaler->targets = {{Autoscaler::Metric::concurrency, 1e6}};
  pool.autoscaler->poll_seconds = 10;
  pool.cold_start.emplace().weight_bytes = 10e9;
  scenario.stores = {{"s3", 1e9, 0, 1000, fixed(repair)}};
  arrange(scenario, {{Kind::store, scenario.stores[0].cut_mtbf_seconds, cut_at}});
  return scenario;
}

Time ready_at(const Recording& recording) {
  for (const PhaseChange& each : recording.phases) {
    if (each.phase == ready) return each.at;
  }
  return kNever;
}

TEST(Failures, ALoadOverACutLinkStallsAndGoesOn) {
  const Recording r = run(loading(16, 30));
  EXPECT_NEAR(to_seconds(ready_at(r)), 20 + 30, 1e-6);
  EXPECT_GE(r.totals.faults[static_cast<std::size_t>(Kind::store)], 1);
}

TEST(Failures, ALoadThatStallsForMoreThanAMinuteStartsAgainFromNothing) {
  EXPECT_NEAR(to_seconds(ready_at(run(loading(16, 59)))), 20 + 59, 1e-6);
  EXPECT_NEAR(to_seconds(ready_at(run(loading(16, 61)))), 16 + 61 + 10, 1e-6);
}

TEST(Failures, ALoadOverACutLinkIsTheSameOnSimGrid) {
  for (const double repair : {30.0, 61.0}) {
    Scenario scenario = loading(16, repair);
    const double heap = to_seconds(ready_at(run(scenario)));
    scenario.run.engine = Run::Engine::simgrid;
    EXPECT_EXIT(
        {
          const double simgrid = to_seconds(ready_at(run(scenario)));
          std::exit(std::abs(simgrid - heap) <= 1e-6 * heap ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
}

/// Six replicas fail, and load again over two stores whose links are cut.
Scenario failing_and_loading(std::uint64_t seed) {
  Scenario scenario = stations(3, {{0}, {600'000}});
  scenario.run.seed = seed;
  Pool& pool = scenario.fleet[0];
  pool.failures->gpu = Failures::Fault{60, {.kind = Distribution::Kind::exponential, .a = 5}};
  pool.cold_start.emplace().weight_bytes = 5e9;
  scenario.fleet.push_back(pool);
  scenario.fleet[1].name = "other";
  scenario.fleet[1].cold_start->image_bytes = 3e9;
  scenario.fleet[1].failures->spot_mtbf_seconds = 100;
  scenario.fleet[1].cold_start->store_index = seed % 2;
  const Distribution cut{.kind = Distribution::Kind::exponential, .a = 20};
  scenario.stores = {{"near", 1e9, 0, 30, cut}, {"far", 7e8, 0.05, 50, cut}};
  return scenario;
}

std::vector<PhaseChange> by_replica(std::vector<PhaseChange> changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const PhaseChange& a, const PhaseChange& b) {
    return a.replica < b.replica;
  });
  return changes;
}

TEST(Failures, LoadsThatFailShareStallAndStartAgainAreTheSameOnSimGrid) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Scenario scenario = failing_and_loading(seed);
    const std::vector<PhaseChange> heap = by_replica(run(scenario).phases);
    ASSERT_GT(heap.size(), 50u);
    scenario.run.engine = Run::Engine::simgrid;
    EXPECT_EXIT(
        {
          const std::vector<PhaseChange> simgrid = by_replica(run(scenario).phases);
          bool same = simgrid.size() == heap.size();
          for (std::size_t i = 0; same && i < heap.size(); ++i) {
            same =
                simgrid[i].replica == heap[i].replica && simgrid[i].phase == heap[i].phase &&
                std::abs(to_seconds(simgrid[i].at - heap[i].at)) <= 1e-6 * to_seconds(heap[i].at);
          }
          std::exit(same ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << "seed " << seed;
  }
}

TEST(Failures, ARunWithoutFailuresCountsNone) {
  const Recording r = run(stations(1, {{0}}));
  for (const std::int64_t count : r.totals.faults) EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace headway
