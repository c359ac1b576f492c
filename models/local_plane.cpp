#include "models/local_plane.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headway {
namespace {

constexpr std::size_t kLeastPoints = 4;   // count, however far
constexpr double kSlopeDamping = 0.01;    // of the weights, on the squares of a and b: ends ties
constexpr int kPasses = 5;                // of reweighting
constexpr double kSmallDeviation = 0.02;  // deviations below it count alike

/// c, a, b of the weighted least squares plane.
Eigen::Vector3d plane(const std::vector<PlanePoint>& points, const std::vector<double>& weights) {
  double sum = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  Eigen::Vector3d values = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const PlanePoint& point = points[i];
    const double weight = weights[i], weighted_x = weight * point.x, weighted_y = weight * point.y;
    sum += weight;
    x += weighted_x;
    y += weighted_y;
    xx += weighted_x * point.x;
    xy += weighted_x * point.y;
    yy += weighted_y * point.y;
    values += weight * point.value * Eigen::Vector3d(1, point.x, point.y);
  }
  Eigen::Matrix3d products;
  products << sum, x, y, x, xx + kSlopeDamping * sum, xy, y, xy, yy + kSlopeDamping * sum;
  return products.ldlt().solve(values);
}

}  // namespace

double local_plane(const std::vector<PlanePoint>& points) {
  const double fourth = points[std::min(kLeastPoints, points.size()) - 1].distance2;
  const double bandwidth2 = std::max(1.0, fourth / 2);
  std::vector<double> near;
  double low_x = points[0].x, high_x = low_x, low_y = points[0].y, high_y = low_y;
  for (const PlanePoint& point : points) {
    if (near.size() >= kLeastPoints && point.distance2 > 9 * bandwidth2) break;
    near.push_back(std::exp(-point.distance2 / (2 * bandwidth2)));
    low_x = std::min(low_x, point.x);
    high_x = std::max(high_x, point.x);
    low_y = std::min(low_y, point.y);
    high_y = std::max(high_y, point.y);
  }
  // Least absolute deviations by squares, each divided by its deviation of the pass before.
  std::vector<double> weights = near;
  Eigen::Vector3d fitted = plane(points, weights);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const PlanePoint& p = points[i];
      const double deviation = std::abs(p.value - fitted.dot(Eigen::Vector3d(1, p.x, p.y)));
      weights[i] = near[i] / std::max(deviation, kSmallDeviation);
    }
    fitted = plane(points, weights);
  }
  return fitted.dot(
      Eigen::Vector3d(1, std::clamp(0.0, low_x, high_x), std::clamp(0.0, low_y, high_y)));
}

}  // namespace headway
