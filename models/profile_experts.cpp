// Routed experts: what lies between measured shapes.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "models/profile_rows.hpp"

namespace headway {
namespace {

/// Between rows that differ from the shape in one size alone.
std::optional<ShapeTimes> between_experts(const ProfileFamily& family, const ExpertShape& shape,
                                          const char* size, double value) {
  const auto rows = rows_where(all_rows(family), [&](const ProfileRow& row) {
    const auto same = [&](const char* name, std::int64_t wanted) {
      return std::string_view(name) == size || size_of(row, name) == static_cast<double>(wanted);
    };
    return same("hidden", shape.hidden) && same("inner", shape.inner) &&
           same("experts", shape.experts) && same("topk", shape.topk) &&
           same("expert_parallel", shape.expert_parallel);
  });
  auto times = between_rows(family, rows, size, value, false);
  if (times && times->outside) return std::nullopt;
  return times;
}

/// Sum of the logarithms of the sizes' ratios: shapes farther apart tell nothing of each other.
constexpr double kFarthest = 4.2;

}  // namespace

std::optional<ShapeTimes> expert_times(const ProfileFamily& family, const std::string& format,
                                       const ExpertShape& shape) {
  if (auto times = between_experts(family, shape, "inner", static_cast<double>(shape.inner))) {
    return times;
  }
  if (auto times = between_experts(family, shape, "expert_parallel",
                                   static_cast<double>(shape.expert_parallel))) {
    return times;
  }
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
  // In proportion to the larger of the weights read and the products made, relative to each other.
  const double weight = format_bytes(format);
  const auto work = [weight](double tokens, double hidden, double inner, double experts,
                             double topk, double parallel) {
    const double touched = experts * (1 - std::pow(1 - std::min(1.0, topk / experts), tokens));
    const double read = 3 * hidden * inner * touched / parallel * weight;
    const double products = 6 * hidden * inner * tokens * topk / parallel;
    constexpr double kBalance = 250;  // products a byte at which the two take equal time
    return read + products / kBalance;
  };
  std::vector<double> seconds = best->seconds;
  constexpr double kFloor = 20e-6;  // launches, routing: the same for every shape
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double tokens = family.axes[0][i];
    const double factor =
        work(tokens, static_cast<double>(shape.hidden), static_cast<double>(shape.inner),
             static_cast<double>(shape.experts), static_cast<double>(shape.topk),
             static_cast<double>(shape.expert_parallel)) /
        work(tokens, size_of(*best, "hidden"), size_of(*best, "inner"), size_of(*best, "experts"),
             size_of(*best, "topk"), size_of(*best, "expert_parallel"));
    const double floor = std::min(kFloor, 0.9 * seconds[i]);
    seconds[i] = floor + (seconds[i] - floor) * factor;
  }
  return ShapeTimes{family.grid(seconds), TimeSource::interpolation, least > std::log(4.0)};
}

}  // namespace headway
