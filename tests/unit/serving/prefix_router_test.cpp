// What the prefix-aware router remembers, and how it weighs that against the load.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/serving/prefix_index.hpp"
#include "told_fleet.hpp"

namespace headway {
namespace {

constexpr std::int32_t kBlock = 16;

Content group(std::uint64_t number, std::int32_t tokens, std::uint64_t own = 1u << 20) {
  return {{{number + 1, tokens}}, own, false};
}

bool holds(const PrefixIndex& index, std::uint64_t identity, std::uint32_t replica) {
  return PrefixIndex::find(index.holders(identity), replica) != nullptr;
}

TEST(PrefixIndex, RemembersWhoWasSentWhat) {
  PrefixIndex index(0, {100, 100, 100}, kBlock);
  index.remember(2, group(5, 64), 100);
  index.remember(0, group(5, 64), 100);
  ASSERT_EQ(index.holders(6).size(), 2u);
  EXPECT_EQ(index.holders(6)[0].replica, 0u);
  EXPECT_EQ(index.holders(6)[1].replica, 2u);
  EXPECT_EQ(index.tokens(index.holders(6)[0]), 64);
  EXPECT_TRUE(index.holders(7).empty());
  EXPECT_EQ(index.blocks(0), 6) << "4 of the group, 2 of its own: 100 tokens have 6 whole blocks";
}

TEST(PrefixIndex, ForgetsTheLongestUnusedFirst) {
  PrefixIndex index(0, {12}, kBlock);
  for (std::uint64_t g = 0; g < 3; ++g) index.remember(0, group(g, 64), 64);
  index.remember(0, group(0, 64), 64);  // used again
  index.remember(0, group(3, 64), 64);
  EXPECT_TRUE(holds(index, 1, 0));
  EXPECT_FALSE(holds(index, 2, 0)) << "group 1 was unused for longest";
  EXPECT_TRUE(holds(index, 3, 0));
  EXPECT_TRUE(holds(index, 4, 0));
  EXPECT_EQ(index.blocks(0), 12);
}

TEST(PrefixIndex, BlocksThatNobodyAsksForTakeTheirPlace) {
  PrefixIndex index(0, {20}, kBlock);
  index.remember(0, group(0, 64), 64 + 160);  // 4 and 10
  index.remember(0, group(1, 64), 64);        // 4: 18 of 20
  EXPECT_EQ(index.blocks(0), 18);
  index.remember(0, group(2, 64), 64);  // the 10 are the oldest: 2 of them go
  EXPECT_TRUE(holds(index, 1, 0));
  index.remember(0, {{}, 99, false}, 8 * kBlock);  // and now all of them: group 0 is next
  EXPECT_TRUE(holds(index, 1, 0));
  EXPECT_EQ(index.blocks(0), 20);
  index.remember(0, {{}, 98, false}, 1 * kBlock);
  EXPECT_FALSE(holds(index, 1, 0));
  EXPECT_TRUE(holds(index, 2, 0));
}

TEST(PrefixIndex, OfOnePromptTheEndIsForgottenFirst) {
  PrefixIndex index(0, {10}, kBlock);
  index.remember(0, {{{1, 64}, {2, 128}}, 3, true}, 160);  // 4, 4 and 2
  index.remember(0, group(50, 16), 16);                    // 1
  EXPECT_FALSE(holds(index, 3, 0));
  EXPECT_TRUE(holds(index, 2, 0));
  index.remember(0, group(51, 32), 32);  // 2
  EXPECT_FALSE(holds(index, 2, 0));
  EXPECT_TRUE(holds(index, 1, 0));
}

TEST(PrefixIndex, AConversationIsOneEntryThatGrowsAndEnds) {
  PrefixIndex index(0, {100}, kBlock);
  Content content{{{1, 32}}, 9, true};
  index.remember(0, content, 64);
  EXPECT_EQ(index.blocks(0), 4);
  index.remember(0, content, 160);
  EXPECT_EQ(index.blocks(0), 10);
  EXPECT_EQ(index.tokens(index.holders(9)[0]), 160);
  EXPECT_EQ(index.parts(), 2u);
  content.continues = false;
  index.remember(0, content, 320);
  EXPECT_EQ(index.parts(), 1u) << "nobody asks for its last turn again";
  EXPECT_EQ(index.blocks(0), 20);
}

TEST(PrefixIndex, ForgetsAReplicaThatIsGone) {
  PrefixIndex index(4, {100, 100}, kBlock);
  index.remember(4, group(0, 64), 100);
  index.remember(5, group(0, 64), 100);
  index.forget(4);
  EXPECT_EQ(index.blocks(4), 0);
  EXPECT_EQ(index.parts(), 1u);
  EXPECT_TRUE(holds(index, 1, 5));
}

/// The same, as plainly as possible: one list a replica, newest first.
class PlainIndex {
 public:
  explicit PlainIndex(std::int64_t room) : room_(room) {}
  void remember(const Content& content, std::int32_t input) {
    const std::int32_t shared = content.shared_tokens();
    entries_.remove_if([&](const Entry& e) { return e.identity == content.own; });
    if (content.continues || input > shared)
      add(content.continues ? content.own : 0, blocks(shared, input));
    for (std::size_t i = content.shared.size(); i-- > 0;) {
      const auto part = content.shared[i];
      entries_.remove_if([&](const Entry& e) { return e.identity == part.identity; });
      add(part.identity, blocks(i == 0 ? 0 : content.shared[i - 1].end, part.end));
    }
    while (used() > room_) {
      Entry& oldest = entries_.back();
      if (oldest.identity == 0 && oldest.blocks > used() - room_) {
        oldest.blocks -= used() - room_;
      } else {
        entries_.pop_back();
      }
    }
  }
  std::set<std::uint64_t> known() const {
    std::set<std::uint64_t> all;
    for (const Entry& e : entries_)
      if (e.identity) all.insert(e.identity);
    return all;
  }
  std::int64_t used() const {
    std::int64_t sum = 0;
    for (const Entry& e : entries_) sum += e.blocks;
    return sum;
  }

 private:
  struct Entry {
    std::uint64_t identity;
    std::int64_t blocks;
  };
  static std::int64_t blocks(std::int32_t from, std::int32_t to) {
    return std::max(1, to / kBlock - from / kBlock);
  }
  void add(std::uint64_t identity, std::int64_t count) { entries_.push_front({identity, count}); }
  std::int64_t room_;
  std::list<Entry> entries_;
};

TEST(PrefixIndex, AgreesWithAPlainListAndNeverOutgrowsItsRoom) {
  const Draw& draw = kRouterDraw;
  PrefixIndex index(0, {60, 200}, kBlock);
  std::vector<PlainIndex> plain = {PlainIndex(60), PlainIndex(200)};
  std::map<std::uint64_t, std::int32_t> said;  // by conversation
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto replica = static_cast<std::uint32_t>(draw.below(2, i, 10));
    Content content;
    std::int32_t input = 0;
    // A tree of parts: the second stands for the first, too.
    const std::uint64_t first = draw.below(6, i, 11), second = draw.below(4, i, 12);
    if (draw.below(4, i, 13) > 0)
      content.shared.push_back({first + 1, input = static_cast<std::int32_t>(20 * first + 5)});
    if (!content.shared.empty() && draw.below(2, i, 14) == 0)
      content.shared.push_back(
          {100 + 10 * first + second, input += static_cast<std::int32_t>(8 + 30 * second)});
    const std::uint64_t number = draw.below(20, i, 15);
    if (draw.below(2, i, 16) == 0) {
      content.own = 1000 + number;
      content.continues = draw.below(4, i, 17) > 0;
      input += said[number] = 20 + said[number] % 400;
    } else {
      content.own = 10000 + i;
      input += static_cast<std::int32_t>(draw.below(300, i, 18));
    }
    if (input == 0) continue;
    index.remember(replica, content, input);
    plain[replica].remember(content, input);
    for (std::uint32_t r = 0; r < 2; ++r) {
      ASSERT_EQ(index.blocks(r), plain[r].used()) << i;
      ASSERT_LE(index.blocks(r), r == 0 ? 60 : 200) << i;
    }
    std::size_t parts = 0;
    for (std::uint32_t r = 0; r < 2; ++r) {
      for (const std::uint64_t identity : plain[r].known()) ASSERT_TRUE(holds(index, identity, r));
      parts += plain[r].known().size();
    }
    ASSERT_EQ(index.parts(), parts) << i;
  }
}

std::unique_ptr<Router> prefix_aware(std::uint32_t replicas, const RouterRules& rules = {}) {
  return ready_router([&](const RouterSet& set) { return make_prefix_aware_router(set, rules); },
                      replica_set(replicas));
}

void set_tokens(Router& router, ToldFleet& fleet, std::uint32_t replica, std::int64_t tokens) {
  fleet.tokens[replica] = tokens;
  router.on_change(replica, 1);
}

TEST(PrefixAwareRouter, SendsToWhoHasThePrefixUntilTheLoadThereOutweighsIt) {
  const auto router = prefix_aware(3);
  ToldFleet fleet(3);
  ASSERT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 0u);
  // Half of the prompt is there: worth half a KV cache of 16,000 tokens.
  set_tokens(*router, fleet, 0, 7990);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 0u);
  set_tokens(*router, fleet, 0, 8010);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 1u);
  set_tokens(*router, fleet, 1, 100);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 1u) << "now it has it too";
  EXPECT_EQ(pick_for(*router, fleet, group(1, 800), 1600), 2u) << "another prompt";
}

TEST(PrefixAwareRouter, TheWeightsAreThoseOfTheRules) {
  RouterRules rules;
  rules.prefix_weight = 3;
  rules.load_weight = 2;
  const auto router = prefix_aware(2, rules);
  ToldFleet fleet(2);
  ASSERT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 0u);
  // 3 × 0.5 against 2 × load: three quarters of a cache.
  set_tokens(*router, fleet, 0, 11990);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 0u);
  set_tokens(*router, fleet, 0, 12010);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 1u);
}

TEST(PrefixAwareRouter, AConversationComesBackToItsOwnPrompt) {
  const auto router = prefix_aware(4);
  ToldFleet fleet(4);
  set_tokens(*router, fleet, 0, 50);
  set_tokens(*router, fleet, 1, 50);
  const Content content{{{1, 160}}, 77, true};
  ASSERT_EQ(pick_for(*router, fleet, content, 320), 2u);
  set_tokens(*router, fleet, 2, 3000);
  // Others with the same system prompt go elsewhere, but of the next turn's 400 tokens 320 are
  // here.
  EXPECT_EQ(pick_for(*router, fleet, {{{1, 160}}, 78, true}, 1600), 3u);
  EXPECT_EQ(pick_for(*router, fleet, content, 400), 2u);
}

TEST(PrefixAwareRouter, APartOfABlockIsNoHit) {
  RouterRules rules;
  rules.load_weight = 0;
  const auto router = prefix_aware(2, rules);
  ToldFleet fleet(2);
  ASSERT_EQ(pick_for(*router, fleet, group(0, 15), 16), 0u);
  set_tokens(*router, fleet, 0, 1);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 15), 16), 1u);
}

TEST(PrefixAwareRouter, ForgetsWhoWentAwayAndStartsAnew) {
  const auto router = prefix_aware(3);
  ToldFleet fleet(3);
  set_tokens(*router, fleet, 0, 10);
  ASSERT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 1u);
  router->on_available(1, false);
  EXPECT_EQ(pick_for(*router, fleet, group(1, 800), 1600), 2u);
  router->on_available(1, true);
  set_tokens(*router, fleet, 1, 20);
  set_tokens(*router, fleet, 2, 30);
  EXPECT_EQ(pick_for(*router, fleet, group(0, 800), 1600), 0u) << "its cache went with it";
}

TEST(PrefixAwareRouter, AgreesWithAScanOfAllReplicas) {
  constexpr std::uint32_t kReplicas = 40;
  RouterRules rules;
  rules.index_blocks = 400;
  rules.prefix_weight = 0.7;
  const auto router = prefix_aware(kReplicas, rules);
  ToldFleet fleet(kReplicas);
  std::vector<PlainIndex> plain(kReplicas, PlainIndex(400));
  const Draw& draw = kRouterDraw;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const auto replica = static_cast<std::uint32_t>(draw.below(kReplicas, i, 20));
    set_tokens(*router, fleet, replica, static_cast<std::int64_t>(draw.below(16000, i, 21)));
    // Chains of up to four parts of 48 tokens: the k-th part's identity stands for its chain.
    const std::uint64_t chain = draw.below(30, i, 22), length = 1 + draw.below(4, i, 23);
    Content content{{}, 1'000'000 + i, false};
    std::uint64_t identity = 0;
    for (std::uint64_t k = 0; k < length; ++k) {
      identity = mix64(identity + 1 + (chain >> k));
      content.shared.push_back({identity, static_cast<std::int32_t>(48 * (k + 1))});
    }
    const std::int32_t input = 400;
    std::uint32_t expected = 0;
    double best = -1e9, least = 1e9;
    for (std::uint32_t r = 0; r < kReplicas; ++r) {
      const auto known = plain[r].known();
      double hit = 0;
      for (const auto& part : content.shared)
        if (known.count(part.identity)) hit = part.end;
      const double load = static_cast<double>(fleet.tokens[r]) / 16000;
      const double score = 0.7 * (hit / input) - 1 * load;
      if (score > best || (score == best && load < least)) {
        best = score;
        least = load;
        expected = r;
      }
    }
    ASSERT_EQ(pick_for(*router, fleet, content, input, i), expected) << "request " << i;
    plain[expected].remember(content, input);
  }
}

}  // namespace
}  // namespace headway
