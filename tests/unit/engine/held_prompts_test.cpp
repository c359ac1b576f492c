// Prompts that are held back so that they are computed together: examples worked out by hand, with
// steps of 10 ms whatever is in them. Each holds with fast and with reference stepping.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

class HeldPrompts : public testing::TestWithParam<Run::Stepping> {
 protected:
  /// When each request had its first token, in ms.
  std::vector<double> first_tokens(const std::vector<Logged>& requests, const Pool& pool) const {
    Scenario scenario = scenario_of(logged(requests), pool);
    scenario.run.stepping = GetParam();
    const Recording told = run(scenario);
    std::vector<double> first;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      first.push_back(static_cast<double>(told.request(i).first_token) / 1e9);
    }
    return first;
  }
};

INSTANTIATE_TEST_SUITE_P(Stepping, HeldPrompts,
                         testing::Values(Run::Stepping::fast, Run::Stepping::reference),
                         [](const auto& stepping) {
                           return stepping.param == Run::Stepping::fast ? "Fast" : "Reference";
                         });

using Times = std::vector<double>;

/// Steps of 10 ms; prompts are held for 5 steps, or until a step has 50 tokens of 100.
Pool holding() {
  Pool pool = engine();
  pool.step_time = LinearStepCost{.base_seconds = 0.010};
  pool.batching.max_num_batched_tokens = 100;
  pool.batching.batch_wait_timeout_iters = 5;
  pool.batching.batch_wait_max_tokens_ratio = 0.5;
  return pool;
}

TEST_P(HeldPrompts, APromptHasItsFirstTokenFiveStepsLater) {
  Pool pool = holding();
  // It could be in the step from 60 ms on; is held at 60, 70, 80, 90 and 100; and is in that from
  // 110 ms on.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {55, 30, 3}}, pool), (Times{10, 120}));
  pool.batching.batch_wait_timeout_iters = 0;
  EXPECT_EQ(first_tokens({{0, 1, 100}, {55, 30, 3}}, pool), (Times{10, 70}));
}

TEST_P(HeldPrompts, AnAsynchronousEngineHoldsThePromptFromTheStepThatItCouldBeIn) {
  Pool pool = holding();
  pool.placement.engine.asynchronous = true;  // the step from 60 ms on is scheduled already
  EXPECT_EQ(first_tokens({{0, 1, 100}, {55, 30, 3}}, pool), (Times{10, 130}));
}

TEST_P(HeldPrompts, APromptThatComesMakesAStepOfEnoughTokens) {
  const Pool pool = holding();
  // From 40 ms on: one token for the first, 30 and 19.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {15, 30, 3}, {35, 19, 3}}, pool), (Times{10, 50, 50}));
  // 49 tokens are one too few: both come in after the five steps from 20 ms on.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {15, 30, 3}, {35, 18, 3}}, pool), (Times{10, 80, 80}));
}

TEST_P(HeldPrompts, OnlyPromptsWithFreeSlotsMakeUpTheTokens) {
  Pool pool = holding();
  pool.batching.max_num_seqs = 2;
  EXPECT_EQ(first_tokens({{0, 1, 100}, {15, 30, 1}, {35, 19, 3}}, pool), (Times{10, 80, 140}));
}

TEST_P(HeldPrompts, WithoutChunksOnlyPromptsThatFitMakeUpTheTokens) {
  Pool pool = holding();
  pool.batching.batch_wait_max_tokens_ratio = 0.9;
  const std::vector<Logged> requests = {{0, 1, 100}, {15, 60, 3}, {35, 45, 3}};
  EXPECT_EQ(first_tokens(requests, pool), (Times{10, 50, 60})) << "1 + 60 + 45, the last cut";
  pool.batching.chunked_prefill = false;
  // 1 + 60 from 20 ms on, held in five steps; then 2 + 45, held in five steps.
  EXPECT_EQ(first_tokens(requests, pool), (Times{10, 80, 140}));
}

TEST_P(HeldPrompts, WhoLeavesTheQueueIsNotCounted) {
  WorkloadClass hasty = logged({{0, 1, 1}, {22, 19, 3}});
  hasty.timeouts.queue = Distribution{};
  hasty.timeouts.queue->a = 0.006;  // gone at 28 ms
  Scenario scenario = scenario_of(logged({{0, 1, 100}, {15, 30, 3}}), holding());
  scenario.workload.push_back(hasty);
  scenario.run.stepping = GetParam();
  const auto first_token = [&] {
    for (const RequestRecord& record : run(scenario).departed) {
      if (record.input_tokens == 30) return record.first_token;
    }
    return kNever;
  };
  EXPECT_EQ(first_token(), ms(80)) << "from 30 ms on: 1 + 30 tokens";
  scenario.workload[1].timeouts.queue.reset();
  EXPECT_EQ(first_token(), ms(40)) << "from 30 ms on: 1 + 30 + 19 tokens";
}

TEST_P(HeldPrompts, NobodyWaitsWhereNothingDecodes) {
  const Pool pool = holding();
  EXPECT_EQ(first_tokens({{0, 10, 1}, {5, 10, 3}}, pool), (Times{10, 20}));
}

TEST_P(HeldPrompts, APromptThatWasBegunGoesOn) {
  Pool pool = holding();
  pool.batching.long_prefill_token_threshold = 20;
  // The second, of 50 tokens, is in steps from 20, 30 and 40 ms on. The third could come in at 30:
  // 1 + 20 + 9 tokens; at 40: 1 + 10 + 9; it comes in after five steps.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {15, 50, 3}, {25, 9, 3}}, pool), (Times{10, 50, 90}));
}

TEST_P(HeldPrompts, StepsWithoutRoomInTheCacheDoNotCount) {
  Pool pool = holding();
  pool.kv.block_tokens = 10;
  pool.kv.blocks = 4;
  pool.kv.reserve_all = true;
  // The first has two blocks until 190 ms, the second the two others from 70 ms (held in five steps
  // before) to 90 ms; from then on the third could come in, is held in five steps, and does.
  EXPECT_EQ(first_tokens({{0, 1, 19}, {15, 12, 2}, {16, 11, 3}}, pool), (Times{10, 80, 150}));
}

/// Two data-parallel ranks: at most 4 steps until each has a prompt, 2 more then.
Pool ranks() {
  Pool pool = holding();
  pool.placement.parallel.data = 2;
  pool.batching.attention_dp_timeout_iters = 4;
  pool.batching.attention_dp_batching_wait_iters = 2;
  return pool;
}

TEST_P(HeldPrompts, OneForTwoRanksIsLetInAtEachFourthStep) {
  // Both ranks decode in the steps from 10, 20, 30 and 40 ms on; the last of them is the fourth.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {0, 1, 100}, {25, 30, 100}, {45, 30, 100}}, ranks()),
            (Times{10, 10, 50, 90}));
}

TEST_P(HeldPrompts, OneForEachRankIsHeldTwoStepsMore) {
  // At 20 and 30 ms.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {0, 1, 100}, {15, 30, 9}, {16, 30, 9}}, ranks()),
            (Times{10, 10, 50, 50}));
  // One from 20 ms on, the other from 30 ms on: held at 20, and at 30 and 40 together.
  EXPECT_EQ(first_tokens({{0, 1, 100}, {0, 1, 100}, {15, 30, 9}, {26, 30, 9}}, ranks()),
            (Times{10, 10, 60, 60}));
}

TEST_P(HeldPrompts, ARankWithoutDecodesTakesAPromptAtOnce) {
  EXPECT_EQ(first_tokens({{0, 1, 100}, {15, 30, 9}}, ranks()), (Times{10, 30}));
}

}  // namespace
}  // namespace headway
