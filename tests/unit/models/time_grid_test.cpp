#include "models/time_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/model_error.hpp"

namespace headway {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(TimeGrid, JoinsLinearlyBetweenPointsAndContinuesTheLastLine) {
  const TimeGrid grid({{1, 3, 5}}, {10, 20, 40}, {Joining::linear});
  EXPECT_DOUBLE_EQ(grid.at(1).seconds, 10);
  EXPECT_DOUBLE_EQ(grid.at(2).seconds, 15);
  EXPECT_DOUBLE_EQ(grid.at(4).seconds, 30);
  EXPECT_DOUBLE_EQ(grid.at(7).seconds, 60);  // 10 a unit beyond 5
  EXPECT_DOUBLE_EQ(grid.at(0.5).seconds, 10);
  EXPECT_TRUE(grid.at(3).inside);
  EXPECT_TRUE(grid.at(4).inside);
  EXPECT_FALSE(grid.at(7).inside);
  EXPECT_FALSE(grid.at(0.5).inside);
}

TEST(TimeGrid, TakesTheUpperOfNeighbouringTiles) {
  const TimeGrid grid({{8, 16, 32, 48, 80}}, {1, 2, 4, 10, 20}, {Joining::tiles});
  EXPECT_DOUBLE_EQ(grid.at(12).seconds, 1.5);  // 8 to 16 is no tile
  EXPECT_DOUBLE_EQ(grid.at(16).seconds, 2);
  EXPECT_DOUBLE_EQ(grid.at(17).seconds, 4);
  EXPECT_DOUBLE_EQ(grid.at(32).seconds, 4);
  EXPECT_DOUBLE_EQ(grid.at(33).seconds, 10);
  EXPECT_DOUBLE_EQ(grid.at(64).seconds, 15);   // two tiles wide
  EXPECT_DOUBLE_EQ(grid.at(112).seconds, 30);  // beyond the last
  EXPECT_TRUE(grid.at(33).inside);
}

TEST(TimeGrid, NeverFallsBeyondTheLastPoint) {
  const TimeGrid grid({{1, 2}}, {5, 4}, {Joining::linear});
  EXPECT_DOUBLE_EQ(grid.at(10).seconds, 4);
}

TEST(TimeGrid, JoinsAPowerLawByPowers) {
  // t = 3·x²: exact between and beyond the points.
  const TimeGrid grid({{1, 2, 8}}, {3, 12, 192}, {Joining::power});
  EXPECT_NEAR(grid.at(4).seconds, 48, 1e-9);
  EXPECT_NEAR(grid.at(16).seconds, 768, 1e-6);
}

TEST(TimeGrid, IsBilinearOverTwoAxes) {
  const TimeGrid grid({{0, 10}, {0, 4}}, {1, 3, 5, 15}, {Joining::linear, Joining::linear});
  // Corners 1 3 / 5 15; the middle is their mean.
  EXPECT_DOUBLE_EQ(grid.at(5, 2).seconds, 6);
  EXPECT_DOUBLE_EQ(grid.at(10, 4).seconds, 15);
}

TEST(TimeGrid, JoinsPowersOverTwoAxes) {
  // t = 2·x·y²: exact inside, and the same at the seams.
  const TimeGrid grid({{1, 4}, {1, 8}}, {2, 128, 8, 512}, {Joining::power, Joining::power});
  EXPECT_NEAR(grid.at(2, 4).seconds, 64, 1e-9);
  EXPECT_NEAR(grid.at(3, 8).seconds, 384, 1e-9);
  EXPECT_NEAR(grid.at(1, 1).seconds, 2, 1e-12);
  EXPECT_NEAR(grid.at(4, 5).seconds, 200, 1e-9);
  EXPECT_NEAR(grid.scaled(3).at(2, 4).seconds, 192, 1e-9);
  EXPECT_TRUE(grid.at(2, 4).inside);
}

TEST(TimeGrid, ContinuesCornersThatWereNotMeasuredAndSaysSo) {
  // Over the first axis twice the batch takes twice the time.
  const TimeGrid grid({{1, 2, 4}, {10, 20}}, {1, 2, 2, 4, 4, kNone},
                      {Joining::linear, Joining::linear});
  EXPECT_DOUBLE_EQ(grid.at(4, 20).seconds, 8);
  EXPECT_FALSE(grid.at(4, 20).inside);
  EXPECT_FALSE(grid.at(3, 15).inside);
  EXPECT_TRUE(grid.at(2, 20).inside);
}

TEST(TimeGrid, ScalesEveryTime) {
  const TimeGrid grid({{1, 2}}, {1, 2}, {Joining::linear});
  EXPECT_DOUBLE_EQ(grid.scaled(3).at(1.5).seconds, 4.5);
}

TEST(TimeGrid, RefusesWhatIsNoGrid) {
  const auto make = [](std::vector<double> axis, std::vector<double> seconds) {
    return TimeGrid({axis}, seconds, {Joining::linear});
  };
  EXPECT_THROW(make({2, 1}, {1, 1}), ModelError);
  EXPECT_THROW(make({1, 1}, {1, 1}), ModelError);
  EXPECT_THROW(make({}, {}), ModelError);
  EXPECT_THROW(make({1, 2}, {1}), ModelError);
  EXPECT_THROW(make({1}, {0}), ModelError);
  EXPECT_THROW(make({1}, {-1}), ModelError);
  EXPECT_THROW(make({1}, {kNone}), ModelError);
  EXPECT_THROW(make({1}, {std::numeric_limits<double>::infinity()}), ModelError);
  EXPECT_THROW(make({kNone}, {1}), ModelError);
  EXPECT_THROW(TimeGrid({{0, 1}}, {1, 1}, {Joining::power}), ModelError);
}

}  // namespace
}  // namespace headway
