// Whether clients try again, and when.
#include "sim/serving/backoff.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace headway {
namespace {

constexpr Picoseconds kSecond = 1'000'000'000'000;

Retries rules(Retries::Jitter jitter) {
  Retries retries;
  retries.attempts = 5;
  retries.backoff_seconds = 2;
  retries.factor = 3;
  retries.longest_seconds = 40;
  retries.jitter = jitter;
  return retries;
}

TEST(Backoff, GrowsByItsFactorUpToTheLongest) {
  const Retries retries = rules(Retries::Jitter::none);
  const Backoff backoff(retries, 1, 0);
  EXPECT_EQ(backoff.delay(7, 1), 2 * kSecond);
  EXPECT_EQ(backoff.delay(7, 2), 6 * kSecond);
  EXPECT_EQ(backoff.delay(7, 3), 18 * kSecond);
  EXPECT_EQ(backoff.delay(7, 4), 40 * kSecond);
  EXPECT_EQ(backoff.delay(7, 1'000'000), 40 * kSecond) << "3 to that power is infinite";
}

/// Least, mean and largest of the first back-offs of many requests, in seconds.
struct Spread {
  double least = 1e9, mean = 0, most = 0;
};

Spread spread(Retries::Jitter jitter, std::int32_t attempts) {
  const Retries retries = rules(jitter);
  const Backoff backoff(retries, 1, 0);
  constexpr int kRequests = 100'000;
  Spread found;
  for (int request = 0; request < kRequests; ++request) {
    const double delay = to_seconds(backoff.delay(static_cast<std::uint64_t>(request), attempts));
    found.least = std::min(found.least, delay);
    found.most = std::max(found.most, delay);
    found.mean += delay / kRequests;
  }
  return found;
}

TEST(Backoff, JitterSpreadsTheAttempts) {
  // Means of 100,000: full 3 ± 0.0055, equal 4.5 ± 0.0027, exponential 6 ± 0.019 (one sigma).
  const Spread full = spread(Retries::Jitter::full, 2);
  EXPECT_LT(full.least, 0.01);
  EXPECT_NEAR(full.mean, 3, 0.03);
  EXPECT_GT(full.most, 5.99);
  EXPECT_LE(full.most, 6);
  const Spread equal = spread(Retries::Jitter::equal, 2);
  EXPECT_GE(equal.least, 3);
  EXPECT_NEAR(equal.mean, 4.5, 0.015);
  EXPECT_LE(equal.most, 6);
  const Spread exponential = spread(Retries::Jitter::exponential, 2);
  EXPECT_NEAR(exponential.mean, 6, 0.1);
  EXPECT_GT(exponential.most, 40);
}

TEST(Backoff, EveryRequestAndAttemptDrawsItsOwn) {
  const Retries retries = rules(Retries::Jitter::full);
  const Backoff backoff(retries, 1, 0), again(retries, 1, 0), other(retries, 1, 1);
  EXPECT_EQ(backoff.delay(7, 4), again.delay(7, 4));
  EXPECT_NE(backoff.delay(7, 4), backoff.delay(8, 4));
  EXPECT_NE(backoff.delay(7, 4), backoff.delay(7, 5));
  EXPECT_NE(backoff.delay(7, 4), other.delay(7, 4));
}

TEST(Backoff, ZeroStaysZero) {
  Retries retries = rules(Retries::Jitter::exponential);
  retries.backoff_seconds = 0;
  retries.factor = 1e300;
  EXPECT_EQ(Backoff(retries, 1, 0).delay(1, 1000), 0);
}

TEST(Backoff, NoneIsLongerThanARun) {
  Retries retries = rules(Retries::Jitter::exponential);
  retries.backoff_seconds = retries.longest_seconds = 106 * 86400.0;
  const Backoff backoff(retries, 1, 0);
  for (std::uint64_t request = 0; request < 1000; ++request) {
    EXPECT_LE(backoff.delay(request, 1), Picoseconds{106} * 86400 * kSecond);
  }
}

TEST(Backoff, ClientsTryAgainAfterWhatTheyAreToldTo) {
  Retries retries = rules(Retries::Jitter::none);
  retries.lost = false;
  const Backoff backoff(retries, 1, 0);
  EXPECT_TRUE(backoff.again(Failure::rejected, 1));
  EXPECT_TRUE(backoff.again(Failure::timed_out, 4));
  EXPECT_FALSE(backoff.again(Failure::timed_out, 5)) << "five sendings at most";
  EXPECT_FALSE(backoff.again(Failure::lost, 1));
  EXPECT_FALSE(backoff.again(Failure::refused, 1)) << "it would never be served";
  EXPECT_FALSE(Backoff(Retries{}, 1, 0).again(Failure::rejected, 1)) << "once, if nothing is said";
}

}  // namespace
}  // namespace headway
