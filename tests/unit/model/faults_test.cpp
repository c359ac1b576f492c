// What fails together, and how often.
#include "sim/model/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

using Kind = FaultUnit::Kind;

Scenario fleet_of(std::int32_t replicas, std::int32_t gpus) {
  Scenario scenario;
  Pool& pool = scenario.fleet.emplace_back();
  pool.replicas = replicas;
  pool.gpus_per_replica = gpus;
  pool.failures.emplace();
  return scenario;
}

Failures::Fault every(double mtbf_seconds) {
  return {mtbf_seconds, {.a = 60}};
}

std::vector<std::pair<std::int32_t, std::int32_t>> places(const Scenario& scenario) {
  std::vector<std::pair<std::int32_t, std::int32_t>> list;
  for (const FaultUnit& unit : fault_units(scenario)) list.emplace_back(unit.first, unit.end);
  return list;
}

using Places = std::vector<std::pair<std::int32_t, std::int32_t>>;

TEST(Faults, ReplicasOfTwoGpusShareANodeOfEightInFours) {
  Scenario scenario = fleet_of(9, 2);
  scenario.fleet[0].failures->node = every(1e6);
  EXPECT_EQ(places(scenario), (Places{{0, 4}, {4, 8}, {8, 9}}));
}

TEST(Faults, AReplicaOfThreeGpusDoesNotStraddleNodes) {
  Scenario scenario = fleet_of(5, 3);
  scenario.fleet[0].failures->node = every(1e6);
  EXPECT_EQ(places(scenario), (Places{{0, 2}, {2, 4}, {4, 5}}));
}

TEST(Faults, AReplicaOfSixteenGpusIsDownWithEitherOfItsNodes) {
  Scenario scenario = fleet_of(2, 16);
  scenario.fleet[0].failures->node = every(1e6);
  EXPECT_EQ(places(scenario), (Places{{0, 1}, {0, 1}, {1, 2}, {1, 2}}));
}

TEST(Faults, ARackTakesAllReplicasOnItsNodes) {
  Scenario scenario = fleet_of(40, 4);  // two on a node, sixteen on a rack of eight nodes
  scenario.fleet[0].failures->rack = every(1e6);
  EXPECT_EQ(places(scenario), (Places{{0, 16}, {16, 32}, {32, 40}}));
  scenario = fleet_of(3, 24);  // three nodes each: a rack of four cuts the second in two
  scenario.fleet[0].failures->rack = every(1e6);
  scenario.fleet[0].failures->rack_gpus = 32;
  EXPECT_EQ(places(scenario), (Places{{0, 2}, {1, 3}, {2, 3}}));
}

TEST(Faults, TheGpusOfAReplicaFailAsOftenAsThereAreOfThem) {
  Scenario scenario = fleet_of(3, 8);
  scenario.fleet[0].failures->gpu = every(8e6);
  const auto units = fault_units(scenario);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_DOUBLE_EQ(units[1].mean_seconds, 1e6);
  scenario.fleet[0].gpus_per_replica = 0;  // a station without GPUs
  EXPECT_TRUE(fault_units(scenario).empty());
}

TEST(Faults, EveryPlaceThatCanExistHasItsUnits) {
  Scenario scenario = fleet_of(2, 1);
  scenario.fleet[0].autoscaler.emplace().max = 5;
  scenario.fleet[0].failures->crash = every(1e5);
  scenario.fleet[0].failures->spot_mtbf_seconds = 1e5;
  EXPECT_EQ(fault_units(scenario).size(), 10u);
}

TEST(Faults, TimesBetweenFaultsAreExponential) {
  FaultUnit unit;
  unit.mean_seconds = 1000;
  unit.repair.a = 250;
  FaultTimes times(unit, 1);
  Time at = 0;
  double sum = 0, squares = 0;
  const int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const Time next = times.next(at % 1'000'000'000'000'000);
    const double gap = to_seconds(next - at % 1'000'000'000'000'000);
    sum += gap;
    squares += gap * gap;
    at = next;
    EXPECT_EQ(times.repair(), 250 * static_cast<Time>(kPicosecondsPerSecond));
  }
  EXPECT_NEAR(sum / count, 1000, 4 * 1000 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 2e6, 4 * std::sqrt(20.0) * 1e6 / std::sqrt(count));
}

TEST(Faults, UnitsFailIndependently) {
  Scenario scenario = fleet_of(50, 1);
  scenario.fleet[0].failures->gpu = every(1e5);
  scenario.fleet[0].failures->crash = every(1e5);
  std::vector<Time> firsts;
  for (const FaultUnit& unit : fault_units(scenario)) firsts.push_back(FaultTimes(unit, 1).next(0));
  std::sort(firsts.begin(), firsts.end());
  EXPECT_EQ(std::adjacent_find(firsts.begin(), firsts.end()), firsts.end());
}

TEST(Faults, AFaultBeyondTheEndOfTimeIsNever) {
  FaultUnit unit;
  unit.mean_seconds = 1e11;
  EXPECT_EQ(FaultTimes(unit, 1).next(0), kNever);
}

TEST(Faults, AFifthOfTheMachinesIsSlow) {
  Pool pool;
  EXPECT_EQ(machine_slowness(pool, 1, 0, 0), 1);
  pool.failures.emplace().slow_share = 0.2;
  pool.failures->slow_factor = 1.5;
  int slow = 0;
  for (std::uint32_t machine = 0; machine < 10'000; ++machine) {
    const double factor = machine_slowness(pool, 1, machine % 7, machine);
    EXPECT_TRUE(factor == 1 || factor == 1.5);
    slow += factor > 1;
  }
  EXPECT_NEAR(slow, 2000, 4 * 40);
}

}  // namespace
}  // namespace headway
