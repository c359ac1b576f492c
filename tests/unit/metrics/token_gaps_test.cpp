#include "sim/metrics/token_gaps.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

TEST(TokenGaps, AreCountedByWeightAndSummedExactly) {
  TokenGaps gaps;
  __int128 sum = 0;
  std::int64_t count = 0;
  for (int request = 0; request < 10'000; ++request) {
    const Picoseconds gap = 10'000'000'000 + request * 1'000'003LL;
    gaps.add(gap, 179);
    gaps.on_completion();
    sum += static_cast<__int128>(gap) * 179;
    count += 179;
  }
  const auto segments = gaps.segments(0, 10'000);
  EXPECT_LE(segments.size(), 65U);
  Histogram scratch;
  const SegmentStat all = merged(segments, scratch);
  EXPECT_EQ(all.count, count);
  EXPECT_TRUE(all.sum == sum);
  EXPECT_EQ(all.max, 10'000'000'000 + 9'999 * 1'000'003LL);
}

TEST(TokenGaps, LeaveOutThoseOfTheWarmUp) {
  TokenGaps gaps;
  for (int request = 0; request < 1'000; ++request) {
    gaps.add(request < 200 ? 1'000'000 : 1'000, 1);
    gaps.on_completion();
  }
  Histogram scratch;
  const SegmentStat all = merged(gaps.segments(200, 1'000), scratch);
  EXPECT_EQ(all.max, 1'000);
  EXPECT_GE(all.count, 600);
}

}  // namespace
}  // namespace headway
