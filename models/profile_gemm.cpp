#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/local_plane.hpp"
#include "models/profile_shapes.hpp"

namespace headway {
namespace {

/// The largest of quotients; divides only where one may be it.
void raise(double& largest, double amount, double seconds) {
  if (amount > largest * seconds) largest = amount / seconds;
}

/// A roofline with the table's own best rates: what measured times are compared with.
struct BestRates {
  double flops = 1, bytes = 1, floor_seconds = std::numeric_limits<double>::infinity(), weight = 2;

  BestRates(const ProfileFamily& family, double weight_bytes) : weight(weight_bytes) {
    double bytes_of_small = 1;
    for (const ProfileRow& row : family.rows) {
      const double n = static_cast<double>(row.shape.at("n"));
      const double k = static_cast<double>(row.shape.at("k"));
      double most_flops = flops, most_bytes = 1, least = floor_seconds;
      for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        const double time = row.seconds[i], m = family.axes[0][i];
        if (std::isnan(time)) continue;
        raise(most_flops, 2 * m * n * k, time);
        raise(most_bytes, moved(m, n, k), time);
        least = std::min(least, time);
      }
      flops = most_flops;
      floor_seconds = least;
      // What fits a cache can pass faster than memory: only large matrices tell its rate.
      double& of_its_size = n * k * weight > 1.2e8 ? bytes : bytes_of_small;
      of_its_size = std::max(of_its_size, most_bytes);
    }
    if (bytes <= 1) bytes = bytes_of_small;  // there are no others
  }

  double moved(double m, double n, double k) const { return weight * n * k + 2 * m * (n + k); }

  double seconds(double m, double n, double k) const {
    const double compute = 2 * m * n * k / flops, memory = moved(m, n, k) / bytes;
    // The corner between the two is as sharp as the fourth power makes it.
    const double compute2 = compute * compute, memory2 = memory * memory;
    return floor_seconds + std::sqrt(std::sqrt(compute2 * compute2 + memory2 * memory2));
  }
};

/// The ends of what a family has of a size, and how far apart in logarithms the values next below
/// and next above one are: 0 where it was measured.
struct SizeRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  double gap = 0;
};

SizeRange range_of(const ProfileFamily& family, const char* size, std::int64_t value) {
  SizeRange range;
  std::int64_t below = 0, above = std::numeric_limits<std::int64_t>::max();
  for (const ProfileRow& row : family.rows) {
    const std::int64_t at = row.shape.at(size);
    range.low = std::min(range.low, at);
    range.high = std::max(range.high, at);
    if (at <= value) below = std::max(below, at);
    if (at >= value) above = std::min(above, at);
  }
  if (range.low < value && value < range.high) {
    range.gap = std::log(static_cast<double>(above) / static_cast<double>(below));
  }
  return range;
}

/// How far around a shape others count, in logarithms: half of the gap that it lies in. Matrices of
/// the same n are multiplied in the same tiles and waves: a measured n is told by itself, along k.
/// Chosen by the held-out errors of the catalogue's profiles.
constexpr double kLeastOfN = 0.045, kLeastOfK = 0.15;

struct Neighbour {
  const ProfileRow* row = nullptr;
  PlanePoint at;  // without its value
};

/// The measured shapes as seen from [n, k] in gaps of these sizes, nearest first.
std::vector<Neighbour> neighbours(const ProfileFamily& family, std::int64_t n, double gap_n,
                                  std::int64_t k, double gap_k) {
  const double width_n = std::max(kLeastOfN, gap_n / 2);
  const double width_k = std::max(kLeastOfK, gap_k / 2);
  std::vector<Neighbour> all;
  for (const ProfileRow& row : family.rows) {
    const auto log_ratio = [&row](const char* size, std::int64_t value) {
      return std::log(static_cast<double>(row.shape.at(size)) / static_cast<double>(value));
    };
    const double x = log_ratio("n", n), y = log_ratio("k", k);
    const double in_n = x / width_n, in_k = y / width_k;
    all.push_back({&row, {x, y, in_n * in_n + in_k * in_k, 0}});
  }
  std::stable_sort(all.begin(), all.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.at.distance2 < b.at.distance2;
  });
  return all;
}

constexpr std::size_t kMostShapes = 24;  // looked at: more do not stand within three widths

}  // namespace

double format_bytes(const std::string& format) {
  if (format == "fp8" || format == "fp8_block" || format == "int8" || format == "int8_wo") return 1;
  if (format == "int4" || format == "fp4" || format == "mxfp4") return 0.55;
  return 2;
}

std::optional<ShapeTimes> gemm_times(const ProfileFamily& family, const std::string& format,
                                     std::int64_t n, std::int64_t k) {
  if (family.rows.empty() || n <= 0 || k <= 0) return std::nullopt;
  for (const ProfileRow& row : family.rows) {
    if (row.shape.at("n") == n && row.shape.at("k") == k) {
      return ShapeTimes{family.grid(row.seconds), TimeSource::profile, false};
    }
  }
  const SizeRange ns = range_of(family, "n", n), ks = range_of(family, "k", k);
  const std::int64_t near_n = std::clamp(n, ns.low, ns.high);
  const std::int64_t near_k = std::clamp(k, ks.low, ks.high);
  const bool outside = near_n != n || near_k != k;
  const std::vector<Neighbour> near = neighbours(family, near_n, ns.gap, near_k, ks.gap);
  const BestRates best(family, format_bytes(format));
  const std::vector<double>& tokens = family.axes[0];
  std::vector<double> seconds(tokens.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<PlanePoint> ratios;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ratios.clear();
    for (const Neighbour& each : near) {
      const double time = each.row->seconds[i];
      if (std::isnan(time)) continue;
      if (ratios.size() == kMostShapes) break;
      ratios.push_back(each.at);
      ratios.back().value =
          std::log(time / best.seconds(tokens[i], static_cast<double>(each.row->shape.at("n")),
                                       static_cast<double>(each.row->shape.at("k"))));
    }
    if (ratios.empty()) continue;
    seconds[i] = std::exp(local_plane(ratios)) *
                 best.seconds(tokens[i], static_cast<double>(n), static_cast<double>(k));
  }
  if (std::all_of(seconds.begin(), seconds.end(), [](double t) { return std::isnan(t); })) {
    return std::nullopt;
  }
  return ShapeTimes{family.grid(seconds), TimeSource::interpolation, outside};
}

}  // namespace headway
