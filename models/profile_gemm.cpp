#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/model_error.hpp"
#include "models/profile_shapes.hpp"

namespace headway {
namespace {

/// A roofline with the table's own best rates: what measured times are compared with.
struct BestRates {
  double flops = 1, bytes = 1, floor_seconds = 0, weight = 2;

  BestRates(const ProfileFamily& family, double weight_bytes)
      : floor_seconds(std::numeric_limits<double>::infinity()), weight(weight_bytes) {
    for (const ProfileRow& row : family.rows) {
      const double n = static_cast<double>(row.shape.at("n"));
      const double k = static_cast<double>(row.shape.at("k"));
      for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        if (std::isnan(row.seconds[i])) continue;
        const double m = family.axes[0][i];
        flops = std::max(flops, 2 * m * n * k / row.seconds[i]);
        // What fits a cache can pass faster than memory: only large matrices tell its rate.
        if (n * k * weight > 1.2e8) bytes = std::max(bytes, moved(m, n, k) / row.seconds[i]);
        floor_seconds = std::min(floor_seconds, row.seconds[i]);
      }
    }
    if (bytes <= 1) {  // only small matrices
      for (const ProfileRow& row : family.rows) {
        const double n = static_cast<double>(row.shape.at("n"));
        const double k = static_cast<double>(row.shape.at("k"));
        for (std::size_t i = 0; i < row.seconds.size(); ++i) {
          if (!std::isnan(row.seconds[i])) {
            bytes = std::max(bytes, moved(family.axes[0][i], n, k) / row.seconds[i]);
          }
        }
      }
    }
  }

  double moved(double m, double n, double k) const { return weight * n * k + 2 * m * (n + k); }

  double seconds(double m, double n, double k) const {
    const double compute = 2 * m * n * k / flops, memory = moved(m, n, k) / bytes;
    constexpr double kSharpness = 4;  // of the corner between the two
    const double both =
        std::pow(std::pow(compute, kSharpness) + std::pow(memory, kSharpness), 1 / kSharpness);
    return floor_seconds + both;
  }
};

struct Weighted {
  const ProfileRow* row = nullptr;
  double weight = 0;
};

/// The neighbours of `value` in an ascending list, and how near the upper one is in logarithms.
struct Bracket {
  std::int64_t low = 0, high = 0;
  double upper = 0;  // weight of high
  bool outside = false;
};

Bracket bracket(const std::vector<std::int64_t>& values, std::int64_t value) {
  Bracket b;
  if (value <= values.front() || value >= values.back()) {
    b.low = b.high = value <= values.front() ? values.front() : values.back();
    b.outside = value != b.low;
    return b;
  }
  const auto high = std::lower_bound(values.begin(), values.end(), value);
  b.high = *high;
  b.low = *high == value ? value : *(high - 1);
  if (b.high != b.low) {
    b.upper = std::log(static_cast<double>(value) / static_cast<double>(b.low)) /
              std::log(static_cast<double>(b.high) / static_cast<double>(b.low));
  }
  return b;
}

std::vector<Weighted> nearest_four(const ProfileFamily& family, double n, double k) {
  std::vector<std::pair<double, const ProfileRow*>> near;
  for (const ProfileRow& row : family.rows) {
    const double dn = std::log(static_cast<double>(row.shape.at("n")) / n);
    const double dk = std::log(static_cast<double>(row.shape.at("k")) / k);
    near.emplace_back(dn * dn + dk * dk, &row);
  }
  const std::size_t count = std::min<std::size_t>(4, near.size());
  std::partial_sort(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(count), near.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Weighted> rows;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back({near[i].second, 1 / std::max(near[i].first, 1e-12)});
    sum += rows.back().weight;
  }
  for (Weighted& row : rows) row.weight /= sum;
  return rows;
}

/// The measured shapes around [n, k] with their weights.
std::vector<Weighted> around(const ProfileFamily& family, std::int64_t n, std::int64_t k,
                             bool* outside) {
  std::vector<std::int64_t> ns, ks;
  for (const ProfileRow& row : family.rows) {
    ns.push_back(row.shape.at("n"));
    ks.push_back(row.shape.at("k"));
  }
  for (std::vector<std::int64_t>* values : {&ns, &ks}) {
    std::sort(values->begin(), values->end());
    values->erase(std::unique(values->begin(), values->end()), values->end());
  }
  const Bracket bn = bracket(ns, n), bk = bracket(ks, k);
  *outside = bn.outside || bk.outside;
  const auto row_of = [&family](std::int64_t rn, std::int64_t rk) -> const ProfileRow* {
    for (const ProfileRow& row : family.rows) {
      if (row.shape.at("n") == rn && row.shape.at("k") == rk) return &row;
    }
    return nullptr;
  };
  std::vector<Weighted> rows;
  for (const bool high_n : {false, true}) {
    for (const bool high_k : {false, true}) {
      const double weight = (high_n ? bn.upper : 1 - bn.upper) * (high_k ? bk.upper : 1 - bk.upper);
      if (weight <= 0) continue;
      const ProfileRow* row = row_of(high_n ? bn.high : bn.low, high_k ? bk.high : bk.low);
      if (row == nullptr) {
        return nearest_four(family, static_cast<double>(n), static_cast<double>(k));
      }
      rows.push_back({row, weight});
    }
  }
  return rows;
}

}  // namespace

double format_bytes(const std::string& format) {
  if (format == "fp8" || format == "fp8_block" || format == "int8" || format == "int8_wo") return 1;
  if (format == "int4" || format == "fp4" || format == "mxfp4") return 0.55;
  return 2;
}

std::optional<ShapeTimes> gemm_times(const ProfileFamily& family, const std::string& format,
                                     std::int64_t n, std::int64_t k) {
  if (family.rows.empty() || n <= 0 || k <= 0) return std::nullopt;
  bool outside = false;
  const std::vector<Weighted> rows = around(family, n, k, &outside);
  if (rows.size() == 1 && !outside) {
    return ShapeTimes{family.grid(rows.front().row->seconds), TimeSource::profile, false};
  }
  const BestRates best(family, format_bytes(format));
  const std::vector<double>& tokens = family.axes[0];
  std::vector<double> seconds(tokens.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    double log_ratio = 0, weight = 0;
    for (const Weighted& each : rows) {
      const double time = each.row->seconds[i];
      if (std::isnan(time)) continue;
      const double rn = static_cast<double>(each.row->shape.at("n"));
      const double rk = static_cast<double>(each.row->shape.at("k"));
      log_ratio += each.weight * std::log(time / best.seconds(tokens[i], rn, rk));
      weight += each.weight;
    }
    if (weight < 0.3) continue;
    seconds[i] = std::exp(log_ratio / weight) *
                 best.seconds(tokens[i], static_cast<double>(n), static_cast<double>(k));
  }
  if (std::all_of(seconds.begin(), seconds.end(), [](double t) { return std::isnan(t); })) {
    return std::nullopt;
  }
  return ShapeTimes{family.grid(seconds), TimeSource::interpolation, outside};
}

}  // namespace headway
