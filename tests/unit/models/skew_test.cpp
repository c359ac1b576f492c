#include "models/skew.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

// LLMServingSim, profiler/perf/RTXPRO6000/meta-llama/Llama-3.1-8B/bf16/tp1/skew_fit.csv: α of mixed
// batches (chunks of 16 to 511 tokens, unequal contexts at their middle levels), 8 KV heads.
TEST(MixedSkew, FollowsWhatWasFittedOnMeasuredKernels) {
  const struct {
    double sequences, alpha;
  } kFitted[] = {{4, 0.927}, {8, 0.390}, {16, 0.268}, {32, 0.111}, {64, 0.046}, {128, 0.030}};
  for (const auto& one : kFitted)
    EXPECT_NEAR(mixed_skew(8, one.sequences), one.alpha, 0.06) << one.sequences;
}

TEST(MixedSkew, IsWholeForOneSequenceAndKnowsHeadsOnlyByTheirNumber) {
  EXPECT_EQ(mixed_skew(8, 1), 1);
  EXPECT_EQ(mixed_skew(8, 16), mixed_skew(4, 32));
}

// An RTX PRO 6000 has 188 multiprocessors, two places each; 0.8 of them filled is 301 heads.
TEST(Waves, FillTheCardsPlacesAtLeastOnce) {
  EXPECT_EQ(waves(301, 301), 1);
  EXPECT_NEAR(waves(2 * 376, 301), 2, 0.002);
  EXPECT_NEAR(waves(1024, 301), 2.72, 0.005);
}

}  // namespace
}  // namespace headway
