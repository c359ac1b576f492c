#include "sim/workload/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "sim/workload/request_lengths.hpp"

namespace headway {
namespace {

using Kind = Distribution::Kind;

Distribution law(Kind kind, double a, double b = 0) {
  Distribution made;
  made.kind = kind;
  made.a = a;
  made.b = b;
  return made;
}

// Mean, variance and the tail beyond one point, each within 4.5 standard errors, over three seeds.
void expect_moments(const Distribution& sampled, double mean, double variance, double point,
                    double share_below_point) {
  const int n = 400'000;
  for (const std::uint64_t seed : {11, 12, 13}) {
    const Sampler sampler(sampled);
    const Draw draw(seed, Stream::service_time, 0);
    double sum = 0, squares = 0, fourth = 0, below = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double x = sampler(draw, i), d2 = (x - mean) * (x - mean);
      sum += x;
      squares += d2;
      fourth += d2 * d2;
      below += x < point ? 1 : 0;
    }
    EXPECT_LT(std::fabs(sum / n - mean), 4.5 * std::sqrt(variance / n)) << seed;
    const double variance_error = std::sqrt((fourth / n - variance * variance) / n);
    EXPECT_LT(std::fabs(squares / n - variance), 4.5 * variance_error + 1e-12) << seed;
    const double p = share_below_point;
    EXPECT_LT(std::fabs(below / n - p), 4.5 * std::sqrt(p * (1 - p) / n)) << seed;
  }
}

TEST(Sampler, AFixedLawIsItsValue) {
  const Sampler sampler(law(Kind::fixed, 42.5));
  EXPECT_EQ(sampler(Draw(1, Stream::service_time, 0), 0), 42.5);
  EXPECT_EQ(sampler(Draw(9, Stream::service_time, 0), 77), 42.5);
}

TEST(Sampler, UniformHasTheMomentsOfTheLaw) {
  expect_moments(law(Kind::uniform, 10, 40), 25, 900.0 / 12, 16, 0.2);
}

TEST(Sampler, NormalHasTheMomentsOfTheLaw) {
  expect_moments(law(Kind::normal, 100, 10), 100, 100, 116.44853626951472, 0.95);
}

TEST(Sampler, LognormalHasTheMomentsOfTheLaw) {
  const double mu = 2, sigma = 0.5;
  const double mean = std::exp(mu + sigma * sigma / 2);
  expect_moments(law(Kind::lognormal, mu, sigma), mean, mean * mean * std::expm1(sigma * sigma),
                 std::exp(mu), 0.5);
}

TEST(Sampler, ExponentialHasTheMomentsOfTheLaw) {
  expect_moments(law(Kind::exponential, 3), 3, 9, 3 * std::log(10.0), 0.9);
}

TEST(Sampler, GammaOfCvOneIsExponential) {
  expect_moments(law(Kind::gamma, 3, 1), 3, 9, 3 * std::log(10.0), 0.9);
}

// Shape 4 (CV 0.5) is an Erlang law: P(X < x) = 1 − e^−y (1 + y + y²/2 + y³/6), y = 4x/mean.
TEST(Sampler, GammaOfCvOneHalfIsErlangFour) {
  const double y = 4;
  expect_moments(law(Kind::gamma, 3, 0.5), 3, 2.25, 3,
                 1 - std::exp(-y) * (1 + y + y * y / 2 + y * y * y / 6));
}

// Shape 1/2 (CV √2) is a squared normal: P(X < mean) = erf(1/√2).
TEST(Sampler, GammaOfShapeOneHalfIsASquaredNormal) {
  expect_moments(law(Kind::gamma, 3, std::sqrt(2.0)), 3, 18, 3, std::erf(1 / std::sqrt(2.0)));
}

TEST(Sampler, HistogramHasItsBinsWeightsAndIsUniformWithin) {
  Distribution bins = law(Kind::histogram, 0);
  bins.bins = {{1, 3, 30}, {3, 3, 10}, {10, 20, 60}};
  // Mean 0.3·2 + 0.1·3 + 0.6·15; second moment 0.3·(4 + 1/3) + 0.1·9 + 0.6·(225 + 100/12).
  const double mean = 9.9, second = 0.3 * (4 + 1.0 / 3) + 0.9 + 0.6 * (225 + 100.0 / 12);
  expect_moments(bins, mean, second - mean * mean, 15, 0.7);
  expect_moments(bins, mean, second - mean * mean, 2, 0.15);
}

TEST(Sampler, AHistogramOfManyUnequalBinsFindsEveryBin) {
  Distribution bins = law(Kind::histogram, 0);
  double total = 0;
  for (int i = 0; i < 300; ++i) {
    bins.bins.push_back({i + 0.25, i + 0.75, 1.0 + (i % 7) * (i % 7)});
    total += bins.bins.back().weight;
  }
  const Sampler sampler(bins);
  const Draw draw(3, Stream::service_time, 0);
  std::vector<double> counts(300);
  const int n = 300'000;
  for (std::uint64_t i = 0; i < n; ++i) counts[static_cast<std::size_t>(sampler(draw, i))]++;
  double chi2 = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double expected = n * bins.bins[i].weight / total;
    chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  EXPECT_LT(std::fabs(chi2 - 299) / std::sqrt(2 * 299.0), 4.5);
}

TEST(Sampler, ClampsIntoMinAndMax) {
  Distribution clamped = law(Kind::lognormal, 3, 2);
  clamped.min = 5;
  clamped.max = 50;
  const Sampler sampler(clamped);
  const Draw draw(1, Stream::service_time, 0);
  double least = 1e9, most = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    least = std::min(least, sampler(draw, i));
    most = std::max(most, sampler(draw, i));
  }
  EXPECT_EQ(least, 5);
  EXPECT_EQ(most, 50);
}

TEST(Sampler, ANormalLawIsNeverNegative) {
  const Sampler sampler(law(Kind::normal, 1, 10));
  const Draw draw(1, Stream::service_time, 0);
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_GE(sampler(draw, i), 0);
}

// A CV of 1e-200 squares to 0: the gamma law's shape was infinite and its samples NaN.
TEST(Sampler, ExtremeParametersGiveFiniteSamples) {
  const Draw draw(1, Stream::service_time, 0);
  for (const Distribution& extreme :
       {law(Kind::gamma, 7, 1e-200), law(Kind::gamma, 7, 100), law(Kind::gamma, 1e300, 50),
        law(Kind::lognormal, 100, 10), law(Kind::lognormal, -100, 10),
        law(Kind::exponential, 1e300), law(Kind::uniform, 5, 5), law(Kind::histogram, 0)}) {
    const Sampler sampler(extreme);
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const double x = sampler(draw, i);
      ASSERT_TRUE(x >= 0 && x <= 1e18) << static_cast<int>(extreme.kind) << " " << x;
    }
  }
  EXPECT_NEAR(Sampler(law(Kind::gamma, 7, 1e-200))(draw, 3), 7, 1e-3);
}

TEST(Tokens, AreRoundedToNearestAndAtLeastOne) {
  EXPECT_EQ(whole_tokens(0), 1);
  EXPECT_EQ(whole_tokens(0.4), 1);
  EXPECT_EQ(whole_tokens(1.49), 1);
  EXPECT_EQ(whole_tokens(1.5), 2);
  EXPECT_EQ(whole_tokens(1154.7), 1155);
  EXPECT_EQ(whole_tokens(1e18), 2147483647);
  EXPECT_EQ(whole_tokens(std::numeric_limits<double>::quiet_NaN()), 1);
}

TEST(RequestLengths, AnotherLawShiftsNoOthersSamples) {
  WorkloadClass narrow, wide;
  narrow.input_tokens = law(Kind::lognormal, 6, 1);
  wide.input_tokens = narrow.input_tokens;
  wide.output_tokens = law(Kind::gamma, 200, 2);
  wide.request_bytes = law(Kind::uniform, 100, 200);
  const RequestLengths first(narrow, 1, 0), second(wide, 1, 0);
  for (std::uint64_t i = 0; i < 100; ++i) {
    RequestBody a, b;
    first.apply(i, a);
    second.apply(i, b);
    EXPECT_EQ(a.input_tokens, b.input_tokens);
    EXPECT_EQ(a.output_tokens, 1);
    EXPECT_TRUE(b.bytes >= 100 && b.bytes <= 200);
  }
}

}  // namespace
}  // namespace headway
