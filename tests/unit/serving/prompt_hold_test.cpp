// When prompts are held back: TensorRT-LLM's rules, step by step.
#include "sim/serving/prompt_hold.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace headway {
namespace {

/// At most 3 steps, or 45 tokens of 50.
Pool by_tokens() {
  Pool pool;
  pool.batching.max_num_batched_tokens = 50;
  pool.batching.batch_wait_timeout_iters = 3;
  pool.batching.batch_wait_max_tokens_ratio = 0.9;
  return pool;
}

/// Two ranks; at most 4 steps until each has a prompt, 2 more then.
Pool by_ranks() {
  Pool pool;
  pool.placement.parallel.data = 2;
  pool.batching.attention_dp_timeout_iters = 4;
  pool.batching.attention_dp_batching_wait_iters = 2;
  return pool;
}

/// The answers to so many steps that are alike: 'h' held, 'i' let in.
std::string answers(PromptHold& hold, const PromptHold::Step& step, int steps) {
  std::string told;
  for (int i = 0; i < steps; ++i) told += hold.lets_in(step) ? 'i' : 'h';
  return told;
}

TEST(PromptHold, IsOffUnlessBothOfItsBoundsAreGiven) {
  EXPECT_FALSE(PromptHold(Pool{}).on());
  EXPECT_TRUE(PromptHold(by_tokens()).on());
  Pool pool = by_tokens();
  pool.batching.batch_wait_timeout_iters = 0;
  EXPECT_FALSE(PromptHold(pool).on()) << "TensorRT-LLM: its counter has reached 0 at once";
  pool = by_tokens();
  pool.batching.batch_wait_max_tokens_ratio = 0;
  EXPECT_FALSE(PromptHold(pool).on()) << "TensorRT-LLM: 0 tokens are always there";
  pool = by_tokens();
  pool.placement.parallel.data = 2;
  EXPECT_FALSE(PromptHold(pool).on());
  EXPECT_TRUE(PromptHold(by_ranks()).on());
  pool = by_ranks();
  pool.placement.parallel.data = 1;
  EXPECT_FALSE(PromptHold(pool).on());
}

TEST(PromptHold, AStepOfFewTokensIsHeldThreeTimesAndThenLetIn) {
  PromptHold hold(by_tokens());
  EXPECT_EQ(answers(hold, {.decodes = 4, .prompts = 1, .tokens = 44}, 9), "hhhihhhih");
}

TEST(PromptHold, NineTenthsOfFiftyTokensAreEnough) {
  PromptHold hold(by_tokens());
  EXPECT_EQ(hold.enough_tokens(), 45);
  EXPECT_EQ(answers(hold, {.decodes = 4, .prompts = 1, .tokens = 44}, 2), "hh");
  EXPECT_TRUE(hold.lets_in({.decodes = 4, .prompts = 2, .tokens = 45}));
  EXPECT_EQ(answers(hold, {.decodes = 4, .prompts = 1, .tokens = 44}, 4), "hhhi") << "counts anew";
}

TEST(PromptHold, WithoutDecodesNobodyWaits) {
  PromptHold hold(by_tokens());
  EXPECT_EQ(answers(hold, {.decodes = 0, .prompts = 1, .tokens = 1}, 3), "iii");
}

TEST(PromptHold, StepsInWhichNobodyWaitsDoNotCountTowardsTokens) {
  PromptHold hold(by_tokens());
  EXPECT_EQ(answers(hold, {.decodes = 4, .prompts = 1, .tokens = 9}, 2), "hh");
  answers(hold, {.decodes = 4, .prompts = 0, .tokens = 4}, 10);
  EXPECT_EQ(answers(hold, {.decodes = 4, .prompts = 1, .tokens = 9}, 2), "hi");
}

TEST(PromptHold, FewerPromptsThanRanksAreLetInAtEachFourthStep) {
  PromptHold hold(by_ranks());
  EXPECT_EQ(answers(hold, {.decodes = 2, .prompts = 1}, 8), "hhhihhhi");
}

TEST(PromptHold, StepsInWhichNobodyWaitsCountTowardsTheTimeoutOfRanks) {
  PromptHold hold(by_ranks());
  answers(hold, {.decodes = 2, .prompts = 0}, 6);  // the fourth starts it anew
  EXPECT_EQ(answers(hold, {.decodes = 2, .prompts = 1}, 2), "hi");
}

TEST(PromptHold, APromptForEachRankIsHeldTwoStepsMore) {
  PromptHold hold(by_ranks());
  EXPECT_EQ(answers(hold, {.decodes = 2, .prompts = 1}, 3), "hhh");
  EXPECT_EQ(answers(hold, {.decodes = 2, .prompts = 2}, 3), "hhi");
  EXPECT_EQ(answers(hold, {.decodes = 2, .prompts = 1}, 4), "hhhi") << "counts anew";
}

TEST(PromptHold, ARankWithoutDecodesIsNotKeptIdle) {
  PromptHold hold(by_ranks());
  EXPECT_EQ(answers(hold, {.decodes = 1, .prompts = 1}, 3), "iii");
  EXPECT_EQ(answers(hold, {.decodes = 1, .prompts = 2}, 3), "iii");
}

/// What is passed over at once is what each step would have been told.
TEST(PromptHold, PassesOverStepsThatAreAlike) {
  for (const bool ranks : {false, true}) {
    const Pool pool = ranks ? by_ranks() : by_tokens();
    for (const std::int64_t prompts : {0, 1, 2}) {
      const PromptHold::Step step{.decodes = 2, .prompts = prompts, .tokens = 9};
      for (int before = 0; before < 6; ++before) {
        PromptHold one_by_one(pool);
        answers(one_by_one, {.decodes = 2, .prompts = 1, .tokens = 9}, before);
        PromptHold at_once = one_by_one;
        const bool first = one_by_one.lets_in(step);
        ASSERT_EQ(at_once.lets_in(step), first);
        if (first && prompts > 0) continue;
        const auto more = std::min<std::int64_t>(at_once.alike(), 11) - 1;
        at_once.pass(more);
        const std::string told = answers(one_by_one, step, static_cast<int>(more));
        if (prompts > 0) {
          EXPECT_EQ(told, std::string(static_cast<std::size_t>(more), 'h'));
        }
        for (const std::int64_t then : {1, 2}) {
          PromptHold a = one_by_one, b = at_once;
          const PromptHold::Step next{.decodes = 2, .prompts = then, .tokens = 9};
          EXPECT_EQ(answers(a, next, 12), answers(b, next, 12)) << before << ", " << prompts;
        }
      }
    }
  }
}

TEST(PromptHold, KnowsHowManyStepsAreAlike) {
  PromptHold tokens(by_tokens());
  tokens.lets_in({.decodes = 2, .prompts = 1, .tokens = 9});
  EXPECT_EQ(tokens.alike(), 3);  // this one and two more
  PromptHold ranks(by_ranks());
  ranks.lets_in({.decodes = 2, .prompts = 1});
  EXPECT_EQ(ranks.alike(), 3);
  ranks.lets_in({.decodes = 2, .prompts = 2});
  EXPECT_EQ(ranks.alike(), 2);
  ranks.lets_in({.decodes = 2, .prompts = 0});
  EXPECT_EQ(ranks.alike(), INT64_MAX) << "nobody waits";
}

}  // namespace
}  // namespace headway
