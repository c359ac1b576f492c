#include "sim/metrics/bill.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/metrics/billed_by_hand.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;
constexpr Time kHour = 3600 * kSecond;

Pool pool_of(std::int32_t replicas, std::int32_t places, std::int32_t gpus) {
  Pool pool;
  pool.replicas = replicas;
  pool.gpus_per_replica = gpus;
  pool.usd_per_gpu_hour = 3;
  if (places > replicas) {
    pool.autoscaler.emplace();
    pool.autoscaler->max = places;
  }
  return pool;
}

Scenario fleet_of(std::vector<Pool> pools) {
  Scenario scenario;
  scenario.fleet = std::move(pools);
  return scenario;
}

std::int64_t seconds(__int128 gpu_picoseconds) {
  EXPECT_EQ(static_cast<std::int64_t>(gpu_picoseconds % kSecond), 0);
  return static_cast<std::int64_t>(gpu_picoseconds / kSecond);
}

std::int64_t phase_seconds(const PoolBill& bill, ReplicaPhase phase) {
  return seconds(bill.phase[static_cast<int>(phase)]);
}

TEST(Bill, AFixedFleetPaysEveryGpuForTheWholeRun) {
  const Scenario scenario = fleet_of({pool_of(4, 4, 2)});
  Bill bill(scenario);
  bill.finish(100 * kSecond);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 800);
  EXPECT_EQ(phase_seconds(bill.pool(0), ReplicaPhase::ready), 800);
  EXPECT_EQ(bill.pool(0).most_gpus, 8);
}

TEST(Bill, StartingAndDrainingReplicasArePaidOrderedAndDownOnesAreNot) {
  const Scenario scenario = fleet_of({pool_of(1, 2, 4)});
  Bill bill(scenario);
  bill.on_phase(10 * kSecond, 1, ReplicaPhase::ordered);
  bill.on_phase(20 * kSecond, 1, ReplicaPhase::provisioning);
  bill.on_phase(50 * kSecond, 1, ReplicaPhase::weights);
  bill.on_phase(60 * kSecond, 1, ReplicaPhase::ready);
  bill.on_phase(70 * kSecond, 0, ReplicaPhase::down);
  bill.on_phase(80 * kSecond, 1, ReplicaPhase::draining);
  bill.on_phase(85 * kSecond, 1, ReplicaPhase::off);
  bill.finish(100 * kSecond);
  const PoolBill& pool = bill.pool(0);
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::ordered), 4 * 10);
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::provisioning), 4 * 30);
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::weights), 4 * 10);
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::ready), 4 * (70 + 20));
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::draining), 4 * 5);
  EXPECT_EQ(phase_seconds(pool, ReplicaPhase::down), 4 * 30);
  EXPECT_EQ(seconds(pool.billed()), 4 * (30 + 10 + 90 + 5));
  EXPECT_EQ(pool.most_gpus, 8);
}

TEST(Bill, ANodeIsPaidWholeWhileAnyOfItsReplicasIsThere) {
  Pool pool = pool_of(3, 3, 2);
  pool.billed_node_gpus = 4;  // two replicas a node: the third has one for itself
  const Scenario scenario = fleet_of({pool});
  Bill bill(scenario);
  bill.on_phase(10 * kSecond, 0, ReplicaPhase::off);
  bill.on_phase(30 * kSecond, 1, ReplicaPhase::off);
  bill.finish(100 * kSecond);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 4 * 30 + 4 * 100);
  EXPECT_EQ(seconds(bill.pool(0).rest_of_nodes), 2 * 20 + 2 * 100);
  EXPECT_EQ(phase_seconds(bill.pool(0), ReplicaPhase::ready), 2 * (10 + 30 + 100));
  EXPECT_EQ(bill.pool(0).most_gpus, 8);
}

TEST(Bill, AReplicaLargerThanANodePaysWholeNodes) {
  Pool pool = pool_of(2, 2, 12);
  pool.billed_node_gpus = 8;
  EXPECT_EQ(billing_unit(pool).gpus, 16);
  EXPECT_EQ(billing_unit(pool).gpus_of(2), 32);
  pool.gpus_per_replica = 1;
  EXPECT_EQ(billing_unit(pool).gpus_of(0), 0);
  EXPECT_EQ(billing_unit(pool).gpus_of(9), 16);
}

TEST(Bill, WhatIsGivenBackEarlyIsPaidForTheMinimum) {
  Pool pool = pool_of(1, 2, 1);
  pool.minimum_billing_seconds = 3600;
  const Scenario scenario = fleet_of({pool});
  Bill bill(scenario);
  bill.on_phase(100 * kSecond, 1, ReplicaPhase::ready);
  bill.on_phase(160 * kSecond, 1, ReplicaPhase::off);      // paid until 3,700 s
  bill.on_phase(200 * kSecond, 1, ReplicaPhase::weights);  // another machine
  bill.on_phase(300 * kSecond, 1, ReplicaPhase::off);      // paid until 3,800 s
  bill.finish(10 * kHour);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 36'000 + 3600 + 3600);
  EXPECT_EQ(seconds(bill.pool(0).minimum), 3600 - 60 + 3600 - 100);
  EXPECT_EQ(bill.pool(0).most_gpus, 2);
}

TEST(Bill, TheRunsEndCutsTheMinimumAndNothingOfWhatRan) {
  Pool pool = pool_of(1, 2, 1);
  pool.minimum_billing_seconds = 3600;
  const Scenario scenario = fleet_of({pool});
  Bill bill(scenario);
  bill.on_phase(100 * kSecond, 1, ReplicaPhase::ready);
  bill.on_phase(160 * kSecond, 1, ReplicaPhase::off);
  bill.finish(1000 * kSecond);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 1000 + 900);  // replica 1: from 100 s to the end
}

TEST(Bill, AMachineThatFailedOwesNoMinimum) {
  Pool pool = pool_of(1, 1, 1);
  pool.minimum_billing_seconds = 3600;
  const Scenario scenario = fleet_of({pool});
  Bill bill(scenario);
  bill.on_phase(60 * kSecond, 0, ReplicaPhase::down);
  bill.finish(kHour);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 60);
}

TEST(Bill, AStationWithoutAPriceHasNoGpus) {
  Pool station = pool_of(3, 3, 1);
  station.kind = Pool::Kind::service;
  station.usd_per_gpu_hour = 0;
  const Scenario scenario = fleet_of({station});
  Bill bill(scenario);
  bill.finish(kHour);
  EXPECT_EQ(seconds(bill.pool(0).billed()), 0);
}

TEST(Bill, OfRandomLivesIsTheSumOverUnitsToThePicosecond) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 300; ++round) {
    const auto places = static_cast<std::int32_t>(1 + below(12));
    Pool pool = pool_of(static_cast<std::int32_t>(1 + below(static_cast<std::uint64_t>(places))),
                        places, static_cast<std::int32_t>(1 + below(9)));
    if (round % 3 != 0) pool.billed_node_gpus = static_cast<std::int32_t>(1 + below(8));
    if (round % 2 != 0) pool.minimum_billing_seconds = static_cast<double>(below(200));
    const Scenario scenario = fleet_of({pool});
    std::vector<PhaseChange> changes;
    Time now = 0;
    for (std::uint64_t i = below(400); i > 0; --i) {
      now += static_cast<Time>(below(3) * below(static_cast<std::uint64_t>(kSecond) * 4));
      changes.push_back({now, static_cast<std::int32_t>(below(static_cast<std::uint64_t>(places))),
                         static_cast<ReplicaPhase>(below(kReplicaPhases))});
    }
    const Time end = now + static_cast<Time>(below(static_cast<std::uint64_t>(kSecond) * 50));
    Bill bill(scenario);
    for (const PhaseChange& change : changes)
      bill.on_phase(change.at, static_cast<std::uint32_t>(change.place), change.phase);
    bill.finish(end);
    const PoolBill& made = bill.pool(0);
    ASSERT_TRUE(made.billed() == billed_by_hand(pool, changes, end)) << "round " << round;
    // Every replica is in one phase at every moment.
    __int128 all = 0;
    for (const __int128 time : made.phase) all += time;
    ASSERT_TRUE(all == static_cast<__int128>(end) * places * pool.gpus_per_replica);
    ASSERT_TRUE(made.rest_of_nodes >= 0 && made.minimum >= 0) << "round " << round;
    ASSERT_TRUE(made.rest_of_nodes == 0 || pool.billed_node_gpus > 0) << "round " << round;
  }
}

}  // namespace
}  // namespace headway
