#include "models/local_plane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace headway {
namespace {

double squared(double x, double y) {
  return x * x + y * y;
}

/// 3 + 2x − y, one bandwidth a unit, at the corners and sides of a square of 2 around the origin.
std::vector<PlanePoint> around_origin() {
  std::vector<PlanePoint> points;
  for (const double x : {-1.0, 0.0, 1.0}) {
    for (const double y : {-1.0, 0.0, 1.0}) {
      if (x != 0 || y != 0) points.push_back({x, y, squared(x, y), 3 + 2 * x - y});
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const PlanePoint& a, const PlanePoint& b) {
    return a.distance2 < b.distance2;
  });
  return points;
}

TEST(LocalPlane, PassesThroughAPlane) {
  EXPECT_NEAR(local_plane(around_origin()), 3, 1e-9);
}

TEST(LocalPlane, IsNotBentByOneValueFarOff) {
  std::vector<PlanePoint> points = around_origin();
  points[0].value += 1;  // a mean of the four nearest would be moved by a quarter
  EXPECT_NEAR(local_plane(points), 3, 0.1);
}

TEST(LocalPlane, HasTheOneValueThereIs) {
  EXPECT_DOUBLE_EQ(local_plane({{0.5, -2, 4.25, 7}}), 7);
}

TEST(LocalPlane, IsNotContinuedBeyondItsPoints) {
  // 1 + x where x is 1 to 4: at 0 it has the value of 1.
  std::vector<PlanePoint> points;
  for (const double x : {1.0, 2.0, 3.0, 4.0}) points.push_back({x, 0, x * x, 1 + x});
  EXPECT_NEAR(local_plane(points), 2, 0.05);
}

}  // namespace
}  // namespace headway
