#include "sim/workload/draw.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace headway {
namespace {

// P(X > chi2) for k degrees of freedom as a standard normal deviate (Wilson and Hilferty, 1931).
double chi_square_z(double chi2, double k) {
  return (std::cbrt(chi2 / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}

TEST(NormalQuantile, MatchesTabulatedQuantiles) {
  // Quantiles of the standard normal law to 17 digits.
  const std::array<std::array<double, 2>, 10> known = {{
      {0.5, 0.0},
      {0.75, 0.67448975019608174},
      {0.9, 1.2815515655446004},
      {0.95, 1.6448536269514722},
      {0.975, 1.9599639845400545},
      {0.99, 2.3263478740408408},
      {0.995, 2.5758293035489004},
      {0.999, 3.0902323061678132},
      {1e-6, -4.7534243088228987},
      {1e-15, -7.9413453261709970},
  }};
  for (const auto& [u, z] : known)
    EXPECT_NEAR(normal_quantile(u), z, 1e-14 * (1 + std::fabs(z))) << u;
}

TEST(NormalQuantile, InvertsTheNormalDistributionFunction) {
  for (double u = 1e-300; u < 0.5; u = u < 1e-3 ? u * 7.3 : u + 0.0137) {
    const long double z = normal_quantile(u);
    const long double back = std::erfc(-z / std::sqrt(2.0L)) / 2;
    const long double slope = std::exp(-z * z / 2) / std::sqrt(2 * 3.141592653589793238L);
    EXPECT_NEAR(static_cast<double>((back - u) / slope), 0,
                1e-14 * (1 + std::fabs(static_cast<double>(z))))
        << u;
    if (u > 1e-9) {
      EXPECT_NEAR(normal_quantile(1 - u), -static_cast<double>(z), 1e-6) << u;
    }
  }
}

TEST(Draw, IsUniformByChiSquare) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Draw draw(seed, Stream::arrivals, 0);
    std::vector<double> cells(1000);
    const int n = 1'000'000;
    for (std::uint64_t i = 0; i < n; ++i) cells[static_cast<std::size_t>(draw.uniform(i) * 1000)]++;
    double chi2 = 0;
    for (const double count : cells) chi2 += (count - 1000) * (count - 1000) / 1000;
    EXPECT_LT(std::fabs(chi_square_z(chi2, 999)), 4.5) << seed;
  }
}

// Pairs of neighbours along each key: index, part, entity, stream, seed.
TEST(Draw, NeighboursAreIndependentByChiSquare) {
  const auto pairs_are_uniform = [](const char* what, auto first, auto second) {
    std::vector<double> cells(400);
    const std::uint64_t n = 400'000;
    for (std::uint64_t i = 0; i < n; ++i)
      cells[static_cast<std::size_t>(first(i) * 20) * 20 +
            static_cast<std::size_t>(second(i) * 20)]++;
    double chi2 = 0;
    for (const double count : cells) chi2 += (count - 1000) * (count - 1000) / 1000;
    EXPECT_LT(std::fabs(chi_square_z(chi2, 399)), 4.5) << what;
  };
  const Draw draw(7, Stream::arrivals, 0), entity(7, Stream::arrivals, 1);
  const Draw stream(7, Stream::modulation, 0), seed(8, Stream::arrivals, 0);
  const auto of = [](const Draw& from, std::uint64_t part = 0, std::uint64_t shift = 0) {
    return [&from, part, shift](std::uint64_t i) { return from.uniform(i + shift, part); };
  };
  pairs_are_uniform("index", of(draw), of(draw, 0, 1));
  pairs_are_uniform("part", of(draw), of(draw, 1));
  pairs_are_uniform("both", of(draw, 1), of(draw, 0, 1));
  pairs_are_uniform("entity", of(draw), of(entity));
  pairs_are_uniform("stream", of(draw), of(stream));
  pairs_are_uniform("seed", of(draw), of(seed));
}

TEST(Draw, GivesTheSameInAnyOrder) {
  const Draw draw(42, Stream::router, 3);
  std::vector<std::uint64_t> forward, backward;
  for (std::uint64_t i = 0; i < 100; ++i) forward.push_back(draw.bits(i, i % 3));
  for (std::uint64_t i = 100; i-- > 0;) backward.insert(backward.begin(), draw.bits(i, i % 3));
  EXPECT_EQ(forward, backward);
}

TEST(Draw, NoTwoKeysWithinReachMeet) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t entity = 0; entity < 4; ++entity)
    for (std::uint64_t index = 0; index < 1000; ++index)
      for (std::uint64_t part = 0; part < 50; ++part)
        seen.insert(Draw(1, Stream::think_time, entity).bits(index, part));
  EXPECT_EQ(seen.size(), 4u * 1000 * 50);
}

// The centre of the last of 2^53 intervals is no double: it rounded to 1, whose quantile is
// infinite.
TEST(Draw, TheLargestUniformStaysBelowOne) {
  const double largest = (static_cast<double>(~std::uint64_t{0} >> 12) + 0.5) * 0x1.0p-52;
  EXPECT_EQ(largest, 1 - 0x1.0p-53);
  EXPECT_TRUE(std::isfinite(normal_quantile(largest)));
  EXPECT_TRUE(std::isfinite(normal_quantile(0x1.0p-53)));
}

TEST(Draw, BelowIsUniformOverItsIntegers) {
  const Draw draw(5, Stream::router, 0);
  std::array<int, 7> counts{};
  for (std::uint64_t i = 0; i < 70'000; ++i) counts[draw.below(7, i)]++;
  double chi2 = 0;
  for (const int count : counts) chi2 += (count - 10'000.0) * (count - 10'000.0) / 10'000;
  EXPECT_LT(std::fabs(chi_square_z(chi2, 6)), 4.5);
}

}  // namespace
}  // namespace headway
