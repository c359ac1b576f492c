#include "models/decode_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headway {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Axis, CountsThePointsAtOrBelowANumber) {
  const Axis axis({0, 0.5, 1, 3, 4, 5, 1024, 1e18});
  EXPECT_EQ(axis.at_or_below(-1), 0u);
  EXPECT_EQ(axis.at_or_below(0), 1u);
  EXPECT_EQ(axis.at_or_below(0.75), 2u);
  EXPECT_EQ(axis.at_or_below(1), 3u);
  EXPECT_EQ(axis.at_or_below(2.9), 3u);
  EXPECT_EQ(axis.at_or_below(4.5), 5u);
  EXPECT_EQ(axis.at_or_below(1023.9), 6u);
  EXPECT_EQ(axis.at_or_below(1e17), 7u);
  EXPECT_EQ(axis.at_or_below(1e30), 8u);
  EXPECT_EQ(axis.at_or_below(std::numeric_limits<double>::infinity()), 8u);
  EXPECT_EQ(axis.at_or_below(kNone), 2u);
}

TimeGrid decodes() {
  return TimeGrid({{1, 3}, {10, 20, 40}}, {1, 2, 3, 3, 6, kNone},
                  {Joining::linear, Joining::linear});
}

TEST(DecodeTable, IsTheGridTimesItsFactor) {
  const TimeGrid grid = decodes();
  const DecodeTable table(grid, 7, 3);
  for (const std::int64_t batch : {0, 1, 2, 3, 9}) {  // 9 is not kept
    const DecodeTable::Line line(table, batch);
    for (const double context : {0.0, 5.0, 10.0, 15.5, 20.0, 39.0, 40.0, 75.0, 1000.0}) {
      EXPECT_NEAR(line.seconds(context), 7 * grid.at(static_cast<double>(batch), context).seconds,
                  1e-9)
          << batch << " " << context;
    }
  }
}

TEST(DecodeTable, KnowsWhereNothingWasMeasured) {
  const DecodeTable table(decodes(), 1, 3);
  const auto measured = [&table](std::int64_t batch, double context) {
    const DecodeTable::Line line(table, batch);
    return line.measured(line.at(context));
  };
  EXPECT_TRUE(measured(1, 30));
  EXPECT_TRUE(measured(2, 15));
  EXPECT_FALSE(measured(2, 30));  // next to the point that is missing
  EXPECT_FALSE(measured(1, 41));
  EXPECT_FALSE(measured(4, 15));
  EXPECT_TRUE(measured(1, 5));  // level below the first context, like it
}

TEST(DecodeTable, GivesGrowingContextsTheTimesOfEach) {
  const DecodeTable table(decodes(), 7, 3);
  const DecodeTable::Line line(table, 2);
  GrowingContext growing(line);
  for (double context = 1; context < 100; context += 0.75) {
    ASSERT_EQ(growing.seconds(context), line.seconds(context));
  }
}

}  // namespace
}  // namespace headway
