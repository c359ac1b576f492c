#include "sim/metrics/warm_up.hpp"

#include <gtest/gtest.h>

#include <random>

namespace headway {
namespace {

TEST(WarmUp, MserCutsAnInjectedTransient) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 1);
  std::vector<double> means;
  for (int i = 0; i < 2000; ++i) {
    means.push_back(100 + noise(random) + (i < 200 ? 50.0 * (200 - i) / 200 : 0.0));
  }
  const Truncation cut = mser(means);
  EXPECT_TRUE(cut.settled);
  EXPECT_GE(cut.batches, 180U);
  EXPECT_LE(cut.batches, 260U);
}

TEST(WarmUp, MserLeavesASteadyRunNearlyWhole) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(100, 10);
  std::vector<double> means(2000);
  for (double& m : means) m = noise(random);
  EXPECT_LE(mser(means).batches, 40U);
}

TEST(WarmUp, ARunThatNeverSettlesIsCutByHalfAtMostAndSaysSo) {
  std::vector<double> means;
  for (int i = 0; i < 1000; ++i) means.push_back(i);
  const Truncation cut = mser(means);
  EXPECT_FALSE(cut.settled);
  EXPECT_LE(cut.batches, 500U);
}

TEST(WarmUp, MserFollowsItsFormula) {
  // d = 0: mean 4.8, Σ squares 64.8 / 25 = 2.592; d = 1: 3, 0 / 16; d = 2: 3, 0 / 9: ties go to the
  // smallest d.
  EXPECT_EQ(mser({12, 3, 3, 3, 3}).batches, 1U);
}

TEST(WarmUp, FoldedBatchesKeepTheMeansOfWhatTheyHold) {
  FoldingBatches batches;
  const std::int64_t n = 5 * 4096 * 3;
  for (std::int64_t i = 0; i < n; ++i) batches.add(i, 10 * (i + 1));
  EXPECT_LT(batches.means().size(), FoldingBatches::kMost);
  EXPECT_EQ(batches.batch_size(), 20);
  EXPECT_EQ(static_cast<std::int64_t>(batches.means().size()), n / 20);
  for (std::size_t b = 0; b < batches.means().size(); ++b) {
    ASSERT_DOUBLE_EQ(batches.means()[b], 20.0 * static_cast<double>(b) + 9.5);
  }
}

TEST(WarmUp, TimeOfACountIsExactAtBatchesAndInterpolatedWithin) {
  FoldingBatches batches;
  for (int i = 0; i < 50; ++i) batches.add(1, (i + 1) * Time{1'000'000'000'000});
  const Time end = 50 * Time{1'000'000'000'000};
  EXPECT_DOUBLE_EQ(batches.seconds_at(0, end), 0);
  EXPECT_DOUBLE_EQ(batches.seconds_at(5, end), 5);
  EXPECT_DOUBLE_EQ(batches.seconds_at(12, end), 12);
  EXPECT_DOUBLE_EQ(batches.seconds_at(50, end), 50);
}

}  // namespace
}  // namespace headway
