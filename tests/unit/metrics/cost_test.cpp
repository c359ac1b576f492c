#include "sim/metrics/cost.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

Pool llm(std::int32_t replicas, std::int32_t gpus, double usd) {
  Pool pool;
  pool.replicas = replicas;
  pool.gpus_per_replica = gpus;
  pool.usd_per_gpu_hour = usd;
  return pool;
}

RunTotals half_an_hour() {
  RunTotals totals;
  totals.end = 1'800'000'000'000'000;
  totals.completed = 9'000;
  totals.input_tokens = 9'000'000;
  totals.output_tokens = 1'800'000;
  return totals;
}

TEST(Cost, EveryGpuSecondIsBilledWhetherUsedOrNot) {
  Scenario scenario;
  scenario.fleet = {llm(4, 1, 2.99), llm(1, 8, 2)};
  const Cost cost = make_cost(scenario, half_an_hour());
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(cost.gpus, 12);
  EXPECT_DOUBLE_EQ(cost.gpu_hours, 6);
  EXPECT_DOUBLE_EQ(cost.usd_per_hour, 27.96);
  EXPECT_DOUBLE_EQ(cost.usd, 13.98);
  EXPECT_DOUBLE_EQ(cost.usd_per_request.value(), 13.98 / 9'000);
  EXPECT_DOUBLE_EQ(cost.usd_per_million_output_tokens.value(), 13.98 / 1.8);
  EXPECT_DOUBLE_EQ(cost.usd_per_million_total_tokens.value(), 13.98 / 10.8);
}

TEST(Cost, OneUnpricedGpuPoolLeavesTheBillUnknown) {
  Scenario scenario;
  scenario.fleet = {llm(4, 1, 2.99), llm(1, 8, 0)};
  const Cost cost = make_cost(scenario, half_an_hour());
  EXPECT_FALSE(cost.known);
  EXPECT_EQ(cost.gpus, 12);
  EXPECT_FALSE(cost.usd_per_request.has_value());
}

TEST(Cost, AStationWithoutAPriceIsFree) {
  Scenario scenario;
  Pool station = llm(3, 1, 0);
  station.kind = Pool::Kind::service;
  scenario.fleet = {llm(1, 1, 2), station};
  const Cost cost = make_cost(scenario, half_an_hour());
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(cost.gpus, 1);
  EXPECT_DOUBLE_EQ(cost.usd_per_hour, 2);
}

}  // namespace
}  // namespace headway
