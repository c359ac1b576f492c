// Replicas come, phase by phase, and go; every time by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "runs.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum ReplicaPhase;

Distribution fixed(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

PhaseChange at(double seconds, std::uint32_t replica, ReplicaPhase phase) {
  return {to_picoseconds(seconds), replica, phase};
}

/// Raises the pool from `replicas` to `count` at its one poll that changes anything: after 10 s.
Autoscaler raised_to(std::int32_t count) {
  Autoscaler settings;
  settings.min = settings.max = count;
  settings.targets = {{Autoscaler::Metric::concurrency, 1e6}};
  settings.poll_seconds = 10;
  return settings;
}

/// A station whose second replica starts at 10 s. The run lasts until a request at 1000 s is
/// answered.
Scenario growing(const ColdStart& start, std::vector<Logged> requests = {}) {
  Pool pool = station(1);
  pool.autoscaler = raised_to(2);
  pool.cold_start = start;
  requests.insert(requests.begin(), {0});
  requests.push_back({1'000'000});
  return scenario_of(logged(requests), pool);
}

TEST(ColdStart, GoesThroughItsPhasesInOrder) {
  ColdStart start;
  start.provision = fixed(10);
  start.image = fixed(5);
  start.process = fixed(3);
  start.weights = fixed(2);
  start.compile = fixed(4);
  start.capture = fixed(1);
  EXPECT_THAT(
      run(growing(start)).phases,
      ElementsAre(at(10, 1, provisioning), at(20, 1, image), at(25, 1, process), at(28, 1, weights),
                  at(30, 1, compile), at(34, 1, capture), at(35, 1, ready)));
}

TEST(ColdStart, PhasesWithoutATimeAreLeftOut) {
  ColdStart start;
  start.weights = fixed(2);
  EXPECT_THAT(run(growing(start)).phases, ElementsAre(at(10, 1, weights), at(12, 1, ready)));
  EXPECT_THAT(run(growing({})).phases, ElementsAre(at(10, 1, ready)));
}

TEST(ColdStart, ImageAndWeightsComeFromTheStore) {
  ColdStart start;
  start.image_bytes = 6e9;
  start.weight_bytes = 20e9;
  Scenario scenario = growing(start);
  scenario.stores = {{.name = "s3", .bandwidth = 2e9, .latency_seconds = 0.5}};
  EXPECT_THAT(run(scenario).phases,
              ElementsAre(at(10, 1, image), at(13.5, 1, weights), at(24, 1, ready)));
}

/// Seconds that so many replicas take to load 20 GB each at once from a store of 1 GB/s.
double load_seconds(std::int32_t replicas, Run::Engine engine) {
  Pool pool = station(1);
  pool.autoscaler = raised_to(1 + replicas);
  pool.cold_start.emplace().weight_bytes = 20e9;
  Scenario scenario = scenario_of(logged({{0}, {1'000'000}}), pool);
  scenario.stores = {{.name = "s3", .bandwidth = 1e9}};
  scenario.run.engine = engine;
  return to_seconds(run(scenario).phases.back().at) - 10;
}

TEST(ColdStart, TwoWeightLoadsOnOneStoreTakeTwiceTheTimeOfOne) {
  EXPECT_EQ(load_seconds(1, Run::Engine::heap), 20);
  EXPECT_EQ(load_seconds(2, Run::Engine::heap), 40);
  EXPECT_EQ(load_seconds(4, Run::Engine::heap), 80);
}

TEST(ColdStart, TwoWeightLoadsTakeTwiceTheTimeOfOneOnSimGridToo) {
  for (const std::int32_t replicas : {1, 2}) {  // SimGrid runs once in a process
    EXPECT_EXIT(std::exit(std::abs(load_seconds(replicas, Run::Engine::simgrid) - 20 * replicas) <
                                  20e-6 * replicas
                              ? 0
                              : 1),
                testing::ExitedWithCode(0), "");
  }
}

TEST(ColdStart, PoolsShareAStoreThatBothName) {
  Pool pool = station(1);
  pool.autoscaler = raised_to(2);
  pool.cold_start.emplace().weight_bytes = 20e9;
  Scenario scenario = scenario_of(logged({{0}, {1'000'000}}), pool);
  scenario.fleet.push_back(pool);
  scenario.fleet[1].cold_start->weight_bytes = 5e9;
  scenario.stores = {{.name = "s3", .bandwidth = 1e9}};
  // Both at half the rate until the smaller one has come, at 20 s; 15 GB are left of the larger.
  EXPECT_THAT(run(scenario).phases, ElementsAre(at(10, 1, weights), at(10, 3, weights),
                                                at(20, 3, ready), at(35, 1, ready)));
  scenario.stores.push_back(scenario.stores[0]);
  scenario.fleet[1].cold_start->store_index = 1;
  EXPECT_THAT(run(scenario).phases, ElementsAre(at(10, 1, weights), at(10, 3, weights),
                                                at(15, 3, ready), at(30, 1, ready)));
}

TEST(ColdStart, TheFirstRequestsWaitForTheWarmUp) {
  ColdStart start;
  start.process = fixed(5);
  start.warm_up = fixed(7);
  // At 100 s the least loaded is the old replica, then the new one, then the old one again.
  const Recording recording = run(growing(start, {{100'000}, {100'100}, {100'200}, {100'300}}));
  EXPECT_THAT(recording.phases, ElementsAre(at(10, 1, process), at(15, 1, ready),
                                            at(100.1, 1, warming), at(107.1, 1, ready)));
  EXPECT_EQ(recording.request(1).finished, ms(101'000));
  EXPECT_EQ(recording.request(2).finished, ms(108'100));
  EXPECT_EQ(recording.request(3).finished, ms(102'000));
  EXPECT_EQ(recording.request(4).finished, ms(109'100));
  EXPECT_EQ(recording.request(4).queued, ms(107'100));
}

TEST(ColdStart, ReplicasBeyondTheQuotaAreWantedInVain) {
  Pool pool = station(1);
  pool.replicas = 2;
  pool.autoscaler = raised_to(4);
  pool.cold_start.emplace().process = fixed(5);
  pool.cold_start->quota = 3;
  EXPECT_THAT(run(scenario_of(logged({{0}, {1'000'000}}), pool)).phases,
              ElementsAre(at(10, 2, process), at(10, 3, ordered), at(15, 2, ready)));
}

TEST(ColdStart, WithoutStockAnOrderIsTriedAgainAndAgain) {
  Pool pool = station(1);
  pool.autoscaler = raised_to(401);
  pool.cold_start.emplace().process = fixed(5);
  pool.cold_start->stock_out = 0.5;
  pool.cold_start->stock_retry_seconds = 60;
  const Recording recording = run(scenario_of(logged({{0}, {3'000'000}}), pool));
  double waited = 0;
  int started = 0;
  for (const PhaseChange& change : recording.phases) {
    if (change.phase != ready) continue;
    const double wait = to_seconds(change.at) - 15;
    EXPECT_EQ(std::fmod(wait, 60), 0) << change;
    waited += wait / 60;
    ++started;
  }
  ASSERT_EQ(started, 400);
  // Geometric: as many failures as successes on average, standard deviation √2.
  EXPECT_NEAR(waited / started, 1, 4 * std::sqrt(2.0 / 400));
}

/// Six requests at 0 on two replicas of a station, which is to have one replica from 2 s on.
Scenario shrinking() {
  Pool pool = station(1.5);
  pool.replicas = 2;
  pool.autoscaler = raised_to(1);
  pool.autoscaler->poll_seconds = 2;
  return scenario_of(logged({{0}, {1}, {2}, {3}, {4}, {5}, {1'000'000}}), pool);
}

TEST(Draining, AReplicaEndsWhatItHasAndTakesNothingNew) {
  const Recording recording = run(shrinking());
  // Each has three requests of 1.5 s.
  EXPECT_THAT(recording.phases, ElementsAre(at(2, 1, draining), at(4.501, 1, off)));
  for (int id = 0; id < 6; ++id) {
    EXPECT_EQ(recording.request(id).replica, id % 2) << id;
    EXPECT_EQ(recording.request(id).outcome, Outcome::completed);
  }
  EXPECT_EQ(recording.request(6).replica, 0U);
}

TEST(Draining, AnIdleReplicaGoesAtOnce) {
  Scenario scenario = shrinking();
  scenario.fleet[0].autoscaler->poll_seconds = 100;
  EXPECT_THAT(run(scenario).phases, ElementsAre(at(100, 1, draining), at(100, 1, off)));
}

TEST(Draining, AReplicaThatHasNotStartedIsStoppedAndItsLoadTakesNoBandwidth) {
  Pool pool = station(1);
  pool.autoscaler = raised_to(3);
  pool.autoscaler->schedule_period_seconds = 1000;
  pool.autoscaler->min = 1;
  pool.autoscaler->schedule = {{0, 3}, {15, 2}, {900, 3}};
  pool.cold_start.emplace().weight_bytes = 20e9;
  Scenario scenario = scenario_of(logged({{0}, {800'000}}), pool);
  scenario.stores = {{.name = "s3", .bandwidth = 1e9}};
  // Two at half the rate from 10 s to 20 s, when one of them is not wanted any more: of the other
  // 15 GB are left.
  EXPECT_THAT(run(scenario).phases, ElementsAre(at(10, 1, weights), at(10, 2, weights),
                                                at(20, 2, off), at(35, 1, ready)));
}

TEST(ScaleToZero, RequestsAreHeldUntilAReplicaHasStarted) {
  Pool pool = station(1);
  Autoscaler& keda = pool.autoscaler.emplace();
  keda.kind = Autoscaler::Kind::keda;
  keda.min = 0;
  keda.max = 2;
  keda.targets = {{Autoscaler::Metric::concurrency, 10}};
  pool.cold_start.emplace().provision = fixed(20);
  const Recording recording = run(scenario_of(logged({{0}, {1'000'000}, {1'010'000}}), pool));
  // It looks at 15 s, 45 s, 75 s …; the cool-down of 300 s ends at 300 s, which it sees at 315 s,
  // and the request of 1000 s at 1005 s.
  EXPECT_THAT(recording.phases, ElementsAre(at(315, 0, draining), at(315, 0, off),
                                            at(1005, 0, provisioning), at(1025, 0, ready)));
  EXPECT_EQ(recording.request(1).queued, ms(1'025'000));
  EXPECT_EQ(recording.request(1).finished, ms(1'026'000));
  EXPECT_EQ(recording.request(2).finished, ms(1'027'000));
}

Scenario deployed(const Deploy& deploy, std::vector<Logged> requests = {}) {
  Pool pool = station(1);
  pool.replicas = 3;
  pool.cold_start.emplace().process = fixed(10);
  pool.deploys = {deploy};
  requests.insert(requests.begin(), {0});
  requests.push_back({1'000'000});
  return scenario_of(logged(requests), pool);
}

TEST(RollingDeploy, WithASurgeNoReplicaIsEverMissing) {
  EXPECT_THAT(
      run(deployed({.at_seconds = 100, .surge = 1})).phases,
      ElementsAre(at(100, 3, process), at(110, 3, ready), at(110, 0, draining), at(110, 0, off),
                  at(110, 0, process), at(120, 0, ready), at(120, 1, draining), at(120, 1, off),
                  at(120, 1, process), at(130, 1, ready), at(130, 2, draining), at(130, 2, off)));
}

TEST(RollingDeploy, WithOneUnavailableReplicasAreReplacedInPlace) {
  EXPECT_THAT(
      run(deployed({.at_seconds = 100, .surge = 0, .unavailable = 1})).phases,
      ElementsAre(at(100, 0, draining), at(100, 0, off), at(100, 0, process), at(110, 0, ready),
                  at(110, 1, draining), at(110, 1, off), at(110, 1, process), at(120, 1, ready),
                  at(120, 2, draining), at(120, 2, off), at(120, 2, process), at(130, 2, ready)));
}

TEST(RollingDeploy, LosesNoRequest) {
  std::vector<Logged> requests;
  for (int i = 0; i < 600; ++i) requests.push_back({95'000.0 + 100 * i});  // 10 /s on 3 servers
  const Recording recording = run(deployed({.at_seconds = 100, .surge = 2}, requests));
  EXPECT_EQ(recording.totals.completed, 602);
}

/// Replicas that are wanted and there, or on their way, at the end of the run.
std::int32_t active_at_the_end(const Scenario& scenario, const Recording& recording) {
  std::vector<ReplicaPhase> last(static_cast<std::size_t>(scenario.fleet[0].places()), off);
  std::fill_n(last.begin(), scenario.fleet[0].replicas, ready);
  for (const PhaseChange& change : recording.phases) last[change.replica] = change.phase;
  return static_cast<std::int32_t>(
      std::count_if(last.begin(), last.end(), [](ReplicaPhase phase) { return phase != off; }));
}

TEST(RollingDeploy, AReplicaThatFailedUnseenByHealthChecksIsNotRetiredAndStartedAgain) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scenario scenario = deployed({.at_seconds = 100, .surge = 2, .unavailable = 1});
    Failures& failures = scenario.fleet[0].failures.emplace();
    failures.crash = Failures::Fault{.mtbf_seconds = 60, .repair = fixed(20)};
    scenario.router_rules.health = {.interval_seconds = 10, .failures = 3};
    scenario.run.seed = seed;
    EXPECT_EQ(active_at_the_end(scenario, run(scenario)), 3) << "seed " << seed;
  }
}

TEST(RollingDeploy, OfAPoolThatShrinksMeanwhileReplacesWhatIsLeft) {
  Scenario scenario = deployed({.at_seconds = 100, .surge = 1});
  scenario.fleet[0].autoscaler = raised_to(3);
  Autoscaler& settings = *scenario.fleet[0].autoscaler;
  settings.min = 1;
  settings.poll_seconds = 105;
  settings.schedule = {{0, 3}, {104, 1}};
  // At 105 s one is wanted, and one more while one is outdated: the new one, which has not started,
  // and replica 2 go. Of the two outdated ones that are left one is too many, and a new one may
  // start for it.
  EXPECT_THAT(
      run(scenario).phases,
      ElementsAre(at(100, 3, process), at(105, 3, off), at(105, 2, draining), at(105, 0, draining),
                  at(105, 3, process), at(105, 0, off), at(105, 2, off), at(115, 3, ready),
                  at(115, 1, draining), at(115, 1, off)));
}

TEST(FixedPools, TellOfNoPhases) {
  EXPECT_THAT(run(scenario_of(logged({{0}, {1000}}), station(1))).phases, IsEmpty());
}

}  // namespace
}  // namespace headway
