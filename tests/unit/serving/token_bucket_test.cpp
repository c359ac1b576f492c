// What a token bucket lets through, by hand.
#include "sim/serving/token_bucket.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;

/// Takes the amount if it is there.
bool pass(TokenBucket& bucket, std::int64_t amount, Time now) {
  if (!bucket.holds(amount, now)) return false;
  bucket.take(amount);
  return true;
}

TEST(TokenBucket, ABurstEmptiesItAndTheRateRefillsIt) {
  TokenBucket bucket(2, 5);  // 10 tokens
  EXPECT_EQ(bucket.capacity(), 10);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(pass(bucket, 1, 0)) << i;
  EXPECT_FALSE(pass(bucket, 1, 0));
  EXPECT_FALSE(pass(bucket, 1, kSecond / 2 - 1)) << "a picosecond early";
  EXPECT_TRUE(pass(bucket, 1, kSecond / 2));
  EXPECT_FALSE(pass(bucket, 1, kSecond / 2));
  EXPECT_FALSE(pass(bucket, 4, kSecond * 5 / 2 - 1));
  EXPECT_TRUE(pass(bucket, 4, kSecond * 5 / 2)) << "2 s at 2 a second";
}

TEST(TokenBucket, AFullOneStaysFull) {
  TokenBucket bucket(2, 5);
  EXPECT_TRUE(pass(bucket, 10, 0));
  EXPECT_TRUE(pass(bucket, 10, 1000 * kSecond));
  EXPECT_FALSE(pass(bucket, 1, 1000 * kSecond));
}

TEST(TokenBucket, MoreThanItHoldsNeverPasses) {
  TokenBucket bucket(100, 1);
  EXPECT_FALSE(bucket.holds(101, 1000 * kSecond));
  EXPECT_TRUE(bucket.holds(100, 1000 * kSecond));
  EXPECT_FALSE(bucket.holds(INT64_MAX, 1000 * kSecond));
}

TEST(TokenBucket, ItHoldsAtLeastOneToken) {
  TokenBucket bucket(0.1, 0);
  EXPECT_TRUE(pass(bucket, 1, 0));
  EXPECT_FALSE(pass(bucket, 1, 10 * kSecond - 1));
  EXPECT_TRUE(pass(bucket, 1, 10 * kSecond));
}

TEST(TokenBucket, RatesAMinuteDoNotDriftOverAHundredDays) {
  // 7 tokens a minute, asked for every 100 ms: 7 · 1440 pass in a day, to the token, and those of
  // the full bucket.
  TokenBucket bucket(7 / 60.0, 60);
  std::int64_t passed = 0;
  for (std::int64_t tenth = 0; tenth <= 864'000; ++tenth) {
    passed += pass(bucket, 1, tenth * kSecond / 10) ? 1 : 0;
  }
  EXPECT_EQ(passed, 7 * 1440 + 7);
  // The same in one step.
  TokenBucket large(7 / 60.0, 100 * 86400.0);
  constexpr std::int64_t kOfADay = 10'080;
  constexpr Time kDay = 86'400 * kSecond;
  EXPECT_TRUE(pass(large, 100 * kOfADay, 0));
  EXPECT_FALSE(large.holds(99 * kOfADay, 99 * kDay - 1));
  EXPECT_TRUE(large.holds(99 * kOfADay, 99 * kDay));
}

TEST(TokenBucket, TheLargestRatesAndBurstsStayWithinTheirIntegers) {
  TokenBucket bucket(1e12, 100 * 86400.0);
  EXPECT_EQ(bucket.capacity(), 1'000'000'000'000'000);
  EXPECT_TRUE(pass(bucket, bucket.capacity(), 0));
  EXPECT_FALSE(bucket.holds(2, 1));
  EXPECT_TRUE(bucket.holds(1, 1)) << "a token a picosecond";
  EXPECT_TRUE(bucket.holds(bucket.capacity(), kEndOfTime - 1));
  TokenBucket slowest(1e-15, 60);
  EXPECT_TRUE(pass(slowest, 1, 0));
  EXPECT_FALSE(pass(slowest, 1, kEndOfTime - 1));
}

}  // namespace
}  // namespace headway
