// Least squares by hand-made residuals whose best constants are known.
#include "models/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace headway {
namespace {

using testing::DoubleNear;
using Points = std::vector<std::vector<double>>;

/// Residuals of each point by one formula.
FitResiduals by(std::vector<double> (*formula)(const std::vector<double>&)) {
  return [formula](const Points& points) {
    Points all;
    for (const auto& point : points) all.push_back(formula(point));
    return all;
  };
}

const FitParameter kParameter = {.start = 1, .low = 0, .high = 100, .scale = 1};

TEST(LeastSquares, AStraightLineThroughThreePointsHasItsTextbookSlope) {
  // y = a + b·x at x = 0, 1, 2 with y = 1, 3, 4: b = 1.5, a = 7/6.
  const Fit fit =
      least_squares({kParameter, kParameter}, by(+[](const std::vector<double>& p) {
                      return std::vector<double>{p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 4};
                    }));
  EXPECT_THAT(fit.parameters[0].value, DoubleNear(7. / 6, 1e-3));
  EXPECT_THAT(fit.parameters[1].value, DoubleNear(1.5, 1e-3));
  EXPECT_TRUE(fit.converged);
  // What is left: 1/6, −1/3, 1/6, so σ² = 1/6 over one degree of freedom; (JᵀJ)⁻¹ has 5/6 and 1/2.
  EXPECT_THAT(fit.parameters[0].standard_error, DoubleNear(std::sqrt(5. / 36), 1e-3));
  EXPECT_THAT(fit.parameters[1].standard_error, DoubleNear(std::sqrt(1. / 12), 1e-3));
}

TEST(LeastSquares, AResidualThatBendsIsFollowed) {
  const Fit fit = least_squares({{.start = 0.5, .low = 0, .high = 100, .scale = 1}},
                                by(+[](const std::vector<double>& p) {
                                  return std::vector<double>{std::log((1 + p[0]) / 8)};
                                }));
  EXPECT_THAT(fit.parameters[0].value, DoubleNear(7, 0.01));
}

TEST(LeastSquares, AnEstimateStaysWithinItsBoundsAndTheOthersGoOn) {
  // Without the bound a = −2 and b = 5; with a = 0 the best b is 3.
  const Fit fit = least_squares({kParameter, kParameter}, by(+[](const std::vector<double>& p) {
                                  return std::vector<double>{p[0] + p[1] - 3, p[0] + 2};
                                }));
  EXPECT_EQ(fit.parameters[0].value, 0);
  EXPECT_THAT(fit.parameters[1].value, DoubleNear(3, 0.01));
}

TEST(LeastSquares, AParameterThatNothingShowsKeepsItsStart) {
  const Fit fit = least_squares({kParameter, kParameter}, by(+[](const std::vector<double>& p) {
                                  return std::vector<double>{p[0] - 4 + 1e-4 * p[1], p[0] - 4};
                                }));
  EXPECT_EQ(fit.parameters[1].told, Told::without_effect);
  EXPECT_EQ(fit.parameters[1].value, 1);
  EXPECT_THAT(fit.parameters[0].value, DoubleNear(4, 0.01));
}

TEST(LeastSquares, OfTwoThatActAlikeTheWeakerKeepsItsStart) {
  const Fit fit = least_squares({kParameter, kParameter}, by(+[](const std::vector<double>& p) {
                                  const double sum = p[0] + 0.3 * p[1] - 5;
                                  return std::vector<double>{sum, 2 * sum};
                                }));
  EXPECT_EQ(fit.parameters[0].told, Told::yes);
  EXPECT_EQ(fit.parameters[1].told, Told::mixed_up);
  EXPECT_EQ(fit.parameters[1].like, 0u);
  EXPECT_EQ(fit.parameters[1].value, 1);
  EXPECT_THAT(fit.parameters[0].value, DoubleNear(4.7, 0.01));
}

TEST(LeastSquares, AParameterThatVanishesOnTheWayIsNotEstimated) {
  // The second shows only where it is over the first, which it cannot be at the best first.
  const FitParameter second = {.start = 2, .low = 0, .high = 3, .scale = 1};
  const Fit fit = least_squares({kParameter, second}, by(+[](const std::vector<double>& p) {
                                  return std::vector<double>{std::max(p[0], p[1]) - 6, p[0] - 6};
                                }));
  EXPECT_THAT(fit.parameters[0].value, DoubleNear(6, 0.01));
  EXPECT_EQ(fit.parameters[1].told, Told::without_effect);
  EXPECT_EQ(fit.parameters[1].value, 2);
}

TEST(LeastSquares, EndsWithItsIterationsWhereNoStepSettles) {
  FitLimits limits;
  limits.iterations = 2;
  const Fit fit = least_squares(
      {{.start = 50, .low = 0, .high = 100, .scale = 0.1}},
      by(+[](const std::vector<double>& p) { return std::vector<double>{std::pow(p[0] - 3, 3)}; }),
      limits);
  EXPECT_EQ(fit.iterations, 2);
  EXPECT_FALSE(fit.converged);
}

TEST(ToldBy, ErrorsOfIndependentColumnsAreTheNoiseOverTheirLengths) {
  const auto told = told_by({{0.3, 0, 0.4}, {0, 0.2, 0}}, {});
  EXPECT_THAT(told[0].standard_error, DoubleNear(0.01 / 0.5, 1e-9));
  EXPECT_THAT(told[1].standard_error, DoubleNear(0.01 / 0.2, 1e-9));
}

}  // namespace
}  // namespace headway
