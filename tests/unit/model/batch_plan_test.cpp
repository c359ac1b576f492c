// Whole batches, padded; and spans cut short.
#include "sim/model/batch_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim/model/events.hpp"
#include "sim/model/replica.hpp"

namespace headway {
namespace {

TEST(BatchPlan, KvBlocksArePaddedToTheLongestPromptAndAnswer) {
  const BatchPlan plan{3, 100, 29};  // 128 tokens a sequence
  EXPECT_EQ(plan.kv_blocks(16), 3 * 8);
  EXPECT_EQ(plan.kv_blocks(100), 3 * 2);
  EXPECT_EQ(plan.kv_blocks(1), 3 * 128);
}

TEST(BatchPlan, PrefillGoesThroughTheSequencesWithinTheBudget) {
  // Two sequences of 5 tokens, 4 tokens a step: 4 | 1 + 3 | 2.
  const BatchPlan plan{2, 5, 1};
  std::int64_t done = 0;
  const StepShape first = batch_prefill_step(plan, 4, done);
  EXPECT_EQ(done, 4);
  EXPECT_EQ(first.prefill_tokens, 4);
  EXPECT_EQ(first.prefill_pairs, 1 + 2 + 3 + 4);
  EXPECT_EQ(first.prefill_sequences, 1);
  EXPECT_EQ(first.sampled, 0);
  const StepShape second = batch_prefill_step(plan, 4, done);
  EXPECT_EQ(done, 8);
  EXPECT_EQ(second.prefill_tokens, 4);
  EXPECT_EQ(second.prefill_pairs, 5 + (1 + 2 + 3));
  EXPECT_EQ(second.prefill_sequences, 2);
  EXPECT_EQ(second.sampled, 1);
  const StepShape third = batch_prefill_step(plan, 4, done);
  EXPECT_EQ(done, 10);
  EXPECT_EQ(third.prefill_tokens, 2);
  EXPECT_EQ(third.prefill_pairs, 4 + 5);
  EXPECT_EQ(third.sampled, 1);
}

TEST(BatchPlan, EverySplitOfThePrefillHasTheSamePairsInAll) {
  const BatchPlan plan{7, 123, 1};
  for (const std::int64_t budget : {1, 10, 123, 200, 5000}) {
    std::int64_t pairs = 0, tokens = 0, sampled = 0;
    for (std::int64_t done = 0; done < 7 * 123;) {
      const StepShape shape = batch_prefill_step(plan, budget, done);
      ASSERT_LE(shape.prefill_tokens, budget);
      tokens += shape.prefill_tokens;
      pairs += shape.prefill_pairs;
      sampled += shape.sampled;
    }
    EXPECT_EQ(tokens, 7 * 123);
    EXPECT_EQ(pairs, 7 * 123 * 124 / 2);
    EXPECT_EQ(sampled, 7);
  }
}

TEST(StepSpan, ClippedKeepsItsLimitsInProportion) {
  StepSpan span;
  span.start = 100;
  span.end = 500;
  span.limits = {200, 100, 40, 60};
  const StepSpan half = clip(span, 300);
  EXPECT_EQ(half.start, 100);
  EXPECT_EQ(half.end, 300);
  EXPECT_EQ(half.limits.compute, 100);
  EXPECT_EQ(half.limits.memory_bandwidth, 50);
  EXPECT_EQ(half.limits.network, 20);
  EXPECT_EQ(half.limits.host, 30);
  EXPECT_EQ(clip(span, 500).limits.compute, 200) << "a span that is over stays as it is";
  EXPECT_EQ(clip(span, 900).end, 500);
}

TEST(Outcomes, EveryOutcomeHasItsName) {
  const std::vector<std::string> names = {"completed",
                                          "queue full",
                                          "larger than the KV cache",
                                          "longer than max_model_len",
                                          "over the rate limit",
                                          "too many inside",
                                          "no replica ready",
                                          "timed out",
                                          "client hung up",
                                          "lost with its replica"};
  ASSERT_EQ(names.size(), static_cast<std::size_t>(kOutcomes));
  for (int i = 0; i < kOutcomes; ++i) {
    EXPECT_EQ(outcome_name(static_cast<Outcome>(i)), names[static_cast<std::size_t>(i)]);
  }
}

}  // namespace
}  // namespace headway
