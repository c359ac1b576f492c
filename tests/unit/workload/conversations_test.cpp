#include "sim/workload/conversations.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "sim/workload/prefix_groups.hpp"
#include "sim/workload/request_lengths.hpp"

namespace headway {
namespace {

Distribution uniform(double low, double high) {
  Distribution law;
  law.kind = Distribution::Kind::uniform;
  law.a = low;
  law.b = high;
  return law;
}

WorkloadClass talking() {
  WorkloadClass workload;
  workload.input_tokens = uniform(10, 90);
  workload.output_tokens = uniform(5, 45);
  workload.session = Session{.turns = uniform(1, 9), .think = uniform(0, 10)};
  return workload;
}

/// The turns of conversation `number`, to its end.
std::vector<RequestBody> turns(Conversations& conversations, const WorkloadClass& workload,
                               std::uint64_t number) {
  std::vector<RequestBody> all(1);
  RequestLengths(workload, 3, 0).apply(number, all[0]);
  const std::uint32_t handle = conversations.begin(number, all[0]);
  while (conversations.continues(handle)) all.push_back(conversations.next_turn(handle));
  conversations.end(handle);
  return all;
}

TEST(Conversations, EachPromptIsAllThatWasSaidAndSomethingNew) {
  const WorkloadClass workload = talking();
  Conversations conversations(workload, 3, 0);
  double turn_count = 0, added = 0, later = 0;
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    const std::vector<RequestBody> all = turns(conversations, workload, number);
    turn_count += static_cast<double>(all.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
      ASSERT_EQ(all[t].content.own, all[0].content.own);
      ASSERT_EQ(all[t].content.continues, t + 1 < all.size());
      if (t == 0) continue;
      const std::int32_t said = all[t - 1].input_tokens + all[t - 1].output_tokens;
      ASSERT_GE(all[t].input_tokens, said + 10);
      ASSERT_LE(all[t].input_tokens, said + 90);
      added += all[t].input_tokens - said;
      ++later;
    }
  }
  EXPECT_NEAR(turn_count / 20'000, 5, 0.05);
  EXPECT_NEAR(added / later, 50, 0.5);
  EXPECT_EQ(conversations.unfinished(), 0);
}

TEST(Conversations, HaveTheirOwnDrawsWhateverHappensBesideThem) {
  const WorkloadClass workload = talking();
  Conversations alone(workload, 3, 0), crowded(workload, 3, 0);
  RequestBody other;
  for (std::uint64_t number = 0; number < 100; ++number) {
    crowded.begin(1000 + number, other);
    const auto a = turns(alone, workload, number), b = turns(crowded, workload, number);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t t = 0; t < a.size(); ++t) {
      ASSERT_EQ(a[t].input_tokens, b[t].input_tokens);
      ASSERT_EQ(a[t].output_tokens, b[t].output_tokens);
    }
  }
}

TEST(Conversations, EndWhereThePromptWouldBeOverTheLongestContext) {
  WorkloadClass workload = talking();
  workload.session->max_context = 300;
  Conversations conversations(workload, 3, 0);
  int cut = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    for (const RequestBody& turn : turns(conversations, workload, number)) {
      ASSERT_LE(turn.input_tokens, 300);
      cut += turn.input_tokens > 200 && !turn.content.continues;
    }
  }
  EXPECT_GT(cut, 100);
}

TEST(PrefixGroups, AreDrawnByTheirFrequencies) {
  const auto counts = [](const SharedPrefix& prefix) {
    const PrefixGroups groups(prefix, 5, 0);
    std::map<std::int64_t, int> count;
    for (std::uint64_t request = 0; request < 120'000; ++request) ++count[groups.group(request)];
    return count;
  };
  auto alike = counts({.groups = 4, .tokens = 10});
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(alike[k], 30'000, 600);
  auto zipf = counts({.groups = 3, .tokens = 10, .zipf = 1});  // 1 : 1/2 : 1/3
  EXPECT_NEAR(zipf[0], 120'000 * 6 / 11, 900);
  EXPECT_NEAR(zipf[1], 120'000 * 3 / 11, 900);
  EXPECT_NEAR(zipf[2], 120'000 * 2 / 11, 900);
  auto in_turn =
      counts({.groups = 5, .tokens = 10, .zipf = 2, .order = SharedPrefix::Order::round_robin});
  for (int k = 0; k < 5; ++k) EXPECT_EQ(in_turn[k], 24'000);
}

TEST(PrefixGroups, ArePartOfThePromptAndShiftNoOtherDraw) {
  WorkloadClass plain = talking(), sharing = talking();
  sharing.prefix = SharedPrefix{.groups = 3, .tokens = 50};
  const RequestLengths without(plain, 3, 0), with(sharing, 3, 0);
  for (std::uint64_t request = 0; request < 1000; ++request) {
    RequestBody a, b;
    without.apply(request, a);
    with.apply(request, b);
    ASSERT_EQ(a.input_tokens, b.input_tokens);
    ASSERT_EQ(a.output_tokens, b.output_tokens);
    ASSERT_EQ(b.content.shared_tokens(), std::min(50, b.input_tokens));
  }
}

}  // namespace
}  // namespace headway
