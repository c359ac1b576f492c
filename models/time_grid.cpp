#include "models/time_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/model_error.hpp"

namespace headway {
namespace {

/// Continues `before`, `last` at coordinates x0 < x1 to x > x1; never below `last`.
double continued(double x0, double before, double x1, double last, double x, Joining joining) {
  if (joining == Joining::power) {
    const double slope = std::max(0.0, std::log(last / before) / std::log(x1 / x0));
    return last * std::pow(x / x1, slope);
  }
  return last + std::max(0.0, (last - before) / (x1 - x0)) * (x - x1);
}

double joined(double x0, double low, double x1, double high, double x, Joining joining) {
  if (joining == Joining::power) {
    return low * std::pow(high / low, std::log(x / x0) / std::log(x1 / x0));
  }
  return low + (high - low) * ((x - x0) / (x1 - x0));
}

}  // namespace

TimeGrid::TimeGrid(std::vector<std::vector<double>> axes, std::vector<double> seconds,
                   std::vector<Joining> joining)
    : axes_(std::move(axes)), seconds_(std::move(seconds)), joining_(std::move(joining)) {
  if (axes_.empty() || axes_.size() > 3 || joining_.size() != axes_.size()) {
    throw ModelError(fmt::format("a grid has {} axes; expected one to three", axes_.size()));
  }
  strides_.assign(axes_.size(), 1);
  std::size_t points = 1;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::vector<double>& axis = axes_[i];
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
  continue_from_measured();
  if (axes_.size() == 2 && joining_[0] == Joining::power && joining_[1] == Joining::power &&
      axes_[0].size() > 1 && axes_[1].size() > 1) {
    keep_logarithms();
  }
}

void TimeGrid::keep_logarithms() {
  log_axes_ = axes_;
  log_seconds_ = seconds_;
  for (std::vector<double>& axis : log_axes_) {
    for (double& value : axis) value = std::log(value);
  }
  for (double& value : log_seconds_) value = std::log(value);
}

void TimeGrid::continue_from_measured() {
  measured_.resize(seconds_.size());
  for (std::size_t i = 0; i < seconds_.size(); ++i) measured_[i] = !std::isnan(seconds_[i]);
  // Upwards along each axis from the points below; then downwards, by what is next above.
  const auto index = [this](std::size_t point, std::size_t axis) {
    return point / strides_[axis] % axes_[axis].size();
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t axis = 0; axis < axes_.size() && !changed; ++axis) {
      const std::size_t stride = strides_[axis];
      for (std::size_t i = 0; i < seconds_.size(); ++i) {
        const std::size_t at = index(i, axis);
        if (!std::isnan(seconds_[i]) || at == 0 || std::isnan(seconds_[i - stride])) continue;
        const double last = seconds_[i - stride];
        const std::vector<double>& x = axes_[axis];
        seconds_[i] = at >= 2 && !std::isnan(seconds_[i - 2 * stride])
                          ? continued(x[at - 2], seconds_[i - 2 * stride], x[at - 1], last, x[at],
                                      joining_[axis])
                          : last * x[at] / std::max(x[at - 1], 1e-9);
        changed = true;
      }
    }
    for (std::size_t axis = 0; axis < axes_.size() && !changed; ++axis) {
      const std::size_t stride = strides_[axis];
      for (std::size_t i = seconds_.size(); i-- > 0;) {
        if (!std::isnan(seconds_[i]) || index(i, axis) + 1 == axes_[axis].size()) continue;
        if (std::isnan(seconds_[i + stride])) continue;
        seconds_[i] = seconds_[i + stride];
        changed = true;
      }
    }
  }
}

bool TimeGrid::inside(double first, double second) const {
  const double point[] = {first, second};
  std::size_t low[2], high[2];
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::vector<double>& x = axes_[axis];
    if (!(point[axis] >= x.front() && point[axis] <= x.back())) return false;
    high[axis] =
        static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), point[axis]) - x.begin());
    low[axis] = x[high[axis]] == point[axis] ? high[axis] : high[axis] - 1;
  }
  const auto measured = [this](std::size_t i, std::size_t j) {
    return measured_[i * strides_[0] + j * strides_[1]] != 0;
  };
  return measured(low[0], low[1]) && measured(low[0], high[1]) && measured(high[0], low[1]) &&
         measured(high[0], high[1]);
}

TimeGrid TimeGrid::scaled(double factor) const {
  TimeGrid grid = *this;
  for (double& time : grid.seconds_) time *= factor;
  for (double& time : grid.log_seconds_) time += std::log(factor);
  return grid;
}

GridTime TimeGrid::at(const double* point) const {
  if (!log_seconds_.empty() && point[0] >= axes_[0].front() && point[0] < axes_[0].back() &&
      point[1] >= axes_[1].front() && point[1] < axes_[1].back()) {
    return among_powers(point);
  }
  return along(0, 0, point);
}

/// Two axes joined by powers: linear in the logarithms, so that one exponential is enough.
GridTime TimeGrid::among_powers(const double* point) const {
  std::size_t low[2];
  double upper[2];
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::vector<double>& x = log_axes_[axis];
    low[axis] = static_cast<std::size_t>(
        std::upper_bound(axes_[axis].begin(), axes_[axis].end(), point[axis]) -
        axes_[axis].begin() - 1);
    upper[axis] = (std::log(point[axis]) - x[low[axis]]) / (x[low[axis] + 1] - x[low[axis]]);
  }
  const std::size_t corner = low[0] * strides_[0] + low[1];
  const double* t = log_seconds_.data() + corner;
  const std::size_t down = strides_[0];
  const double near = t[0] + upper[1] * (t[1] - t[0]);
  const double far = t[down] + upper[1] * (t[down + 1] - t[down]);
  const char* m = measured_.data() + corner;
  return {std::exp(near + upper[0] * (far - near)), m[0] && m[1] && m[down] && m[down + 1]};
}

GridTime TimeGrid::along(std::size_t axis, std::size_t offset, const double* point) const {
  if (axis == axes_.size()) return {seconds_[offset], measured_[offset] != 0};
  const std::vector<double>& x = axes_[axis];
  const double value = point[axis];
  const std::size_t stride = strides_[axis];
  const auto next = [&](std::size_t index) {
    return along(axis + 1, offset + index * stride, point);
  };
  if (!(value > x.front())) {
    GridTime first = next(0);
    first.inside = first.inside && value >= x.front();
    return first;
  }
  if (value > x.back()) {
    const GridTime last = next(x.size() - 1);
    if (x.size() == 1) {
      return {last.seconds * (joining_[axis] == Joining::power ? 1 : value / x.back()), false};
    }
    const GridTime before = next(x.size() - 2);
    return {
        continued(x[x.size() - 2], before.seconds, x.back(), last.seconds, value, joining_[axis]),
        false};
  }
  const std::size_t above =
      static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), value) - x.begin());
  if (x[above] == value) return next(above);
  const GridTime low = next(above - 1), high = next(above);
  return {joined(x[above - 1], low.seconds, x[above], high.seconds, value, joining_[axis]),
          low.inside && high.inside};
}

}  // namespace headway
