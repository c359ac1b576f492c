// Routed experts: what lies between measured shapes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "models/profile_rows.hpp"

namespace headway {
namespace {

/// The rows that differ from the shape in one size alone.
std::vector<const ProfileRow*> rows_along(const ProfileFamily& family, const ExpertShape& shape,
                                          std::string_view size) {
  return rows_where(all_rows(family), [&](const ProfileRow& row) {
    const auto same = [&](const char* name, std::int64_t wanted) {
      return name == size || size_of(row, name) == static_cast<double>(wanted);
    };
    return same("hidden", shape.hidden) && same("inner", shape.inner) &&
           same("experts", shape.experts) && same("topk", shape.topk) &&
           same("expert_parallel", shape.expert_parallel);
  });
}

/// Between such rows.
std::optional<ShapeTimes> between_experts(const ProfileFamily& family,
                                          const std::vector<const ProfileRow*>& rows,
                                          const char* size, double value) {
  auto times = between_rows(family, rows, size, value, false);
  if (times && times->outside) return std::nullopt;
  return times;
}

/// At most twice or half the last of such rows: on with the power of the last two, which flattens
/// towards launches and routing as they do, and is never more than in proportion.
std::optional<ShapeTimes> next_experts(const ProfileFamily& family,
                                       const std::vector<const ProfileRow*>& rows, const char* size,
                                       double value) {
  constexpr double kFarthest = 2.01;  // split widths are rounded
  const ProfileRow *last = nullptr, *before = nullptr;
  const auto away = [&](const ProfileRow* row) {
    return row == nullptr ? std::numeric_limits<double>::infinity()
                          : std::abs(std::log(size_of(*row, size) / value));
  };
  for (const ProfileRow* row : rows) {
    if (away(row) < away(last)) {
      before = last;
      last = row;
    } else if (away(row) < away(before)) {
      before = row;
    }
  }
  if (before == nullptr || away(last) > std::log(kFarthest)) return std::nullopt;
  const double to_last = std::log(size_of(*last, size) / size_of(*before, size));
  const double on = std::log(value / size_of(*last, size));
  std::vector<double> seconds(last->seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    double power = std::log(last->seconds[i] / before->seconds[i]) / to_last;
    if (std::isnan(power)) power = 0;  // not measured before the last
    seconds[i] = last->seconds[i] * std::exp(on * std::clamp(power, -1.0, 1.0));
  }
  return ShapeTimes{family.grid(seconds), TimeSource::interpolation, false};
}

/// Sum of the logarithms of the sizes' ratios: shapes farther apart tell nothing of each other.
constexpr double kFarthest = 4.2;

}  // namespace

std::optional<ShapeTimes> expert_times(const ProfileFamily& family, const ExpertShape& shape) {
  const double width = static_cast<double>(shape.inner);
  const double split = static_cast<double>(shape.expert_parallel);
  const auto by_inner = rows_along(family, shape, "inner");
  const auto by_split = rows_along(family, shape, "expert_parallel");
  if (auto times = between_experts(family, by_inner, "inner", width)) return times;
  if (auto times = between_experts(family, by_split, "expert_parallel", split)) return times;
  if (auto times = next_experts(family, by_inner, "inner", width)) return times;
  if (auto times = next_experts(family, by_split, "expert_parallel", split)) return times;
  const auto distance = [&shape](const ProfileRow& row) {
    const auto of = [&row](const char* name, std::int64_t wanted) {
      return std::abs(
          std::log(size_of(row, name) / static_cast<double>(std::max<std::int64_t>(1, wanted))));
    };
    return of("hidden", shape.hidden) + of("inner", shape.inner) + of("experts", shape.experts) +
           of("topk", shape.topk) + of("expert_parallel", shape.expert_parallel);
  };
  const ProfileRow* best = nullptr;
  double least = kFarthest;
  for (const ProfileRow& row : family.rows) {
    if (const double d = distance(row); d < least || (best == nullptr && d <= least)) {
      least = d;
      best = &row;
    }
  }
  if (best == nullptr) return std::nullopt;
  if (least < 1e-9) return ShapeTimes{family.grid(best->seconds), TimeSource::profile, false};
  // At as many rows an expert, in proportion to the experts' weights on the GPU: of each as large a
  // part is touched, and read or multiplied as often.
  const auto rows = [](double topk, double experts) { return topk / std::max(1.0, experts); };
  const auto weights = [](double hidden, double inner, double experts, double parallel) {
    return hidden * inner * experts / parallel;
  };
  const double as_many = rows(static_cast<double>(shape.topk), static_cast<double>(shape.experts)) /
                         rows(size_of(*best, "topk"), size_of(*best, "experts"));
  const double factor =
      weights(static_cast<double>(shape.hidden), width, static_cast<double>(shape.experts), split) /
      weights(size_of(*best, "hidden"), size_of(*best, "inner"), size_of(*best, "experts"),
              size_of(*best, "expert_parallel"));
  const TimeGrid known = family.grid(best->seconds);
  constexpr double kFloor = 20e-6;  // launches, routing: the same for every shape
  std::vector<double> seconds;
  for (const double tokens : family.axes[0]) {
    const double there = known.at(tokens * as_many).seconds;
    const double floor = std::min(kFloor, 0.9 * there);
    seconds.push_back(floor + (there - floor) * factor);
  }
  return ShapeTimes{family.grid(seconds), TimeSource::interpolation, least > std::log(4.0)};
}

}  // namespace headway
