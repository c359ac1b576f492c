#include "sim/metrics/histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace headway {
namespace {

TEST(Histogram, EveryValueIsRepresentedWithinATenthOfAPercent) {
  std::mt19937_64 random(1);
  for (int bits = 1; bits < 63; ++bits) {
    for (int i = 0; i < 200; ++i) {
      const auto value = static_cast<std::int64_t>((std::uint64_t{1} << bits) +
                                                   random() % (std::uint64_t{1} << bits));
      const double stands_for = histogram_value(histogram_bin(value));
      EXPECT_LE(std::abs(stands_for - static_cast<double>(value)),
                0.001 * static_cast<double>(value))
          << value;
    }
  }
}

TEST(Histogram, BinsAreOrderedAndCoverAllPicoseconds) {
  EXPECT_EQ(histogram_bin(-5), 0U);
  EXPECT_EQ(histogram_bin(0), 0U);
  EXPECT_EQ(histogram_bin(1023), 1023U);
  EXPECT_EQ(histogram_bin(1024), 1024U);
  EXPECT_EQ(histogram_bin(1025), 1024U);
  EXPECT_EQ(histogram_bin(INT64_MAX), kBins - 1);
  for (std::uint32_t bin = 1; bin < kBins; ++bin) {
    ASSERT_GT(histogram_value(bin), histogram_value(bin - 1));
  }
}

TEST(Histogram, SmallNumbersAreExact) {
  Histogram h;
  for (int i = 0; i < 5; ++i) h.add(i * 10);  // 0 10 20 30 40
  EXPECT_DOUBLE_EQ(h.sparse().quantile(0), 0);
  EXPECT_DOUBLE_EQ(h.sparse().quantile(0.5), 20);
  EXPECT_DOUBLE_EQ(h.sparse().quantile(0.9), 36);  // numpy.percentile([0, 10, 20, 30, 40], 90)
  EXPECT_DOUBLE_EQ(h.sparse().quantile(1), 40);
}

TEST(Histogram, QuantilesOfAMillionAreWithinATenthOfAPercent) {
  std::mt19937_64 random(2);
  std::lognormal_distribution<double> law(25, 1.5);
  std::vector<std::int64_t> values;
  Histogram h;
  for (int i = 0; i < 1'000'000; ++i) {
    values.push_back(static_cast<std::int64_t>(law(random)));
    h.add(values.back());
  }
  std::sort(values.begin(), values.end());
  const SparseHistogram sparse = h.sparse();
  for (const double p : {0.01, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(p * 999'999)]);
    EXPECT_NEAR(sparse.quantile(p), exact, 0.001 * exact + 1) << p;
  }
}

TEST(Histogram, MergingTwoIsAddingToOne) {
  Histogram a, b, both;
  for (std::int64_t v = 1; v < 5000; v += 7) a.add(v * v), both.add(v * v);
  for (std::int64_t v = 2; v < 9000; v += 5) b.add(v * 1000, 3), both.add(v * 1000, 3);
  SparseHistogram merged = a.take();
  merged.merge(b.sparse());
  const SparseHistogram expected = both.sparse();
  EXPECT_EQ(a.count(), 0);
  EXPECT_EQ(merged.count, expected.count);
  ASSERT_EQ(merged.entries.size(), expected.entries.size());
  for (std::size_t i = 0; i < merged.entries.size(); ++i) {
    EXPECT_EQ(merged.entries[i].bin, expected.entries[i].bin);
    EXPECT_EQ(merged.entries[i].count, expected.entries[i].count);
  }
}

TEST(Histogram, CountsAtMostAValue) {
  Histogram h;
  for (int i = 1; i <= 100; ++i) h.add(i);
  const SparseHistogram s = h.sparse();
  EXPECT_DOUBLE_EQ(s.count_at_most(0), 0);
  EXPECT_DOUBLE_EQ(s.count_at_most(37), 37);
  EXPECT_DOUBLE_EQ(s.count_at_most(1e15), 100);
}

TEST(Histogram, AnEmptyOneHasNoValues) {
  EXPECT_EQ(Histogram().sparse().quantile(0.99), 0);
  EXPECT_EQ(Histogram().count(), 0);
}

}  // namespace
}  // namespace headway
