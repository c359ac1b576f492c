// Attention, experts and families of one size: what lies between measured shapes.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/profile_shapes.hpp"

namespace headway {
namespace {

double size_of(const ProfileRow& row, const char* name) {
  const auto found = row.shape.find(name);
  return found == row.shape.end() ? 0 : static_cast<double>(found->second);
}

/// low · (high / low)^upper, point by point; of what both have.
std::vector<double> between(const ProfileRow& low, const ProfileRow& high, double upper,
                            double scale) {
  std::vector<double> seconds(low.seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const double a = low.seconds[i], b = high.seconds[i];
    seconds[i] = scale * (std::isnan(a) ? b : std::isnan(b) ? a : a * std::pow(b / a, upper));
  }
  return seconds;
}

/// A row's times for `factor` times its KV heads in the same groups: those of as many times its
/// sequences, as a kernel treats each KV head of each sequence alike.
std::vector<double> as_many_sequences(const ProfileFamily& family, const ProfileRow& row,
                                      double factor) {
  const TimeGrid grid = family.grid(row.seconds);
  std::vector<double> seconds;
  for (const double batch : family.axes[0]) {
    for (const double length : family.axes[1]) {
      seconds.push_back(grid.at(batch * factor, length).seconds);
    }
  }
  return seconds;
}

/// Between the rows whose `size` is next below and next above `value`; beyond them in proportion to
/// the size where `proportional` (of batched attention: as so many more sequences), as the nearest
/// row otherwise.
std::optional<ShapeTimes> between_rows(const ProfileFamily& family,
                                       const std::vector<const ProfileRow*>& rows, const char* size,
                                       double value, bool proportional) {
  const ProfileRow *low = nullptr, *high = nullptr;
  for (const ProfileRow* row : rows) {
    const double at = size_of(*row, size);
    if (at <= value && (low == nullptr || at > size_of(*low, size))) low = row;
    if (at >= value && (high == nullptr || at < size_of(*high, size))) high = row;
  }
  if (low == nullptr && high == nullptr) return std::nullopt;
  if (low == high) return ShapeTimes{family.grid(low->seconds), TimeSource::profile, false};
  if (low == nullptr || high == nullptr) {
    const ProfileRow& edge = low == nullptr ? *high : *low;
    const double factor = proportional ? value / size_of(edge, size) : 1;
    const bool batched = family.op == "attention_prefill" || family.op == "attention_decode";
    return ShapeTimes{family.grid(batched ? as_many_sequences(family, edge, factor)
                                          : between(edge, edge, 0, factor)),
                      TimeSource::interpolation, true};
  }
  const double upper =
      std::log(value / size_of(*low, size)) / std::log(size_of(*high, size) / size_of(*low, size));
  return ShapeTimes{family.grid(between(*low, *high, upper, 1)), TimeSource::interpolation, false};
}

/// The value among the rows that is nearest in logarithms.
double nearest(const std::vector<const ProfileRow*>& rows, double value,
               double (*of)(const ProfileRow&)) {
  double best = 0;
  for (const ProfileRow* row : rows) {
    const double at = of(*row);
    if (best == 0 || std::abs(std::log(at / value)) < std::abs(std::log(best / value))) best = at;
  }
  return best;
}

double kv_heads_of(const ProfileRow& row) {
  return size_of(row, "kv_heads");
}
double head_dim_of(const ProfileRow& row) {
  return size_of(row, "head_dim");
}
double ratio_of(const ProfileRow& row) {
  return size_of(row, "heads") / size_of(row, "kv_heads");
}

template <class Keep>
std::vector<const ProfileRow*> rows_where(const std::vector<const ProfileRow*>& rows, Keep keep) {
  std::vector<const ProfileRow*> kept;
  for (const ProfileRow* row : rows) {
    if (keep(*row)) kept.push_back(row);
  }
  return kept;
}

/// Between rows that differ from the shape in one size alone.
std::optional<ShapeTimes> between_experts(const ProfileFamily& family, const ExpertShape& shape,
                                          const char* size, double value) {
  std::vector<const ProfileRow*> rows;
  for (const ProfileRow& row : family.rows) {
    const auto same = [&](const char* name, std::int64_t wanted) {
      return std::string_view(name) == size || size_of(row, name) == static_cast<double>(wanted);
    };
    if (same("hidden", shape.hidden) && same("inner", shape.inner) &&
        same("experts", shape.experts) && same("topk", shape.topk) &&
        same("expert_parallel", shape.expert_parallel)) {
      rows.push_back(&row);
    }
  }
  auto times = between_rows(family, rows, size, value, false);
  if (times && times->outside) return std::nullopt;
  return times;
}

}  // namespace

std::optional<ShapeTimes> attention_times(const ProfileFamily& family, const HeadShape& shape) {
  std::vector<const ProfileRow*> rows;
  for (const ProfileRow& row : family.rows) {
    if (size_of(row, "window") == static_cast<double>(shape.window)) rows.push_back(&row);
  }
  if (rows.empty() || shape.heads <= 0 || shape.kv_heads <= 0) return std::nullopt;
  const double dim = nearest(rows, static_cast<double>(shape.head_dim), head_dim_of);
  rows = rows_where(rows, [dim](const ProfileRow& row) { return head_dim_of(row) == dim; });

  const double heads = static_cast<double>(shape.heads), kv = static_cast<double>(shape.kv_heads);
  const auto same_kv =
      rows_where(rows, [kv](const ProfileRow& row) { return kv_heads_of(row) == kv; });
  std::optional<ShapeTimes> times;
  if (!same_kv.empty()) times = between_rows(family, same_kv, "heads", heads, false);
  if (!times || times->outside) {
    const double ratio = nearest(rows, heads / kv, ratio_of);
    const auto same_ratio =
        rows_where(rows, [ratio](const ProfileRow& row) { return ratio_of(row) == ratio; });
    auto by_ratio = between_rows(family, same_ratio, "kv_heads", kv, true);
    if (by_ratio && ratio != heads / kv) by_ratio->source = TimeSource::interpolation;
    if (!times || !by_ratio->outside) times = by_ratio;
  }
  if (times && dim != static_cast<double>(shape.head_dim)) {
    times->grid = times->grid.scaled(static_cast<double>(shape.head_dim) / dim);
    times->source = TimeSource::interpolation;
    times->outside = true;
  }
  return times;
}

std::optional<ShapeTimes> sized_times(const ProfileFamily& family, const char* size,
                                      std::int64_t value) {
  std::vector<const ProfileRow*> rows;
  for (const ProfileRow& row : family.rows) rows.push_back(&row);
  const bool proportional = std::string_view(size) != "gpus";
  return between_rows(family, rows, size, static_cast<double>(value), proportional);
}

/// Sum of the logarithms of the sizes' ratios: shapes farther apart tell nothing of each other.
constexpr double kFarthest = 4.2;

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
