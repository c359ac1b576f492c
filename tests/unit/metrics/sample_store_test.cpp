#include "sim/metrics/sample_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headway {
namespace {

Sample sample(Picoseconds ttft, Picoseconds e2e, std::int32_t output) {
  Sample s;
  s.ttft = ttft;
  s.e2e = e2e;
  s.output_tokens = output;
  return s;
}

SegmentStat all_of(const SampleStore& store, Metric metric, SampleGroup group, SampleWindow w) {
  Histogram scratch;
  return merged(store.segments(metric, group, w), scratch);
}

TEST(SampleStore, PercentilesOfExactSamplesAreNumpysLinearOnes) {
  SampleStore store(std::vector<SloLimits>(1));
  // numpy.percentile([15, 20, 35, 40, 50], [0, 40, 50, 90, 99, 100]) = 15, 29, 35, 46, 49.6, 50
  for (const int v : {35, 20, 15, 50, 40}) store.add(sample(v, v * 1'000'000'000LL, 1));
  const SampleWindow w = store.window(0, 5);
  const auto q = store.exact_quantiles(Metric::e2e, kAllSamples, w,
                                       all_of(store, Metric::e2e, kAllSamples, w).histogram,
                                       {0, 0.4, 0.5, 0.9, 0.99, 1});
  const double expected[] = {15e9, 29e9, 35e9, 46e9, 49.6e9, 50e9};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(q[i], expected[i]);
}

TEST(SampleStore, ExactPercentilesAgreeWithASortedCopy) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> law(1);
  SampleStore store(std::vector<SloLimits>(1));
  std::vector<std::int64_t> values;
  for (int i = 0; i < 100'001; ++i) {
    values.push_back(static_cast<std::int64_t>(law(random) * 1e12));
    store.add(sample(0, values.back(), 1));
  }
  std::sort(values.begin(), values.end());
  const SampleWindow w = store.window(0, store.size());
  const auto q = store.exact_quantiles(Metric::e2e, kAllSamples, w,
                                       all_of(store, Metric::e2e, kAllSamples, w).histogram,
                                       {0.5, 0.9, 0.99, 0.99999});
  EXPECT_EQ(q[0], static_cast<double>(values[50'000]));
  EXPECT_EQ(q[1], static_cast<double>(values[90'000]));
  EXPECT_EQ(q[2], static_cast<double>(values[99'000]));
  EXPECT_NEAR(q[3], static_cast<double>(values[99'999]), 1);
}

TEST(SampleStore, TpotIsTheTimeAfterTheFirstTokenOverTheTokensThatFollow) {
  SampleStore store(std::vector<SloLimits>(1));
  store.add(sample(500, 2500, 21));  // 2000 / 20
  store.add(sample(500, 500, 1));    // no TPOT
  store.add(sample(500, 1100, 3));   // 600 / 2
  const SegmentStat tpot = all_of(store, Metric::tpot, kAllSamples, store.window(0, 3));
  EXPECT_EQ(tpot.count, 2);
  EXPECT_EQ(tpot.sum, 100 + 300);
  EXPECT_EQ(tpot.max, 300);
}

TEST(SampleStore, FoldingKeepsCountsSumsAndMaximaExactly) {
  SampleStore store(std::vector<SloLimits>(1));
  __int128 sum = 0;
  Picoseconds max = 0;
  std::mt19937_64 random(4);
  constexpr std::int64_t n = 2'500'000;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto v = static_cast<Picoseconds>(random() >> 3);  // up to 2.3e18: sums pass 64 bits
    sum += v;
    max = std::max(max, v);
    store.add(sample(v / 2, v, 1));
  }
  EXPECT_FALSE(store.exact());
  EXPECT_EQ(store.size(), n);
  const auto segments = store.segments(Metric::e2e, kAllSamples, store.window(0, n));
  EXPECT_GE(segments.size(), 32U);
  EXPECT_LE(segments.size(), 64U);
  Histogram scratch;
  const SegmentStat all = merged(segments, scratch);
  EXPECT_EQ(all.count, n);
  EXPECT_TRUE(all.sum == sum);
  EXPECT_EQ(all.max, max);
  EXPECT_EQ(all.histogram.count, n);
}

TEST(SampleStore, PercentilesBeyondAMillionAreWithinATenthOfAPercent) {
  SampleStore store(std::vector<SloLimits>(1));
  std::mt19937_64 random(5);
  std::exponential_distribution<double> law(1);
  std::vector<double> values;
  for (int i = 0; i < 1'200'000; ++i) {
    values.push_back(std::floor(law(random) * 1e12));
    store.add(sample(0, static_cast<Picoseconds>(values.back()), 1));
  }
  std::sort(values.begin(), values.end());
  const SegmentStat all = all_of(store, Metric::e2e, kAllSamples, store.window(0, store.size()));
  for (const double p : {0.5, 0.9, 0.99, 0.999}) {
    const double exact = values[static_cast<std::size_t>(p * 1'199'999)];
    EXPECT_NEAR(all.histogram.quantile(p), exact, 0.001 * exact) << p;
  }
}

TEST(SampleStore, ExactlyAMillionSamplesAreStillExact) {
  SampleStore store(std::vector<SloLimits>(1));
  for (int i = 0; i < 1'000'000; ++i) store.add(sample(1, 1, 1));
  EXPECT_TRUE(store.exact());
  store.add(sample(1, 1, 1));
  EXPECT_FALSE(store.exact());
}

TEST(SampleStore, FoldedSamplesAreCutAtSegmentsOnly) {
  SampleStore store(std::vector<SloLimits>(1));
  for (int i = 0; i < 1'100'000; ++i) store.add(sample(i, i, 1));
  const SampleWindow w = store.window(10, 1'099'999);
  EXPECT_GT(w.begin, 10);
  EXPECT_EQ(w.begin % SampleStore::kChunk, 0);
  EXPECT_EQ(w.end, 1'099'999);  // not yet folded: cut where asked
  EXPECT_EQ(all_of(store, Metric::e2e, kAllSamples, w).count, w.size());
  EXPECT_EQ(store.good(samples_of_class(0), w).count, w.size());
  // Σ i over the window.
  const __int128 sum = static_cast<__int128>(w.end - w.begin) * (w.begin + w.end - 1) / 2;
  EXPECT_TRUE(all_of(store, Metric::e2e, kAllSamples, w).sum == sum);
}

TEST(SampleStore, ClassesAreToldApartBeforeAndAfterFolding) {
  for (const int n : {30'000, 1'300'000}) {
    SloLimits strict;
    strict.e2e = 999;
    SampleStore store(std::vector<SloLimits>{{}, strict});
    for (int i = 0; i < n; ++i) {
      Sample s = sample(10, i % 3 == 0 ? 1000 : 900, 1);
      s.workload_class = i % 3 == 0;
      store.add(s);
    }
    const SampleWindow w = store.window(0, n);
    EXPECT_EQ(all_of(store, Metric::e2e, samples_of_class(0), w).sum,
              900 * static_cast<__int128>(n - (n + 2) / 3));
    EXPECT_EQ(all_of(store, Metric::e2e, samples_of_class(1), w).count, (n + 2) / 3);
    EXPECT_EQ(all_of(store, Metric::e2e, kAllSamples, w).count, n);
    EXPECT_EQ(store.good(samples_of_class(0), w).good, n - (n + 2) / 3);
    EXPECT_EQ(store.good(samples_of_class(1), w).good, 0);
  }
}

// Two classes over three pools, in turn: a sixth of the samples is of each pair.
TEST(SampleStore, PoolsAreToldApartWhateverTheClassBeforeAndAfterFolding) {
  for (const std::int64_t n : {30'000, 1'200'000}) {
    SloLimits strict;
    strict.e2e = 999;
    SampleStore store(std::vector<SloLimits>{{}, strict}, 3);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto pool = static_cast<std::uint32_t>(i % 3);
      Sample s = sample(10 + pool, 1000 + pool, 101);
      s.workload_class = static_cast<std::uint32_t>(i % 2);
      s.pool = pool;
      store.add(s);
    }
    const SampleWindow w = store.window(0, n);
    for (std::uint32_t pool = 0; pool < 3; ++pool) {
      const SampleGroup group = samples_of_pool(pool);
      EXPECT_EQ(all_of(store, Metric::ttft, group, w).sum, n / 3 * (10 + pool));
      EXPECT_EQ(all_of(store, Metric::e2e, group, w).max, 1000 + pool);
      EXPECT_EQ(all_of(store, Metric::tpot, group, w).count, n / 3);  // (990 + 50) / 100 each
      EXPECT_EQ(all_of(store, Metric::tpot, group, w).max, 10);
      EXPECT_EQ(store.good(group, w).count, n / 3);
      EXPECT_EQ(store.good(group, w).good, n / 6);  // those of the class without a promise
    }
    EXPECT_EQ(all_of(store, Metric::e2e, samples_of_class(1), w).count, n / 2);
  }
}

TEST(SampleStore, ADelayThatComesLateLeavesTheEarlierOnesAtZero) {
  for (const int n : {1'000, 1'200'000}) {
    SampleStore store(std::vector<SloLimits>(1));
    for (int i = 0; i < n; ++i) store.add(sample(50, 100, 1));
    EXPECT_FALSE(store.has_delays());
    Sample late = sample(50, 100, 1);
    late.client_delay = 30;
    store.add(late);
    EXPECT_TRUE(store.has_delays());
    const SampleWindow w = store.window(0, store.size());
    EXPECT_EQ(all_of(store, Metric::client_delay, kAllSamples, w).sum, 30);
    EXPECT_EQ(all_of(store, Metric::client_delay, kAllSamples, w).count, n + 1);
    EXPECT_TRUE(all_of(store, Metric::e2e_from_sent, kAllSamples, w).sum == 100LL * n + 70);
    EXPECT_TRUE(all_of(store, Metric::ttft_from_sent, kAllSamples, w).sum == 50LL * n + 20);
  }
}

TEST(SampleStore, ARequestIsGoodWhenItMeetsAllLimits) {
  const SloLimits limits{100, 10, kNever};
  EXPECT_TRUE(limits.good(100, 200, 11));   // TPOT 10
  EXPECT_FALSE(limits.good(100, 201, 11));  // TPOT 10.1
  EXPECT_FALSE(limits.good(101, 150, 11));
  EXPECT_TRUE(limits.good(100, 100, 1));  // no TPOT
  EXPECT_TRUE(SloLimits{}.good(kNever - 1, kNever - 1, 5));
}

}  // namespace
}  // namespace headway
