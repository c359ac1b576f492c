#include "sim/metrics/batch_means.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace headway {
namespace {

/// A store of E2E values: 1000 + 100 · an AR(1) process of unit variance, in nanoseconds.
SampleStore autoregressive(double correlation, int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SampleStore store(std::vector<SloLimits>(1));
  double x = normal(random);
  for (int i = 0; i < n; ++i) {
    Sample s;
    s.e2e = std::llround((1000 + 100 * x) * 1e3);
    store.add(s);
    x = correlation * x + std::sqrt(1 - correlation * correlation) * normal(random);
  }
  return store;
}

std::vector<SegmentStat> segments_of(const SampleStore& store) {
  return store.segments(Metric::e2e, kAllSamples, store.window(0, store.size()));
}

TEST(BatchMeans, StudentsTIsThatOfTheTables) {
  EXPECT_NEAR(student_t_975(7), 2.365, 0.004);
  EXPECT_NEAR(student_t_975(15), 2.131, 0.001);
  EXPECT_NEAR(student_t_975(30), 2.042, 0.001);
  EXPECT_NEAR(student_t_975(63), 1.998, 0.001);
}

TEST(BatchMeans, LagOneOfKnownSeries) {
  EXPECT_DOUBLE_EQ(lag1_autocorrelation({3, 3, 3, 3}), 0);
  EXPECT_DOUBLE_EQ(lag1_autocorrelation({1, -1, 1, -1}), -0.75);
  EXPECT_DOUBLE_EQ(lag1_autocorrelation({-2, -1, 0, 1, 2}), 0.4);  // (2 + 0 + 0 + 2) / 10
}

/// How many of 200 runs' intervals hold the true value.
struct Coverage {
  int intervals = 0, hold_mean = 0, intervals_p90 = 0, hold_p90 = 0;
};
Coverage coverage(double correlation, int n) {
  Coverage c;
  Histogram scratch;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const SampleStore store = autoregressive(correlation, n, seed);
    const auto segments = segments_of(store);
    const SegmentStat all = merged(segments, scratch);
    if (const auto half = mean_half_width(segments)) {
      ++c.intervals;
      c.hold_mean += std::abs(all.mean() - 1000e3) <= *half;
    }
    const double p90 = all.histogram.quantile(0.9);
    if (const auto half = quantile_half_width(segments, all.histogram, 0.9, p90)) {
      ++c.intervals_p90;
      c.hold_p90 += std::abs(p90 - (1000 + 100 * 1.2815515655) * 1e3) <= *half;
    }
  }
  return c;
}

void expect_honest(int hold, int intervals) {
  EXPECT_GE(hold, 0.88 * intervals) << hold << " of " << intervals;
  EXPECT_LE(hold, 0.995 * intervals) << hold << " of " << intervals;
}

TEST(BatchMeans, NinetyFivePerCentIntervalsOfIndependentSamplesHoldTheTruth) {
  const Coverage c = coverage(0, 5'000);
  EXPECT_GE(c.intervals, 190);
  EXPECT_GE(c.intervals_p90, 190);
  expect_honest(c.hold_mean, c.intervals);
  expect_honest(c.hold_p90, c.intervals_p90);
}

TEST(BatchMeans, NinetyFivePerCentIntervalsOfCorrelatedSamplesHoldTheTruth) {
  const Coverage c = coverage(0.95, 20'000);
  EXPECT_GE(c.intervals, 180);
  EXPECT_GE(c.intervals_p90, 150);
  expect_honest(c.hold_mean, c.intervals);
  expect_honest(c.hold_p90, c.intervals_p90);
}

TEST(BatchMeans, ARunShorterThanItsMemoryHasNoInterval) {
  int intervals = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    intervals += mean_half_width(segments_of(autoregressive(0.9995, 3'000, seed))).has_value();
  }
  EXPECT_LE(intervals, 3);
}

TEST(BatchMeans, AHundredSamplesHaveNoInterval) {
  EXPECT_FALSE(mean_half_width(segments_of(autoregressive(0, 100, 1))).has_value());
}

TEST(BatchMeans, AConstantHasAnIntervalOfNoWidth) {
  SampleStore store(std::vector<SloLimits>(1));
  Sample s;
  s.e2e = 123'456'789'012;
  for (int i = 0; i < 1'000; ++i) store.add(s);
  const auto segments = segments_of(store);
  Histogram scratch;
  const SegmentStat all = merged(segments, scratch);
  EXPECT_EQ(mean_half_width(segments), 0.0);
  EXPECT_EQ(quantile_half_width(segments, all.histogram, 0.99, all.histogram.quantile(0.99)), 0.0);
}

TEST(BatchMeans, ThePercentileOfAHandfulOfSamplesHasNoInterval) {
  const auto segments = segments_of(autoregressive(0, 5'000, 1));
  Histogram scratch;
  const SegmentStat all = merged(segments, scratch);
  const double p999 = all.histogram.quantile(0.999);  // 5 samples beyond it
  EXPECT_FALSE(quantile_half_width(segments, all.histogram, 0.999, p999).has_value());
}

}  // namespace
}  // namespace headway
