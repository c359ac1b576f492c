#include "sim/metrics/bottleneck.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

PoolUse busy_pool() {
  PoolUse pool;
  pool.name = "main";
  pool.busy = 0.98;
  pool.idle = 0.02;
  pool.memory_bandwidth = 0.6;
  pool.compute = 0.3;
  pool.host = 0.08;
  return pool;
}

Pressure pressure(const MeanWaits& waits) {
  Pressure all;
  all.waits = waits;
  all.completed = 1000;
  return all;
}

Bottleneck find(const PoolUse& pool, const MeanWaits& waits = {0, 0.01, 1}) {
  return find_bottleneck({pool}, pressure(waits));
}

TEST(Bottleneck, WithoutAQueueItIsWhatSetsThePaceOfTheSteps) {
  const Bottleneck b = find(busy_pool());
  EXPECT_EQ(b.resource, "memory bandwidth");
  EXPECT_EQ(b.pool, "main");
  EXPECT_DOUBLE_EQ(b.share, 0.6);
  EXPECT_FALSE(b.saturated);
  PoolUse pool = busy_pool();
  pool.compute = 0.7;
  EXPECT_EQ(find(pool).resource, "compute");
  pool.network = 0.8;
  EXPECT_EQ(find(pool).resource, "network between GPUs");
  pool.host = 0.9;
  EXPECT_EQ(find(pool).resource, "host overhead");
}

TEST(Bottleneck, FullSlotsAreNamedByTheirFlag) {
  PoolUse pool = busy_pool();
  pool.waiting = pool.waiting_for_slots = 0.7;
  pool.kv_memory = 0.4;
  pool.slots_gain = 1.6;
  const Bottleneck b = find(pool);
  EXPECT_EQ(b.resource, "sequence slots (max_num_seqs)");
  EXPECT_TRUE(b.saturated);
  EXPECT_NE(b.relief.find("larger max_num_seqs"), std::string::npos);
  pool.kv_memory = 0.95;  // more slots would find no blocks
  EXPECT_EQ(find(pool).relief, "more replicas");
}

TEST(Bottleneck, FullSlotsBeforeFullArithmeticAreNotTheLimit) {
  PoolUse pool = busy_pool();
  pool.waiting = pool.waiting_for_slots = 0.7;
  pool.compute = 0.9;
  pool.memory_bandwidth = 0.05;
  const Bottleneck b = find(pool);
  EXPECT_EQ(b.resource, "compute");
  EXPECT_TRUE(b.saturated);
}

TEST(Bottleneck, FullSlotsWhoseDoublingGainsLittleAreNotTheLimit) {
  PoolUse pool = busy_pool();
  pool.waiting = pool.waiting_for_slots = 0.95;
  pool.compute = 0.58;
  pool.memory_bandwidth = 0.4;
  pool.slots_gain = 1.08;
  const Bottleneck b = find(pool);
  EXPECT_EQ(b.resource, "compute");
  EXPECT_TRUE(b.saturated);
}

TEST(Bottleneck, AQueueBeforeFullKvIsForKvMemory) {
  PoolUse pool = busy_pool();
  pool.waiting = pool.waiting_for_kv = 0.5;
  EXPECT_EQ(find(pool).resource, "KV memory");
}

TEST(Bottleneck, FrequentPreemptionIsForKvMemory) {
  PoolUse pool = busy_pool();
  pool.kv_memory = 0.9;
  pool.preemptions = 300;
  EXPECT_EQ(find(pool).resource, "KV memory");
}

TEST(Bottleneck, AnIdleFleetHasNone) {
  PoolUse pool = busy_pool();
  pool.busy = 0.3;
  pool.idle = 0.7;
  EXPECT_EQ(find(pool).resource, "none: the fleet is idle 70 % of the time");
}

TEST(Bottleneck, AStationIsLimitedByItsServers) {
  PoolUse pool;
  pool.name = "rerank";
  pool.service = true;
  pool.busy = 0.9;
  const Bottleneck b = find(pool, {0, 3, 4});
  EXPECT_EQ(b.resource, "servers");
  EXPECT_TRUE(b.saturated);
}

TEST(Bottleneck, AWaitAtTheClientIsTheClientsCap) {
  const MeanWaits waits{5, 0.01, 7};
  EXPECT_EQ(find(busy_pool(), waits).resource, "client concurrency cap");
  PoolUse full = busy_pool();
  full.waiting_for_slots = 0.9;  // the servers could not take more
  full.slots_gain = 1.6;
  EXPECT_EQ(find(full, waits).resource, "sequence slots (max_num_seqs)");
}

TEST(Bottleneck, OfSeveralPoolsTheOneWhereRequestsWaitCounts) {
  PoolUse calm = busy_pool(), pressed = busy_pool();
  pressed.name = "decode";
  pressed.waiting = pressed.waiting_for_kv = 0.6;
  EXPECT_EQ(find_bottleneck({calm, pressed}, pressure({0, 0.5, 1})).pool, "decode");
}

Pressure starting_pressure() {
  Pressure all = pressure({0, 0.4, 1});
  all.shortage = {.starting = 0.6, .down = 0.1, .waiting = 0.5};
  return all;
}

TEST(Bottleneck, RequestsThatWaitWhileReplicasStartWaitForThose) {
  Pressure all = starting_pressure();
  const Bottleneck b = find_bottleneck({busy_pool()}, all);
  EXPECT_EQ(b.resource, "replicas starting");
  EXPECT_EQ(b.pool, "main");
  EXPECT_DOUBLE_EQ(b.share, 0.6);
  EXPECT_TRUE(b.saturated);
  all.shortage = {.starting = 0.1, .down = 0.6, .waiting = 0.5};
  EXPECT_EQ(find_bottleneck({busy_pool()}, all).resource, "replicas down");
}

TEST(Bottleneck, ReplicasThatStartWhileNobodyWaitsAreNone) {
  Pressure all = starting_pressure();
  all.shortage.waiting = 0.05;
  EXPECT_EQ(find_bottleneck({busy_pool()}, all).resource, "memory bandwidth");
}

TEST(Bottleneck, AStationOfTheFrontWhoseLineHoldsTheRequestsIsTheLimit) {
  Pressure all = pressure({0, 0.01, 1});
  all.front = {{"load balancer", 1, 0.5, 0.1, 0.01}, {"tokenizer", 4, 0.99, 80, 0.7}};
  const Bottleneck b = find_bottleneck({busy_pool()}, all);
  EXPECT_EQ(b.resource, "tokenizer");
  EXPECT_DOUBLE_EQ(b.share, 0.99);
  EXPECT_TRUE(b.saturated);
}

TEST(Bottleneck, ALimitAtTheFrontIsNamedWhereItTurnsRequestsAway) {
  Pressure all = pressure({0, 0.01, 1});
  all.rate_limited = 0.2;
  EXPECT_EQ(find_bottleneck({busy_pool()}, all).resource, "rate limits of tenants");
  all.rate_limited = 0.01;
  all.turned_away = 0.2;
  EXPECT_EQ(find_bottleneck({busy_pool()}, all).resource, "admission at the front");
  all.waits.queue = 0.5;  // what is let in waits for the fleet
  EXPECT_EQ(find_bottleneck({busy_pool()}, all).resource, "memory bandwidth");
}

}  // namespace
}  // namespace headway
