// When a point has been measured often enough.
#include "calibration/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headway {
namespace {

TEST(MedianInterval, OfTwentyFiveSamplesSpansTheRanksSevenToNineteen) {
  std::vector<double> seconds;
  for (int i = 25; i >= 1; --i) seconds.push_back(i);
  const MedianInterval interval = median_interval(seconds);
  EXPECT_DOUBLE_EQ(interval.median, 13);
  // (25 ± 1.96 · 5) / 2 = 7.6 and 17.4: outwards to ranks 7 and 1 + 17.4 → 19.
  EXPECT_DOUBLE_EQ(interval.low, 7);
  EXPECT_DOUBLE_EQ(interval.high, 19);
  EXPECT_TRUE(interval.known);
}

TEST(MedianInterval, OfFiveSamplesIsNotKnown) {
  const MedianInterval interval = median_interval({5, 1, 4, 2, 3});
  EXPECT_DOUBLE_EQ(interval.median, 3);
  EXPECT_FALSE(interval.known);
  EXPECT_DOUBLE_EQ(median_interval({4, 1}).median, 2.5);
}

TEST(MedianInterval, HoldsTheTrueMedianNineteenTimesOfTwenty) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> times(0, 0.3);  // median 1
  int held = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> seconds(15);
    for (double& time : seconds) time = times(random);
    const MedianInterval interval = median_interval(seconds);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GT(held, 0.95 * kTrials - 2 * std::sqrt(kTrials * 0.05 * 0.95));
}

TEST(StoppingRule, QuietSamplesStopAtSixNoisyOnesAtALimit) {
  const StoppingRule rule;
  const std::vector<double> quiet(20, 1e-3);
  for (std::size_t count = 0; count <= 20; ++count)
    EXPECT_EQ(rule.done({quiet.begin(), quiet.begin() + static_cast<std::ptrdiff_t>(count)}, 0),
              count >= 6);
  std::vector<double> noisy;
  for (int i = 0; i < 60; ++i) {
    EXPECT_FALSE(rule.done(noisy, 0)) << i;
    noisy.push_back(i % 2 == 0 ? 1e-3 : 1.5e-3);
  }
  EXPECT_TRUE(rule.done(noisy, 0));
}

TEST(StoppingRule, AShareOfTimeEndsWithTwoSamplesOrMore) {
  const StoppingRule rule;
  EXPECT_FALSE(rule.done({}, 100));
  EXPECT_FALSE(rule.done({1}, 100));
  EXPECT_TRUE(rule.done({1, 1}, 0.5));
  EXPECT_FALSE(rule.done({1, 1}, 0.4));
}

}  // namespace
}  // namespace headway
