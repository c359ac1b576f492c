// Routers that keep a conversation where it was.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "sim/serving/session_home.hpp"
#include "told_fleet.hpp"

namespace headway {
namespace {

constexpr std::uint32_t kConversations = 20000;

std::uint64_t conversation(std::uint64_t number) {
  return content_identity(ContentOf::conversation, 0, number);
}

SessionHome home_of_all(std::uint32_t replicas) {
  SessionHome home(replica_set(replicas).replicas);
  for (std::uint32_t r = 0; r < replicas; ++r) home.set(r, true);
  return home;
}

std::vector<std::uint32_t> homes(const SessionHome& home) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t c = 0; c < kConversations; ++c) all.push_back(home.of(conversation(c)));
  return all;
}

TEST(SessionHome, SpreadsConversationsEvenly) {
  std::vector<int> counted(20, 0);
  for (const std::uint32_t replica : homes(home_of_all(20))) ++counted[replica];
  // Binomial(20,000, 1/20): standard deviation 31.
  for (const int count : counted) EXPECT_NEAR(count, 1000, 5 * 31);
}

TEST(SessionHome, OnlyTheConversationsOfAReplicaThatGoesMoveAndTheySpreadOverAll) {
  SessionHome home = home_of_all(20);
  const auto before = homes(home);
  home.set(7, false);
  const auto after = homes(home);
  std::map<std::uint32_t, int> moved_to;
  for (std::uint32_t c = 0; c < kConversations; ++c) {
    if (before[c] == 7) {
      ++moved_to[after[c]];
    } else {
      ASSERT_EQ(after[c], before[c]) << "conversation " << c;
    }
  }
  // Some 1000 over 19: 53 each, standard deviation 7.
  EXPECT_EQ(moved_to.size(), 19u);
  for (const auto& [replica, count] : moved_to) EXPECT_NEAR(count, 53, 5 * 7) << replica;
  home.set(7, true);
  EXPECT_EQ(homes(home), before);
}

TEST(SessionHome, OnlyToAReplicaThatComesDoConversationsMove) {
  SessionHome home(replica_set(1000).replicas);
  for (const std::uint32_t replica : {3u, 500u, 999u}) home.set(replica, true);
  const auto before = homes(home);
  home.set(250, true);
  const auto after = homes(home);
  int moved = 0;
  for (std::uint32_t c = 0; c < kConversations; ++c) {
    if (after[c] == before[c]) continue;
    ASSERT_EQ(after[c], 250u);
    ++moved;
  }
  EXPECT_NEAR(moved, 0.25 * kConversations, 5 * 61);
}

TEST(SessionHome, SpreadsEvenlyWhereFewOfVeryManyAreAvailable) {
  SessionHome home(replica_set(100000).replicas);
  for (const std::uint32_t replica : {3u, 50000u, 99999u, 77u}) home.set(replica, true);
  std::map<std::uint32_t, int> counted;
  for (const std::uint32_t replica : homes(home)) ++counted[replica];
  ASSERT_EQ(counted.size(), 4u);
  for (const auto& [replica, count] : counted) EXPECT_NEAR(count, 5000, 5 * 61) << replica;
}

TEST(SessionAffinityRouter, KeepsTheTurnsOfAConversationTogetherWhateverTheLoad) {
  const auto router = ready_router(make_session_affinity_router, replica_set(50));
  ToldFleet fleet(50);
  for (std::uint64_t c = 0; c < 100; ++c) {
    const Content content{{{c % 3 + 1, 8}}, conversation(c), true};
    const std::uint32_t home = pick_for(*router, fleet, content);
    fleet.requests[home] = 1000;
    router->on_change(home, 1000);
    EXPECT_EQ(pick_for(*router, fleet, content), home);
  }
}

TEST(StickyRouter, LeavesItsHomeForTheLeastLoadedFromTheOverflowOn) {
  const auto make = [](const RouterSet& set) { return make_sticky_router(set, 4); };
  const auto router = ready_router(make, replica_set(5));
  ToldFleet fleet(5);
  const Content content{{}, conversation(1), true};
  const std::uint32_t home = pick_for(*router, fleet, content), other = (home + 2) % 5;
  for (std::uint32_t r = 0; r < 5; ++r) {
    fleet.requests[r] = r == other ? 1 : 3;
    router->on_change(r, fleet.requests[r]);
  }
  EXPECT_EQ(pick_for(*router, fleet, content), home) << "3 of 4 outstanding";
  router->on_change(home, fleet.requests[home] = 4);
  EXPECT_EQ(pick_for(*router, fleet, content), other);
  router->on_change(home, fleet.requests[home] = 3);
  EXPECT_EQ(pick_for(*router, fleet, content), home) << "it comes home again";
}

TEST(StickyRouter, StaysForEverWithoutAnOverflow) {
  const auto make = [](const RouterSet& set) { return make_sticky_router(set, 0); };
  const auto router = ready_router(make, replica_set(5));
  ToldFleet fleet(5);
  const Content content{{}, conversation(1), true};
  const std::uint32_t home = pick_for(*router, fleet, content);
  router->on_change(home, fleet.requests[home] = 1000000);
  EXPECT_EQ(pick_for(*router, fleet, content), home);
}

}  // namespace
}  // namespace headway
