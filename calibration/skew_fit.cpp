#include "calibration/skew_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/profile_shapes.hpp"

namespace headway {
namespace {

/// One skewed decode in units of its measured time: it took 1 = mean + α · tail.
struct Point {
  double mean = 0, tail = 0;
};

std::optional<Point> point_of(const Sample& sample, const ProfileFamily& decode) {
  const OperatorPoint& p = sample.point;
  const auto times = attention_times(decode, {p.heads, p.kv_heads, p.head_dim, p.window});
  if (!times || times->source != TimeSource::profile || !(sample.seconds > 0)) return std::nullopt;
  const auto batch = static_cast<double>(p.batch);
  const GridTime mean = times->grid.at(batch, static_cast<double>(p.context));
  const GridTime longest = times->grid.at(batch, static_cast<double>(p.longest));
  if (!mean.inside || !longest.inside || !(longest.seconds > mean.seconds)) return std::nullopt;
  return Point{mean.seconds / sample.seconds, (longest.seconds - mean.seconds) / sample.seconds};
}

/// Σ tail · (1 − mean) / Σ tail², within 0 to 1.
double alpha(double product, double square) {
  return square > 0 ? std::clamp(product / square, 0.0, 1.0) : 0;
}

}  // namespace

std::optional<SkewFit> fit_skew(const std::vector<Sample>& samples, const ProfileFamily& decode,
                                const std::string& format) {
  std::vector<Point> points;
  for (const Sample& sample : samples) {
    const OperatorPoint& p = sample.point;
    const std::string kv = p.kv == "fp16" || p.kv == "fp32" || p.kv.empty() ? "bf16" : p.kv;
    if (p.op != "attention_decode" || p.longest <= p.context || kv != format) continue;
    if (const auto point = point_of(sample, decode)) points.push_back(*point);
  }
  if (points.size() < 2) return std::nullopt;
  double product = 0, square = 0;
  for (const Point& point : points) {
    product += point.tail * (1 - point.mean);
    square += point.tail * point.tail;
  }
  std::vector<double> errors;
  for (const Point& point : points) {
    const double others =
        alpha(product - point.tail * (1 - point.mean), square - point.tail * point.tail);
    errors.push_back(std::abs(point.mean + others * point.tail - 1));
  }
  SkewFit fit;
  fit.alpha = alpha(product, square);
  fit.held_out = {
      "attention_decode_skew", static_cast<std::int64_t>(errors.size()),
      std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size()), 0};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  fit.held_out.median = *middle;
  return fit;
}

}  // namespace headway
