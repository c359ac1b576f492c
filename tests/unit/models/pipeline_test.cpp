// Pipelines: micro-batches, unequal stages, drains.
#include <gtest/gtest.h>

#include "models/micro_batches.hpp"
#include "models/profile_cost.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

StepShape beside(std::int32_t decodes, std::int64_t chunk) {
  StepShape shape = decode_shape(decodes, 1000);
  shape.prefill_tokens = chunk;
  shape.prefill_pairs = chunk * (chunk + 1) / 2;
  shape.prefill_sequences = 1;
  ++shape.sampled;
  return shape;
}

TEST(MicroBatches, AreAsManyAsThereAreSequencesAndStagesAtMost) {
  EXPECT_EQ(micro_batches(decode_shape(1, 100), 4, 8192).count, 1);
  EXPECT_EQ(micro_batches(decode_shape(3, 100), 4, 8192).count, 3);
  const MicroBatches four = micro_batches(decode_shape(101, 100), 4, 8192);
  EXPECT_EQ(four.count, 4);
  EXPECT_EQ(four.fullest.decode_sequences, 26);
  EXPECT_EQ(four.fullest.decode_context, 2600);
  EXPECT_EQ(four.fullest.sampled, 26);
  EXPECT_EQ(four.drain, 0);
}

/// A prompt chunk within the budget of one micro-batch is not spread over several.
TEST(MicroBatches, CarryAPromptChunkInOneOfThem) {
  const MicroBatches batches = micro_batches(beside(100, 4000), 4, 8192);
  EXPECT_EQ(batches.fullest.prefill_tokens, 4000);
  EXPECT_EQ(batches.fullest.decode_sequences, 25);
  EXPECT_EQ(batches.fullest.sampled, 26);
  EXPECT_EQ(batches.drain, 0);
}

TEST(MicroBatches, CarryALongPromptInPiecesOneBehindTheOther) {
  const MicroBatches batches = micro_batches(prefill_shape(6144), 4, 2048);
  EXPECT_EQ(batches.count, 3);
  EXPECT_EQ(batches.fullest.prefill_tokens, 2048);
  EXPECT_EQ(batches.fullest.prefill_pairs, prefill_shape(6144).prefill_pairs / 3);
  EXPECT_DOUBLE_EQ(batches.drain, 2.0 / 4);  // two pieces more, a stage each
  // A full round has more behind it.
  EXPECT_EQ(micro_batches(prefill_shape(8192), 4, 2048).drain, 0);
}

/// 10 chunks of a prompt through 4 stages take 13 times a stage: two full rounds of 4 chunks, and
/// one of 2 with its drain.
TEST(MicroBatches, OfALonePromptTakeItsChunksAndTheStagesLessOne) {
  const auto round = [](std::int64_t tokens) {
    return round_seconds(micro_batches(prefill_shape(tokens), 4, 1000), 4, 40, 1.0, 0, 0);
  };
  EXPECT_DOUBLE_EQ(round(4000) + round(4000) + round(2000), 13.0 / 4);
}

/// The second piece of 1,001 tokens, a single token, follows a thousandth of a stage's time later.
TEST(MicroBatches, OfATokenMoreThanTheBudgetTakeATokenLonger) {
  const MicroBatches batches = micro_batches(prefill_shape(1001), 4, 1000);
  EXPECT_EQ(batches.count, 2);
  EXPECT_EQ(batches.fullest.prefill_tokens, 1000);
  EXPECT_NEAR(batches.drain, 0.001 / 4, 1e-12);
}

/// 10 layers on 4 stages: 2, 3, 3 and 2. Four micro-batches wait for three layers each.
TEST(MicroBatches, WaitForTheSlowestStage) {
  const MicroBatches four = micro_batches(decode_shape(8, 100), 4, 8192);
  EXPECT_DOUBLE_EQ(round_seconds(four, 4, 10, 1.0, 0, 0), 4 * 0.3);
  EXPECT_DOUBLE_EQ(round_seconds(four, 4, 8, 1.0, 0, 0), 1.0);
  // The LM head, a tenth of the layers' time, makes the last stage the slowest.
  EXPECT_DOUBLE_EQ(round_seconds(four, 4, 8, 1.0, 0.1, 0), 4 * (0.25 + 0.1));
  // One micro-batch waits for nobody: three stages out of four idle.
  const MicroBatches one = micro_batches(decode_shape(1, 100), 4, 8192);
  EXPECT_DOUBLE_EQ(round_seconds(one, 4, 10, 1.0, 0.1, 0), 1.1);
}

TEST(Pipeline, GivesALoneRequestNothingAndManyRequestsThroughput) {
  Placement one = place("llama-2-13b", "a100-sxm-80gb"), four = one;
  four.parallel.pipeline = 4;
  const auto whole = make_profile_cost(one, {}), staged = make_profile_cost(four, {});
  const auto ratio = [&](const StepShape& shape) {
    return static_cast<double>(staged->step(shape)) / static_cast<double>(whole->step(shape));
  };
  EXPECT_GT(ratio(decode_shape(1, 500)), 1);
  EXPECT_LT(ratio(decode_shape(1, 500)), 1.1);
  EXPECT_GT(ratio(prefill_shape(2048)), 0.99);  // a lone prompt passes the stages in turn
  EXPECT_LT(ratio(decode_shape(256, 500)), 0.75);
}

TEST(Pipeline, AccountsForTheWholeRound) {
  Placement placement = place("llama-2-13b", "a100-sxm-80gb");
  placement.parallel.pipeline = 3;
  const auto cost = make_profile_cost(placement, {});
  for (const StepShape& shape : {decode_shape(1, 100), decode_shape(50, 900), beside(30, 20000)}) {
    const StepLimits limits = cost->limits(shape);
    EXPECT_EQ(limits.compute + limits.memory_bandwidth + limits.network + limits.host,
              cost->step(shape));
  }
}

}  // namespace
}  // namespace headway
