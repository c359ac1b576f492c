// Routers that go by weights, tokens and rates, and loads that are some time old.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/serving/fleet_snapshot.hpp"
#include "told_fleet.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

std::map<std::uint32_t, int> counts(Router& router, const FleetState& fleet, std::uint64_t picks) {
  std::map<std::uint32_t, int> counted;
  for (std::uint64_t i = 0; i < picks; ++i) ++counted[pick_alone(router, fleet, i)];
  return counted;
}

TEST(WeightedRouter, GivesEachReplicaTheShareOfItsWeight) {
  RouterSet set = replica_set(5);
  set.weights = {1, 2, 3, 0.5, 3.5};
  const auto router = ready_router(make_weighted_router, set);
  auto counted = counts(*router, ToldFleet(5), 100000);
  // Binomial: standard deviations of at most 158.
  for (std::uint32_t r = 0; r < 5; ++r)
    EXPECT_NEAR(counted[r], set.weights[r] * 10000, 5 * 158) << "replica " << r;
  router->on_available(2, false);
  router->on_available(4, false);
  counted = counts(*router, ToldFleet(5), 70000);
  EXPECT_NEAR(counted[0], 20000, 5 * 120);
  EXPECT_NEAR(counted[1], 40000, 5 * 131);
  EXPECT_NEAR(counted[3], 10000, 5 * 93);
}

TEST(WeightedRouter, DoesNotGoByTheHistoryOfWhoWasAvailable) {
  RouterSet set = replica_set(9);
  for (std::uint32_t r = 0; r < 9; ++r) set.weights[r] = 0.1 * (r + 1);
  const auto fresh = ready_router(make_weighted_router, set);
  const auto used = ready_router(make_weighted_router, set);
  for (std::uint32_t i = 0; i < 1000; ++i) used->on_available(i % 9, i % 2 == 0);
  for (std::uint32_t r = 0; r < 9; ++r) used->on_available(r, true);
  const ToldFleet fleet(9);
  for (std::uint64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(pick_alone(*fresh, fleet, i), pick_alone(*used, fleet, i));
}

TEST(LeastTokensRouter, AgreesWithALinearScanOverAThousandReplicas) {
  constexpr std::uint32_t kReplicas = 1000;
  const auto router = ready_router(make_least_tokens_router, replica_set(kReplicas));
  ToldFleet fleet(kReplicas);
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto replica = static_cast<std::uint32_t>(kRouterDraw.below(kReplicas, i, 0));
    // Tokens change by more than requests do: two of a replica's changes may come before a look.
    fleet.tokens[replica] = static_cast<std::int64_t>(kRouterDraw.below(5000, i, 1));
    router->on_change(replica, 1);
    if (i % 3 == 0) continue;
    const auto& t = fleet.tokens;
    ASSERT_EQ(pick_alone(*router, fleet, i),
              static_cast<std::uint32_t>(std::min_element(t.begin(), t.end()) - t.begin()));
  }
}

/// Tells the router that one request of 900 input and 100 output tokens was answered.
void answer(Router& router, std::uint32_t replica, double at_seconds, double seconds) {
  const Content alone{{}, 1, false};
  router.on_answer(replica, {0, 900, 100, &alone, static_cast<Time>(at_seconds * kSecond)},
                   seconds);
}

TEST(LeastExpectedWaitRouter, SendsToTheReplicaThatIsDoneWithItsTokensFirst) {
  const auto router = ready_router(make_least_expected_wait_router, replica_set(2));
  ToldFleet fleet(2);
  // 1000 tokens in 1 s and in 4 s.
  answer(*router, 0, 10, 1);
  answer(*router, 1, 10, 4);
  const auto chosen = [&](std::int64_t first, std::int64_t second) {
    fleet.tokens = {first, second};
    router->on_change(0, 1);
    router->on_change(1, 1);
    return pick_alone(*router, fleet, 0);
  };
  EXPECT_EQ(chosen(3900, 1000), 0u);
  EXPECT_EQ(chosen(4100, 1000), 1u);
  EXPECT_EQ(chosen(0, 0), 0u) << "among idle ones the faster";
}

TEST(LeastExpectedWaitRouter, CountsTheTimeAtWorkOfARequestsCompanionsOnce) {
  // Replica 0 answers two requests that were there together for 2 s: 1000 tokens a second. Replica
  // 1 answers one after 1.6 s: 625 tokens a second.
  const auto router = ready_router(make_least_expected_wait_router, replica_set(2));
  ToldFleet fleet(2);
  answer(*router, 0, 10, 2);
  answer(*router, 0, 10, 2);
  answer(*router, 1, 10, 1.6);
  fleet.tokens = {1500, 1000};
  router->on_change(0, 1);
  router->on_change(1, 1);
  EXPECT_EQ(pick_alone(*router, fleet, 0), 0u) << "1.5 s against 1.6 s";
}

TEST(LeastExpectedWaitRouter, TakesANewReplicaToBeAsFastAsItsPool) {
  RouterSet set = replica_set(4);
  set.pools = {0, 0, 1, 1};
  const auto router = ready_router(make_least_expected_wait_router, set);
  ToldFleet fleet(4);
  answer(*router, 0, 10, 1);  // pool 0: 1000 tokens a second
  answer(*router, 2, 10, 5);  // pool 1: 200
  fleet.tokens = {9000, 3000, 9000, 800};
  for (std::uint32_t r = 0; r < 4; ++r) router->on_change(r, 1);
  EXPECT_EQ(pick_alone(*router, fleet, 0), 1u) << "3 s against 4 s";
  fleet.tokens[3] = 400;
  router->on_change(3, 1);
  EXPECT_EQ(pick_alone(*router, fleet, 0), 3u) << "2 s against 3 s";
}

TEST(LeastExpectedWaitRouter, ForgetsHowFastAReplicaWasLongAgo) {
  const auto router = ready_router(make_least_expected_wait_router, replica_set(2));
  ToldFleet fleet(2);
  answer(*router, 1, 1, 1);                                   // 1000 tokens a second, for ever
  for (int i = 1; i <= 100; ++i) answer(*router, 0, i, 0.1);  // 10,000 a second
  for (int i = 1; i <= 100; ++i) answer(*router, 0, 100 + 4 * i, 4);  // 250 a second
  fleet.tokens = {1000, 3900};
  router->on_change(0, 1);
  router->on_change(1, 1);
  EXPECT_EQ(pick_alone(*router, fleet, 0), 1u) << "4 s against 3.9 s";
}

TEST(FleetSnapshot, ShowsTheLoadsOfTheLastLook) {
  ToldFleet fleet(3);
  FleetSnapshot snapshot(3, true);
  fleet.requests = {1, 2, 3};
  fleet.tokens = {10, 20, 30};
  fleet.shares = {0.1, 0.2, 0.3};
  std::vector<std::uint32_t> changed;
  const auto note = [&](std::uint32_t r, std::int32_t requests) {
    EXPECT_EQ(requests, fleet.requests[r]);
    changed.push_back(r);
  };
  EXPECT_EQ(snapshot.outstanding(1), 0);
  snapshot.take(fleet, note);
  EXPECT_EQ(changed, (std::vector<std::uint32_t>{0, 1, 2}));
  fleet.requests[1] = 5;
  fleet.tokens[2] = 35;
  fleet.shares[0] = 0.9;
  EXPECT_EQ(snapshot.outstanding(1), 2);
  EXPECT_EQ(snapshot.outstanding_tokens(2), 30);
  EXPECT_EQ(snapshot.kv_share(0), 0.1);
  changed.clear();
  snapshot.take(fleet, note);
  EXPECT_EQ(changed, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(snapshot.outstanding(1), 5);
  EXPECT_EQ(snapshot.outstanding_tokens(2), 35);
  EXPECT_EQ(snapshot.kv_share(0), 0.9);
}

TEST(FleetSnapshot, ARouterThatSeesOldLoadsSendsAllToTheSameReplica) {
  const auto router = ready_router(make_least_requests_router, replica_set(3));
  ToldFleet fleet(3);
  FleetSnapshot snapshot(3, false);
  fleet.requests = {2, 1, 2};
  snapshot.take(fleet,
                [&](std::uint32_t r, std::int32_t requests) { router->on_change(r, requests); });
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_EQ(pick_alone(*router, snapshot, i), 1u);
    ++fleet.requests[1];
  }
  snapshot.take(fleet,
                [&](std::uint32_t r, std::int32_t requests) { router->on_change(r, requests); });
  EXPECT_EQ(pick_alone(*router, snapshot, 10), 0u);
}

}  // namespace
}  // namespace headway
