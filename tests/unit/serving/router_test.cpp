// Which replica gets a request.
#include "sim/serving/router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "told_fleet.hpp"

namespace headway {
namespace {

using Fleet = ToldFleet;

constexpr RouterKind kEveryKind[] = {RouterKind::random,         RouterKind::round_robin,
                                     RouterKind::least_requests, RouterKind::power_of_two,
                                     RouterKind::least_kv,       RouterKind::weighted,
                                     RouterKind::least_tokens,   RouterKind::least_expected_wait,
                                     RouterKind::prefix_aware,   RouterKind::session_affinity,
                                     RouterKind::sticky};

/// A router over replicas 0 … count − 1, all available.
template <class Make>
std::unique_ptr<Router> ready(Make make, std::uint32_t count) {
  return ready_router(make, replica_set(count));
}

std::vector<std::uint32_t> picks(Router& router, const FleetState& fleet, std::uint64_t count) {
  std::vector<std::uint32_t> chosen;
  for (std::uint64_t i = 0; i < count; ++i) chosen.push_back(pick_alone(router, fleet, i));
  return chosen;
}

TEST(Routers, RoundRobinGoesAroundInOrder) {
  const auto router = ready(make_round_robin_router, 3);
  EXPECT_EQ(picks(*router, Fleet(3), 7), (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(Routers, RandomGivesEveryReplicaItsShare) {
  const auto router = ready(make_random_router, 10);
  std::vector<int> counts(10, 0);
  for (const std::uint32_t chosen : picks(*router, Fleet(10), 100000)) ++counts[chosen];
  // Binomial(100,000, 0.1): standard deviation 95.
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * 95);
}

TEST(Routers, LeastRequestsAgreesWithALinearScanOverAThousandReplicas) {
  constexpr std::uint32_t kReplicas = 1000;
  const auto router = ready(make_least_requests_router, kReplicas);
  Fleet fleet(kReplicas);
  const auto least = [&] {
    const auto& r = fleet.requests;
    return static_cast<std::uint32_t>(std::min_element(r.begin(), r.end()) - r.begin());
  };
  for (std::uint64_t i = 0; i < 20000; ++i) {
    // Mostly what a system does, one more for the chosen or one less for any, and now and then a
    // jump.
    auto replica = static_cast<std::uint32_t>(kRouterDraw.below(kReplicas, i, 0));
    std::int32_t& requests = fleet.requests[replica];
    const std::uint64_t kind = kRouterDraw.below(10, i, 1);
    if (kind < 5) {
      replica = pick_alone(*router, fleet, i);
      ++fleet.requests[replica];
    } else if (kind < 9) {
      requests = std::max(0, requests - 1);
    } else {
      requests = static_cast<std::int32_t>(kRouterDraw.below(1 << 20, i, 2));
    }
    router->on_change(replica, fleet.requests[replica]);
    ASSERT_EQ(pick_alone(*router, fleet, i), least()) << "after change " << i;
  }
}

TEST(Routers, LeastRequestsAmongEqualsIsTheLowestNumber) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 5u, 64u, 65u}) {
    const auto router = ready(make_least_requests_router, replicas);
    const Fleet fleet(replicas);
    for (std::uint32_t r = 0; r < replicas; ++r) {
      ASSERT_EQ(pick_alone(*router, fleet, r), r) << replicas << " replicas";
      router->on_change(r, 1);
    }
    EXPECT_EQ(pick_alone(*router, fleet, 0), 0u) << replicas << " replicas, all with one";
  }
}

TEST(Routers, PowerOfTwoNeverComparesAReplicaWithItself) {
  // One of two replicas is full: were it ever drawn twice, it would be chosen.
  const auto router = ready(make_power_of_two_router, 2);
  Fleet fleet(2);
  fleet.requests = {100, 0};
  for (const std::uint32_t chosen : picks(*router, fleet, 10000)) ASSERT_EQ(chosen, 1u);
}

TEST(Routers, PowerOfTwoDrawsEveryPairAsOften) {
  // Replica r has r requests, so of 5 replicas, number r wins against the 4 − r above it: of the 10
  // pairs 4, 3, 2, 1 and 0.
  const auto router = ready(make_power_of_two_router, 5);
  Fleet fleet(5);
  fleet.requests = {0, 1, 2, 3, 4};
  std::vector<int> counts(5, 0);
  for (const std::uint32_t chosen : picks(*router, fleet, 100000)) ++counts[chosen];
  for (int r = 0; r < 5; ++r) {
    EXPECT_NEAR(counts[static_cast<std::size_t>(r)], 10000 * (4 - r), 5 * 155) << "replica " << r;
  }
}

TEST(Routers, PowerOfTwoOfOneIsThatOne) {
  EXPECT_EQ(pick_alone(*ready(make_power_of_two_router, 1), Fleet(1), 0), 0u);
}

TEST(Routers, LeastKvLooksAtTheCacheThenAtTheRequestsThenAtTheNumber) {
  const auto router = ready(make_least_kv_router, 4);
  Fleet fleet(4);
  fleet.shares = {0.5, 0.2, 0.2, 0.2};
  fleet.requests = {0, 9, 3, 3};
  EXPECT_EQ(pick_alone(*router, fleet, 0), 2u);
  fleet.shares[3] = 0.1;
  EXPECT_EQ(pick_alone(*router, fleet, 0), 3u);
  fleet = Fleet(4);
  EXPECT_EQ(pick_alone(*router, fleet, 0), 0u);
}

TEST(Routers, NobodyIsPickedWhereNobodyIsAvailable) {
  const Fleet fleet(3);
  for (const RouterKind kind : kEveryKind) {
    const auto router = make_router(kind, {}, replica_set(3));
    EXPECT_EQ(pick_alone(*router, fleet, 0), Router::kNobody) << static_cast<int>(kind);
    router->on_available(1, true);
    EXPECT_EQ(pick_alone(*router, fleet, 1), 1u) << static_cast<int>(kind);
    router->on_available(1, false);
    EXPECT_EQ(pick_alone(*router, fleet, 2), Router::kNobody) << static_cast<int>(kind);
  }
}

TEST(Routers, PickOnlyWhoIsAvailableWhileReplicasComeAndGo) {
  constexpr std::uint32_t kReplicas = 37;
  for (const RouterKind kind : kEveryKind) {
    const auto router = make_router(kind, {}, replica_set(kReplicas));
    Fleet fleet(kReplicas);
    std::set<std::uint32_t> available;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const auto replica = static_cast<std::uint32_t>(kRouterDraw.below(kReplicas, i, 3));
      if (kRouterDraw.below(4, i, 4) == 0) {
        const bool comes = kRouterDraw.below(2, i, 5) == 0;
        router->on_available(replica, comes);
        if (comes) available.insert(replica);
        if (!comes) available.erase(replica);
      } else {
        fleet.requests[replica] = static_cast<std::int32_t>(kRouterDraw.below(20, i, 6));
        fleet.tokens[replica] = std::int64_t{10} * fleet.requests[replica];
        router->on_change(replica, fleet.requests[replica]);
      }
      const std::uint32_t chosen = pick_alone(*router, fleet, i);
      if (available.empty()) {
        ASSERT_EQ(chosen, Router::kNobody);
      } else {
        ASSERT_TRUE(available.count(chosen)) << static_cast<int>(kind) << " after change " << i;
      }
    }
  }
}

TEST(Routers, TheKindChoosesTheRouter) {
  Fleet fleet(3);
  fleet.requests = {2, 1, 2};
  fleet.tokens = {10, 500, 500};
  fleet.shares = {0.9, 0.9, 0.1};
  const auto chosen = [&](RouterKind kind) {
    const auto router = ready([&](const RouterSet& set) { return make_router(kind, {}, set); }, 3);
    for (std::uint32_t r = 0; r < 3; ++r) router->on_change(r, fleet.requests[r]);
    const auto all = picks(*router, fleet, 60);
    return std::set<std::uint32_t>(all.begin(), all.end());
  };
  using Set = std::set<std::uint32_t>;
  EXPECT_EQ(chosen(RouterKind::least_requests), (Set{1}));
  EXPECT_EQ(chosen(RouterKind::least_kv), (Set{2}));
  EXPECT_EQ(chosen(RouterKind::round_robin), (Set{0, 1, 2}));
  EXPECT_EQ(chosen(RouterKind::random), (Set{0, 1, 2}));
  EXPECT_EQ(chosen(RouterKind::power_of_two), (Set{0, 1, 2}));
  EXPECT_EQ(chosen(RouterKind::weighted), (Set{0, 1, 2}));
  EXPECT_EQ(chosen(RouterKind::least_tokens), (Set{0}));
  EXPECT_EQ(chosen(RouterKind::least_expected_wait), (Set{0}));
  EXPECT_EQ(chosen(RouterKind::prefix_aware), (Set{0}));
  EXPECT_EQ(chosen(RouterKind::session_affinity), (Set{0, 1, 2}));
  EXPECT_EQ(chosen(RouterKind::sticky), (Set{0, 1, 2}));
}

}  // namespace
}  // namespace headway
