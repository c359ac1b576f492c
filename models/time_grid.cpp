#include "models/time_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/model_error.hpp"

namespace headway {
namespace {

constexpr double kLongestSeconds = 1e12;
constexpr double kTile = 16;

/// Continues `before`, `last` at coordinates x0 < x1 to x > x1; never below `last`, and to
/// kLongestSeconds at most.
double continued(double x0, double before, double x1, double last, double x, Joining joining) {
  if (joining == Joining::power) {
    const double slope = std::max(0.0, std::log(last / before) / std::log(x1 / x0));
    return last * std::min(std::pow(x / x1, slope), std::max(1.0, kLongestSeconds / last));
  }
  const double slope = std::max(0.0, (last - before) / (x1 - x0));
  return std::max(last, std::min(last + slope * (x - x1), kLongestSeconds));
}

double joined(double x0, double low, double x1, double high, double x, Joining joining) {
  if (joining == Joining::power) {
    return low * std::pow(high / low, std::log(x / x0) / std::log(x1 / x0));
  }
  if (joining == Joining::tiles && x1 - x0 == kTile && std::fmod(x1, kTile) == 0) return high;
  return low + (high - low) * ((x - x0) / (x1 - x0));
}

}  // namespace

TimeGrid::TimeGrid(std::vector<std::vector<double>> axes, std::vector<double> seconds,
                   std::vector<Joining> joining)
    : seconds_(std::move(seconds)), joining_(std::move(joining)) {
  if (axes.empty() || axes.size() > 3 || joining_.size() != axes.size()) {
    throw ModelError(fmt::format("a grid has {} axes; expected one to three", axes.size()));
  }
  strides_.assign(axes.size(), 1);
  std::size_t points = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::vector<double>& axis = axes[i];
    const double least = joining_[i] == Joining::power ? std::nextafter(0.0, 1.0) : 0.0;
    const bool ascends =
        std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) == axis.end();
    if (axis.empty() || !ascends || !(axis.front() >= least) || !std::isfinite(axis.back())) {
      throw ModelError("an axis of a grid does not ascend; expected numbers each above the last");
    }
    strides_[i] = points;
    points *= axis.size();
  }
  if (seconds_.size() != points) {
    throw ModelError(
        fmt::format("a grid has {} times; expected {}, one a point", seconds_.size(), points));
  }
  bool any = false;
  for (const double time : seconds_) {
    if (std::isnan(time)) continue;
    if (!(time > 0) || !std::isfinite(time)) {
      throw ModelError(fmt::format("a grid has a time of {} s; expected a positive one", time));
    }
    any = true;
  }
  if (!any) throw ModelError("a grid has no measured time");
  axes_.reserve(axes.size());
  for (std::vector<double>& axis : axes) axes_.emplace_back(std::move(axis));
  continue_from_measured();
  if (axes_.size() == 2 && joining_[0] == Joining::power && joining_[1] == Joining::power &&
      axis(0).size() > 1 && axis(1).size() > 1) {
    keep_logarithms();
  }
}

void TimeGrid::keep_logarithms() {
  log_axes_ = {axis(0), axis(1)};
  log_seconds_ = seconds_;
  for (std::vector<double>& points : log_axes_) {
    for (double& value : points) value = std::log(value);
  }
  for (double& value : log_seconds_) value = std::log(value);
}

void TimeGrid::continue_from_measured() {
  measured_.resize(seconds_.size());
  for (std::size_t i = 0; i < seconds_.size(); ++i) measured_[i] = !std::isnan(seconds_[i]);
  // Upwards along each axis from the points below; then downwards, by what is next above.
  const auto index = [this](std::size_t point, std::size_t of) {
    return point / strides_[of] % axis(of).size();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t of = 0; of < axes_.size() && !changed; ++of) {
      const std::size_t stride = strides_[of];
      for (std::size_t i = 0; i < seconds_.size(); ++i) {
        const std::size_t at = index(i, of);
        if (!std::isnan(seconds_[i]) || at == 0 || std::isnan(seconds_[i - stride])) continue;
        const double last = seconds_[i - stride];
        const std::vector<double>& x = axis(of);
        seconds_[i] = at >= 2 && !std::isnan(seconds_[i - 2 * stride])
                          ? continued(x[at - 2], seconds_[i - 2 * stride], x[at - 1], last, x[at],
                                      joining_[of])
                          : last * x[at] / std::max(x[at - 1], 1e-9);
        changed = true;
      }
    }
    for (std::size_t of = 0; of < axes_.size() && !changed; ++of) {
      const std::size_t stride = strides_[of];
      for (std::size_t i = seconds_.size(); i-- > 0;) {
        if (!std::isnan(seconds_[i]) || index(i, of) + 1 == axis(of).size()) continue;
        if (std::isnan(seconds_[i + stride])) continue;
        seconds_[i] = seconds_[i + stride];
        changed = true;
      }
    }
  }
}

TimeGrid TimeGrid::scaled(double factor) const {
  TimeGrid grid = *this;
  for (double& time : grid.seconds_) time *= factor;
  for (double& time : grid.log_seconds_) time += std::log(factor);
  return grid;
}

GridTime TimeGrid::at(const double* point) const {
  if (!log_seconds_.empty() && point[0] >= axis(0).front() && point[0] < axis(0).back() &&
      point[1] >= axis(1).front() && point[1] < axis(1).back()) {
    return among_powers(point);
  }
  return along(0, 0, point);
}

/// Two axes joined by powers: linear in the logarithms, so that one exponential is enough.
GridTime TimeGrid::among_powers(const double* point) const {
  std::size_t low[2];
  double upper[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::vector<double>& x = log_axes_[i];
    low[i] = axes_[i].at_or_below(point[i]) - 1;
    upper[i] = axis(i)[low[i]] == point[i]
                   ? 0
                   : (std::log(point[i]) - x[low[i]]) / (x[low[i] + 1] - x[low[i]]);
  }
  const std::size_t corner = low[0] * strides_[0] + low[1];
  const double* t = log_seconds_.data() + corner;
  const std::size_t down = strides_[0];
  const double near = t[0] + upper[1] * (t[1] - t[0]);
  const double far = t[down] + upper[1] * (t[down + 1] - t[down]);
  const char* m = measured_.data() + corner;
  const bool right = upper[1] == 0 || (m[1] && (upper[0] == 0 || m[down + 1]));
  return {std::exp(near + upper[0] * (far - near)), m[0] && right && (upper[0] == 0 || m[down])};
}

GridTime TimeGrid::along(std::size_t of, std::size_t offset, const double* point) const {
  if (of == axes_.size()) return {seconds_[offset], measured_[offset] != 0};
  const std::vector<double>& x = axis(of);
  const double value = point[of];
  const std::size_t stride = strides_[of];
  const auto next = [&](std::size_t index) {
    return along(of + 1, offset + index * stride, point);
  };
  if (!(value > x.front())) {
    GridTime first = next(0);
    first.inside = first.inside && value >= x.front();
    return first;
  }
  const std::size_t above = axes_[of].at_or_below(value);
  if (x[above - 1] == value) return next(above - 1);
  if (above == x.size()) {
    const GridTime last = next(x.size() - 1);
    if (x.size() == 1) {
      return {last.seconds * (joining_[of] == Joining::power ? 1 : value / x.back()), false};
    }
    const GridTime before = next(x.size() - 2);
    return {continued(x[x.size() - 2], before.seconds, x.back(), last.seconds, value, joining_[of]),
            false};
  }
  const GridTime low = next(above - 1), high = next(above);
  return {joined(x[above - 1], low.seconds, x[above], high.seconds, value, joining_[of]),
          low.inside && high.inside};
}

}  // namespace headway
