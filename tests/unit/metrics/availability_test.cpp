// Availability from mean times, by hand.
#include "sim/metrics/availability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace headway {
namespace {

Pool pool_of(std::int32_t replicas, std::int32_t gpus) {
  Pool pool;
  pool.replicas = replicas;
  pool.gpus_per_replica = gpus;
  pool.failures.emplace();
  return pool;
}

Failures::Fault fault(double mtbf, double repair) {
  return {mtbf, {.a = repair}};
}

TEST(Availability, APoolWithoutFailuresIsAlwaysUp) {
  Pool pool = pool_of(3, 1);
  pool.failures.reset();
  const AvailabilityEstimate up = estimate_availability(pool, {});
  EXPECT_EQ(up.share, 1);
  EXPECT_EQ(up.all_up, 1);
  EXPECT_EQ(up.none_up, 0);
  EXPECT_EQ(up.up_99, 3);
}

TEST(Availability, OneReplicaIsUpForMtbfOverMtbfAndRepair) {
  Pool pool = pool_of(1, 1);
  pool.failures->crash = fault(900, 100);
  EXPECT_DOUBLE_EQ(estimate_availability(pool, {}).share, 0.9);
  // The engine's start is part of the repair: 900 of 1200 s.
  EXPECT_DOUBLE_EQ(estimate_availability(pool, {200, 500}).share, 0.75);
}

TEST(Availability, OfASummaryCountsReplicasWhereTheirNumberIsFixed) {
  Scenario scenario;
  Pool pool = pool_of(2, 1);
  pool.failures->crash = fault(900, 100);
  const ExpectedAvailability fixed = expected_availability(scenario, pool);
  EXPECT_TRUE(fixed.known && fixed.counted);
  EXPECT_DOUBLE_EQ(fixed.share, 0.9);
  EXPECT_NEAR(fixed.all_up, 0.81, 1e-12);
  EXPECT_NEAR(fixed.none_up, 0.01, 1e-12);
  pool.autoscaler.emplace();
  EXPECT_FALSE(expected_availability(scenario, pool).counted);
  EXPECT_DOUBLE_EQ(expected_availability(scenario, pool).share, 0.9);
  pool.failures.reset();
  EXPECT_FALSE(expected_availability(scenario, pool).known);
}

TEST(Availability, EightGpusFailEightTimesAsOften) {
  Pool pool = pool_of(1, 8);
  pool.failures->gpu = fault(8000, 250);  // of a replica: every 1000 s
  EXPECT_DOUBLE_EQ(estimate_availability(pool, {}).share, 0.8);
}

TEST(Availability, AReplicaNeedsAllOfItsUnits) {
  Pool pool = pool_of(1, 1);
  pool.failures->crash = fault(900, 100);
  pool.failures->gpu = fault(800, 200);
  pool.failures->node = fault(700, 300);
  pool.failures->rack = fault(600, 400);
  EXPECT_NEAR(estimate_availability(pool, {}).share, 0.9 * 0.8 * 0.7 * 0.6, 1e-15);
}

TEST(Availability, ReclaimedMachinesAreAwayForNoticeAndANewStart) {
  Pool pool = pool_of(1, 1);
  pool.failures->spot_mtbf_seconds = 3600;
  pool.failures->spot_notice_seconds = 120;
  EXPECT_DOUBLE_EQ(estimate_availability(pool, {200, 280}).share, 0.9);  // 3600 of 4000 s
}

TEST(Availability, IndependentReplicasAreBinomial) {
  Pool pool = pool_of(3, 1);
  pool.failures->crash = fault(900, 100);
  const std::vector<double> up = replicas_up(pool, {});
  ASSERT_EQ(up.size(), 4u);
  EXPECT_NEAR(up[0], 0.001, 1e-15);
  EXPECT_NEAR(up[1], 3 * 0.9 * 0.01, 1e-15);
  EXPECT_NEAR(up[2], 3 * 0.81 * 0.1, 1e-15);
  EXPECT_NEAR(up[3], 0.729, 1e-15);
  const AvailabilityEstimate estimate = estimate_availability(pool, {});
  EXPECT_NEAR(estimate.all_up, 0.729, 1e-15);
  EXPECT_NEAR(estimate.none_up, 0.001, 1e-15);
  EXPECT_EQ(estimate.up_99, 1);  // two or more: 0.972
}

TEST(Availability, ReplicasOfOneNodeFallTogether) {
  Pool pool = pool_of(3, 4);  // two on a node, the third alone
  pool.failures->node = fault(900, 100);
  const std::vector<double> up = replicas_up(pool, {});
  EXPECT_NEAR(up[0], 0.01, 1e-15);
  EXPECT_NEAR(up[1], 0.1 * 0.9, 1e-15);
  EXPECT_NEAR(up[2], 0.9 * 0.1, 1e-15);
  EXPECT_NEAR(up[3], 0.81, 1e-15);
}

TEST(Availability, AReplicaOverTwoNodesNeedsBoth) {
  Pool pool = pool_of(1, 16);
  pool.failures->node = fault(900, 100);
  EXPECT_NEAR(estimate_availability(pool, {}).share, 0.81, 1e-15);
}

TEST(Availability, ProbabilitiesSumToOneAndTheirMeanIsTheShare) {
  Pool pool = pool_of(150, 2);
  pool.failures->gpu = fault(5e6, 3600);
  pool.failures->node = fault(2e6, 7200);
  pool.failures->rack = fault(3e6, 1800);
  const std::vector<double> up = replicas_up(pool, {});
  EXPECT_NEAR(std::accumulate(up.begin(), up.end(), 0.0), 1, 1e-12);
  double mean = 0;
  for (std::size_t n = 0; n < up.size(); ++n) mean += static_cast<double>(n) * up[n];
  EXPECT_NEAR(mean / 150, estimate_availability(pool, {}).share, 1e-12);
}

TEST(Availability, AFleetTooLargeToCountOutHasItsShare) {
  Pool pool = pool_of(50'000, 1);
  pool.failures->crash = fault(900, 100);
  const AvailabilityEstimate estimate = estimate_availability(pool, {});
  EXPECT_FALSE(estimate.counted);
  EXPECT_DOUBLE_EQ(estimate.share, 0.9);
}

TEST(Availability, TheRunsShareIsOfTheTimeThatReplicasWereAskedFor) {
  Scenario scenario;
  scenario.fleet.emplace_back().replicas = 2;
  scenario.fleet[0].autoscaler.emplace().max = 3;
  UpTime up(scenario);
  EXPECT_FALSE(up.share(0).has_value());
  const auto at = [&](double seconds, std::uint32_t replica, ReplicaPhase phase) {
    up.on_phase(to_picoseconds(seconds), replica, phase);
  };
  using enum ReplicaPhase;
  at(10, 0, down);
  at(20, 2, provisioning);
  at(30, 0, process);
  at(40, 0, ready);
  at(50, 2, ready);
  at(60, 1, draining);  // not asked for any more
  at(70, 1, off);
  up.finish(to_picoseconds(100));
  // Up: 0 for 10 and 60 s, 1 for 60 s, 2 for 50 s. Asked for: 100, 60 and 80 s.
  EXPECT_DOUBLE_EQ(up.share(0).value_or(0), 180.0 / 240);
}

TEST(Availability, AStartTakesTheMeansOfItsPhases) {
  Scenario scenario;
  scenario.stores.push_back({"s3", 1e9, 0.5, 0, {}});
  Pool pool = pool_of(1, 1);
  EXPECT_EQ(start_up_means(scenario, pool).from_order, 0);
  ColdStart& cold = pool.cold_start.emplace();
  cold.provision = Distribution{.a = 60};
  cold.image_bytes = 10e9;
  cold.process = Distribution{.kind = Distribution::Kind::exponential, .a = 20};
  cold.weight_bytes = 140e9;
  cold.compile = Distribution{.a = 30};
  cold.capture = Distribution{.a = 5};
  const StartUpMeans means = start_up_means(scenario, pool);
  EXPECT_DOUBLE_EQ(means.restart, 20 + 140.5 + 30 + 5);
  EXPECT_DOUBLE_EQ(means.from_order, 60 + 10.5 + means.restart);
  cold.stock_out = 0.5;  // one more order on average
  cold.stock_retry_seconds = 60;
  EXPECT_DOUBLE_EQ(start_up_means(scenario, pool).from_order, 60 + 60 + 10.5 + means.restart);
}

}  // namespace
}  // namespace headway
