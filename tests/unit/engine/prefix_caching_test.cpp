// Prefix caching in the engine: what is found again, what it saves, and what is lost, by hand.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

class PrefixCaching : public testing::TestWithParam<Run::Stepping> {
 protected:
  Recording served(Scenario scenario) const {
    scenario.run.stepping = GetParam();
    return run(scenario);
  }
};

Pool engine_of_blocks_of_four() {
  Pool pool = engine();
  pool.kv.block_tokens = 4;
  return pool;
}

/// Requests that all begin with the same system prompt of eight tokens.
Scenario sharing(const std::vector<Logged>& requests, const Pool& pool) {
  Scenario scenario = scenario_of(logged(requests), pool);
  scenario.workload.front().prefix = {.groups = 1, .tokens = 8};
  return scenario;
}

Distribution fixed(double value) {
  Distribution law;
  law.a = value;
  return law;
}

TEST_P(PrefixCaching, ASharedPromptIsComputedOnce) {
  const Recording r = served(sharing({{0, 12, 1}, {100, 12, 1}}, engine_of_blocks_of_four()));
  EXPECT_EQ(r.request(0).finished, ms(22));
  EXPECT_EQ(r.request(1).finished, ms(114)) << "4 of its 12 tokens are left to compute";
  EXPECT_EQ(r.request(0).prefix_hit_tokens, 0);
  EXPECT_EQ(r.request(1).prefix_hit_tokens, 8);
  EXPECT_EQ(r.totals.prefix_hit_tokens, 8);
}

TEST_P(PrefixCaching, SwitchedOffNothingIsFound) {
  Pool pool = engine_of_blocks_of_four();
  pool.kv.prefix_caching = false;
  const Recording r = served(sharing({{0, 12, 1}, {100, 12, 1}}, pool));
  EXPECT_EQ(r.request(1).finished, ms(122));
  EXPECT_EQ(r.totals.prefix_hit_tokens, 0);
}

TEST_P(PrefixCaching, ARequestFindsWhatAnotherComputesInTheSameStep) {
  const Recording r = served(sharing({{0, 12, 1}, {0, 12, 1}}, engine_of_blocks_of_four()));
  EXPECT_EQ(r.request(0).finished, ms(10 + 12 + 4));
  EXPECT_EQ(r.request(1).finished, ms(10 + 12 + 4));
}

TEST_P(PrefixCaching, TheLastTokenIsComputedHoweverMuchIsThere) {
  const Recording r = served(sharing({{0, 8, 1}, {100, 8, 1}}, engine_of_blocks_of_four()));
  EXPECT_EQ(r.request(1).prefix_hit_tokens, 4) << "7 tokens are one whole block";
  EXPECT_EQ(r.request(1).finished, ms(114));
}

TEST_P(PrefixCaching, WhatIsFoundIsStillRead) {
  Pool pool = engine_of_blocks_of_four();
  pool.step_time = LinearStepCost{.base_seconds = 0.010, .seconds_per_prefill_pair = 0.001};
  const Recording r = served(sharing({{0, 12, 1}, {100, 12, 1}}, pool));
  EXPECT_EQ(r.request(0).finished, ms(10 + 12 * 13 / 2));
  EXPECT_EQ(r.request(1).finished, ms(100 + 10 + 4 * 8 + 4 * 5 / 2));
}

/// Two system prompts in turn, and four blocks: three for a request of nine tokens.
TEST_P(PrefixCaching, TheLongestUnusedGoFirstAndOfOneRequestItsEnd) {
  Pool pool = engine_of_blocks_of_four();
  pool.kv.blocks = 4;
  Scenario scenario = sharing({{0, 9, 1}, {100, 9, 1}, {200, 9, 1}, {300, 9, 1}}, pool);
  scenario.workload.front().prefix->groups = 2;
  scenario.workload.front().prefix->order = SharedPrefix::Order::round_robin;
  const Recording r = served(scenario);
  // B takes the block never used, A's third and A's second; A's first is found by the next A, which
  // takes B's third and second; B's first is found again.
  EXPECT_EQ(r.request(0).prefix_hit_tokens, 0);
  EXPECT_EQ(r.request(1).prefix_hit_tokens, 0);
  EXPECT_EQ(r.request(2).prefix_hit_tokens, 4);
  EXPECT_EQ(r.request(3).prefix_hit_tokens, 4);
  EXPECT_EQ(r.request(2).finished, ms(200 + 10 + 5));
}

/// Four blocks: B, with five tokens, is preempted at 33 ms by A, which decodes until 77 ms and
/// takes B's block that is not full.
Scenario one_preemption(Kv::OnPreemption on_preemption) {
  Pool pool = engine_of_blocks_of_four();
  pool.kv.blocks = 4;
  pool.kv.on_preemption = on_preemption;
  return scenario_of(logged({{0, 7, 6}, {0, 4, 4}}), pool);
}

TEST_P(PrefixCaching, APreemptedRequestFindsItsFullBlocks) {
  const Recording r = served(one_preemption(Kv::OnPreemption::keep));
  EXPECT_EQ(r.request(1).preemptions, 1);
  EXPECT_EQ(r.request(1).finished, ms(77 + 12 + 11)) << "2 of its 6 tokens are computed anew";
  EXPECT_EQ(r.request(1).prefix_hit_tokens, 0) << "when it first ran, nothing was there";
}

TEST_P(PrefixCaching, APreemptedRequestIsComputedAnewWhereItsBlocksAreDropped) {
  const Recording r = served(one_preemption(Kv::OnPreemption::drop));
  EXPECT_EQ(r.request(1).finished, ms(77 + 16 + 11));
}

/// One user: each turn adds six tokens and gets three.
Scenario conversation(std::int64_t max_context) {
  Scenario scenario = scenario_of(users(1, 3), engine_of_blocks_of_four());
  WorkloadClass& workload = scenario.workload.front();
  workload.input_tokens = fixed(6);
  workload.output_tokens = fixed(3);
  workload.session = Session{.turns = fixed(3), .max_context = max_context};
  return scenario;
}

TEST_P(PrefixCaching, AConversationFindsAllThatWasSaid) {
  const Recording r = served(conversation(0));
  EXPECT_EQ(r.request(0).input_tokens, 6);
  EXPECT_EQ(r.request(1).input_tokens, 6 + 3 + 6);
  EXPECT_EQ(r.request(2).input_tokens, 15 + 3 + 6);
  // 6 + 2 tokens were computed, and 15 + 2: the last token of an answer never is.
  EXPECT_EQ(r.request(1).prefix_hit_tokens, 8);
  EXPECT_EQ(r.request(2).prefix_hit_tokens, 16);
  EXPECT_EQ(r.request(0).finished, ms(16 + 11 + 11));
  EXPECT_EQ(r.request(1).finished, ms(38 + 17 + 11 + 11));
}

TEST_P(PrefixCaching, AConversationEndsBeforeItsPromptIsTooLong) {
  const Recording r = served(conversation(20));
  EXPECT_EQ(r.request(1).input_tokens, 15);
  EXPECT_EQ(r.request(2).input_tokens, 6) << "24 tokens are over 20: the user begins another";
  EXPECT_EQ(r.request(2).prefix_hit_tokens, 0);
}

INSTANTIATE_TEST_SUITE_P(Stepping, PrefixCaching,
                         testing::Values(Run::Stepping::fast, Run::Stepping::reference),
                         [](const auto& stepping) {
                           return stepping.param == Run::Stepping::fast ? "Fast" : "Reference";
                         });

}  // namespace
}  // namespace headway
