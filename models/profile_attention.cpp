// Attention: what lies between measured heads.
#include <cmath>
#include <limits>
#include <vector>

#include "models/profile_rows.hpp"

namespace headway {
namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

double kv_heads_of(const ProfileRow& row) {
  return size_of(row, "kv_heads");
}
double head_dim_of(const ProfileRow& row) {
  return size_of(row, "head_dim");
}
double ratio_of(const ProfileRow& row) {
  return size_of(row, "heads") / size_of(row, "kv_heads");
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

/// Estimates of one time, each with a doubt: how far apart, in logarithms, the two measured times
/// are that it comes from. The less the doubt, the more it counts.
class Estimates {
 public:
  void add(double seconds, double doubt) {
    constexpr double kNoise = 0.02;  // of a measured time
    const double weight = 1 / (doubt * doubt + kNoise * kNoise);
    sum_ += weight * std::log(seconds);
    weights_ += weight;
  }

  /// What lies `upper` of the way, in logarithms, between two measured times; where only one was
  /// measured, that one.
  void add_between(double low, double high, double upper) {
    constexpr double kDoubtOfOne = 0.3;
    if (!std::isnan(low) && !std::isnan(high)) {
      add(low * std::pow(high / low, upper), std::abs(std::log(high / low)));
    } else if (!std::isnan(low) || !std::isnan(high)) {
      add(std::isnan(low) ? high : low, kDoubtOfOne);
    }
  }

  bool any() const { return weights_ > 0; }
  double seconds() const { return any() ? std::exp(sum_ / weights_) : kNotMeasured; }

 private:
  double sum_ = 0, weights_ = 0;
};

/// A row's times for other KV heads in the same groups: those of as many times its sequences, as a
/// kernel treats each KV head of each sequence alike.
class RowTimes {
 public:
  /// `row` may be nullptr: then nothing was measured.
  RowTimes(const ProfileFamily& family, const ProfileRow* row, double kv) : row_(row) {
    if (row == nullptr) return;
    grid_ = family.grid(row->seconds);
    factor_ = kv / kv_heads_of(*row);
  }

  double measured(double batch, double length) const {
    if (row_ == nullptr) return kNotMeasured;
    const GridTime time = grid_.at(batch * factor_, length);
    return time.inside ? time.seconds : kNotMeasured;
  }

  /// Continued beyond what was measured.
  double continued(double batch, double length) const {
    return grid_.at(batch * factor_, length).seconds;
  }

  /// At the row's own point: as measured, or continued from smaller batches or shorter lengths.
  double own(std::size_t batch, std::size_t length) const {
    if (row_ == nullptr) return kNotMeasured;
    const std::size_t lengths = grid_.axis(1).size();
    bool from_less = false;
    for (std::size_t i = 0; i <= batch; ++i) {
      from_less = from_less || !std::isnan(row_->seconds[i * lengths + length]);
    }
    for (std::size_t i = 0; i <= length; ++i) {
      from_less = from_less || !std::isnan(row_->seconds[batch * lengths + i]);
    }
    return from_less ? grid_.at(grid_.axis(0)[batch], grid_.axis(1)[length]).seconds : kNotMeasured;
  }

 private:
  const ProfileRow* row_ = nullptr;
  TimeGrid grid_;
  double factor_ = 1;
};

/// The heads that are asked for, and the rows around them on two ways.
struct HeadRows {
  double heads = 0, kv = 0;
  RowsAround by_heads;  // with the same KV heads
  RowsAround by_kv;     // in the same groups
};

/// Batched attention between measured heads, on two ways: over query heads at the same KV heads,
/// which a kernel hardly notices that waits for keys and values; and as so many more sequences of
/// the same groups. Which of the two a kernel follows, and where the engine changes kernels, its
/// own times tell: at each point that way counts more whose two measured times agree better.
std::vector<double> on_two_ways(const ProfileFamily& family, const HeadRows& rows) {
  const bool by_heads = rows.by_heads.both(), by_kv = rows.by_kv.both();
  const double upper = by_heads ? share_of_high(rows.by_heads, "heads", rows.heads) : 0;
  const double upper_kv = by_kv ? share_of_high(rows.by_kv, "kv_heads", rows.kv) : 0;
  const RowTimes less(family, by_heads ? rows.by_heads.low : nullptr, rows.kv);
  const RowTimes more(family, by_heads ? rows.by_heads.high : nullptr, rows.kv);
  const RowTimes low(family, rows.by_kv.low, rows.kv), high(family, rows.by_kv.high, rows.kv);
  const std::vector<double>&batches = family.axes[0], &lengths = family.axes[1];
  std::vector<double> seconds;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      const std::size_t i = seconds.size();
      const auto missing = [i](const ProfileRow* row) { return std::isnan(row->seconds[i]); };
      Estimates estimates;
      if (by_heads && !(missing(rows.by_heads.low) && missing(rows.by_heads.high))) {
        estimates.add_between(less.own(b, l), more.own(b, l), upper);
      }
      estimates.add_between(low.measured(batches[b], lengths[l]),
                            high.measured(batches[b], lengths[l]), 0.5);
      if (!estimates.any() && by_kv) {
        estimates.add_between(rows.by_kv.low->seconds[i], rows.by_kv.high->seconds[i], upper_kv);
      }
      seconds.push_back(estimates.seconds());
    }
  }
  return seconds;
}

/// Beyond the measured KV heads of a group: as so many more or fewer sequences.
std::vector<double> beyond(const ProfileFamily& family, const HeadRows& rows) {
  const ProfileRow* edge = rows.by_kv.low != nullptr ? rows.by_kv.low : rows.by_kv.high;
  const RowTimes scaled(family, edge, rows.kv);
  std::vector<double> seconds;
  for (const double batch : family.axes[0]) {
    for (const double length : family.axes[1]) seconds.push_back(scaled.continued(batch, length));
  }
  return seconds;
}

/// Heads that were not measured, of a family over batches: between the measured ones or beyond.
std::optional<ShapeTimes> batched_times(const ProfileFamily& family,
                                        const std::vector<const ProfileRow*>& same_kv,
                                        const std::vector<const ProfileRow*>& rows,
                                        const HeadShape& shape) {
  HeadRows around{static_cast<double>(shape.heads), static_cast<double>(shape.kv_heads), {}, {}};
  around.by_heads = rows_around(same_kv, "heads", around.heads);
  const double wanted = around.heads / around.kv;
  const double ratio = around.by_heads.both() ? wanted : nearest(rows, wanted, ratio_of);
  around.by_kv = rows_around(
      rows_where(rows, [ratio](const ProfileRow& row) { return ratio_of(row) == ratio; }),
      "kv_heads", around.kv);
  if (around.by_heads.both() || around.by_kv.both()) {
    return ShapeTimes{family.grid(on_two_ways(family, around)), TimeSource::interpolation, false};
  }
  if (!same_kv.empty()) return between_rows(family, same_kv, "heads", around.heads, false);
  return ShapeTimes{family.grid(beyond(family, around)), TimeSource::interpolation, true};
}

/// The same of a family that has no batch: over query heads, else over KV heads of their ratio.
std::optional<ShapeTimes> unbatched_times(const ProfileFamily& family,
                                          const std::vector<const ProfileRow*>& same_kv,
                                          const std::vector<const ProfileRow*>& rows,
                                          const HeadShape& shape) {
  const double heads = static_cast<double>(shape.heads), kv = static_cast<double>(shape.kv_heads);
  auto times = between_rows(family, same_kv, "heads", heads, false);
  if (times && !times->outside) return times;
  const double ratio = nearest(rows, heads / kv, ratio_of);
  auto by_ratio = between_rows(
      family, rows_where(rows, [ratio](const ProfileRow& row) { return ratio_of(row) == ratio; }),
      "kv_heads", kv, true);
  by_ratio->source = TimeSource::interpolation;
  return !times || !by_ratio->outside ? by_ratio : times;
}

}  // namespace

std::optional<ShapeTimes> attention_times(const ProfileFamily& family, const HeadShape& shape) {
  auto rows = rows_where(all_rows(family), [&shape](const ProfileRow& row) {
    return size_of(row, "window") == static_cast<double>(shape.window);
  });
  if (rows.empty() || shape.heads <= 0 || shape.kv_heads <= 0) return std::nullopt;
  const double wanted_dim = static_cast<double>(shape.head_dim);
  const double dim = nearest(rows, wanted_dim, head_dim_of);
  rows = rows_where(rows, [dim](const ProfileRow& row) { return head_dim_of(row) == dim; });
  const auto same_kv = rows_where(rows, [&shape](const ProfileRow& row) {
    return kv_heads_of(row) == static_cast<double>(shape.kv_heads);
  });

  std::optional<ShapeTimes> times;
  for (const ProfileRow* row : same_kv) {
    if (size_of(*row, "heads") == static_cast<double>(shape.heads)) {
      times = ShapeTimes{family.grid(row->seconds), TimeSource::profile, false};
    }
  }
  const bool batched = family.op == "attention_prefill" || family.op == "attention_decode";
  if (!times) {
    times = batched ? batched_times(family, same_kv, rows, shape)
                    : unbatched_times(family, same_kv, rows, shape);
  }
  if (times && dim != wanted_dim) {
    times->grid = times->grid.scaled(wanted_dim / dim);
    times->source = TimeSource::interpolation;
    times->outside = true;
  }
  return times;
}

}  // namespace headway
