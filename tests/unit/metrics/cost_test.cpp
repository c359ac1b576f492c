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

Cost cost_of(const Scenario& scenario) {
  const RunTotals totals = half_an_hour();
  Bill bill(scenario);
  bill.finish(totals.end);
  std::vector<PoolUse> pools(scenario.fleet.size());
  for (std::size_t p = 0; p < pools.size(); ++p)
    pools[p].gpu_hours = pool_gpu_hours(bill.pool(p), 0.25);
  return make_cost(scenario, bill, pools, totals);
}

TEST(Cost, EveryGpuSecondIsBilledWhetherUsedOrNot) {
  Scenario scenario;
  scenario.fleet = {llm(4, 1, 2.99), llm(1, 8, 2)};
  const Cost cost = cost_of(scenario);
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(cost.gpus, 12);
  EXPECT_DOUBLE_EQ(cost.mean_gpus, 12);
  EXPECT_DOUBLE_EQ(cost.gpu_hours, 6);
  EXPECT_DOUBLE_EQ(cost.idle_gpu_hours, 1.5);
  EXPECT_EQ(cost.starting_gpu_hours, 0);
  EXPECT_DOUBLE_EQ(cost.usd_per_hour, 27.96);
  EXPECT_DOUBLE_EQ(cost.usd, 13.98);
  EXPECT_DOUBLE_EQ(cost.usd_per_request.value(), 13.98 / 9'000);
  EXPECT_DOUBLE_EQ(cost.usd_per_million_output_tokens.value(), 13.98 / 1.8);
  EXPECT_DOUBLE_EQ(cost.usd_per_million_total_tokens.value(), 13.98 / 10.8);
}

TEST(Cost, OneUnpricedGpuPoolLeavesTheBillUnknown) {
  Scenario scenario;
  scenario.fleet = {llm(4, 1, 2.99), llm(1, 8, 0)};
  const Cost cost = cost_of(scenario);
  EXPECT_FALSE(cost.known);
  EXPECT_EQ(cost.gpus, 12);
  EXPECT_FALSE(cost.usd_per_request.has_value());
}

TEST(Cost, AStationWithoutAPriceIsFree) {
  Scenario scenario;
  Pool station = llm(3, 1, 0);
  station.kind = Pool::Kind::service;
  scenario.fleet = {llm(1, 1, 2), station};
  const Cost cost = cost_of(scenario);
  EXPECT_TRUE(cost.known);
  EXPECT_EQ(cost.gpus, 1);
  EXPECT_DOUBLE_EQ(cost.usd_per_hour, 2);
}

TEST(Cost, GpusThatComeAndGoAreToldByWhatTheyWerePaidFor) {
  Scenario scenario;
  scenario.fleet = {llm(1, 4, 2)};
  scenario.fleet[0].autoscaler.emplace();
  scenario.fleet[0].autoscaler->max = 2;
  scenario.fleet[0].billed_node_gpus = 8;
  const RunTotals totals = half_an_hour();
  Bill bill(scenario);
  const Time minute = totals.end / 30;
  bill.on_phase(10 * minute, 1, ReplicaPhase::provisioning);
  bill.on_phase(13 * minute, 1, ReplicaPhase::ready);
  bill.on_phase(19 * minute, 1, ReplicaPhase::draining);
  bill.on_phase(20 * minute, 1, ReplicaPhase::off);
  bill.finish(totals.end);
  std::vector<PoolUse> pools(1);
  pools[0].gpu_hours = pool_gpu_hours(bill.pool(0), 0.5);
  const Cost cost = make_cost(scenario, bill, pools, totals);
  EXPECT_EQ(cost.gpus, 8);
  EXPECT_DOUBLE_EQ(cost.gpu_hours, 4);  // the node, whole, for half an hour
  EXPECT_DOUBLE_EQ(cost.usd, 8);
  EXPECT_DOUBLE_EQ(cost.starting_gpu_hours, 4 * 3 / 60.0);
  EXPECT_DOUBLE_EQ(cost.draining_gpu_hours, 4 * 1 / 60.0);
  EXPECT_DOUBLE_EQ(cost.rest_gpu_hours, 4 * 20 / 60.0);
  EXPECT_DOUBLE_EQ(cost.idle_gpu_hours, 4 * (30 + 7) / 60.0 / 2);
}

}  // namespace
}  // namespace headway
