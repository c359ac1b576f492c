#include "sim/serving/scaling_limits.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

Time longest_period(const Autoscaler::Direction& direction) {
  double seconds = 0;
  for (const auto& policy : direction.policies) seconds = std::max(seconds, policy.period_seconds);
  return to_picoseconds(seconds);
}

}  // namespace

std::int32_t ScalingLimits::allow(Time now, std::int32_t current, std::int32_t wish,
                                  std::int32_t min, std::int32_t max) {
  std::int32_t number = stabilised(now, current, wish);
  if (number > current)
    number = std::min({number, max, highest(now, current)});
  else if (number < current)
    number = std::max({number, min, lowest(now, current)});
  changed(now, current, number);
  forget(now);
  return number;
}

void ScalingLimits::changed(Time now, std::int32_t from, std::int32_t to) {
  if (to != from) changes_.push_back({now, to - from});
}

std::int32_t ScalingLimits::stabilised(Time now, std::int32_t current, std::int32_t wish) {
  const Time up_since = now - to_picoseconds(up_.window_seconds),
             down_since = now - to_picoseconds(down_.window_seconds);
  std::int32_t at_least = wish, at_most = wish;
  for (const Wish& earlier : wishes_) {
    if (earlier.at > up_since) at_least = std::min(at_least, earlier.replicas);
    if (earlier.at > down_since) at_most = std::max(at_most, earlier.replicas);
  }
  wishes_.push_back({now, wish});
  return std::clamp(current, at_least, at_most);
}

std::int32_t ScalingLimits::at_period_start(Time now, std::int32_t current,
                                            double period_seconds) const {
  const Time since = now - to_picoseconds(period_seconds);
  for (const Change& change : changes_)
    if (change.at > since) current -= change.replicas;
  return current;
}

std::int32_t ScalingLimits::highest(Time now, std::int32_t current) const {
  if (up_.disabled) return current;
  if (up_.policies.empty()) return INT32_MAX;
  std::int32_t limit = up_.select_largest ? 0 : INT32_MAX;
  for (const auto& policy : up_.policies) {
    const double start = at_period_start(now, current, policy.period_seconds);
    const double most =
        policy.replicas > 0 ? start + policy.replicas : std::ceil(start * (1 + policy.share));
    const auto number = static_cast<std::int32_t>(std::min(most, 1e9));
    limit = up_.select_largest ? std::max(limit, number) : std::min(limit, number);
  }
  return std::max(limit, current);
}

std::int32_t ScalingLimits::lowest(Time now, std::int32_t current) const {
  if (down_.disabled) return current;
  if (down_.policies.empty()) return 0;
  std::int32_t limit = down_.select_largest ? INT32_MAX : 0;
  for (const auto& policy : down_.policies) {
    const double start = at_period_start(now, current, policy.period_seconds);
    const double least =
        policy.replicas > 0 ? start - policy.replicas : std::floor(start * (1 - policy.share));
    const auto number = static_cast<std::int32_t>(std::max(least, 0.0));
    limit = down_.select_largest ? std::min(limit, number) : std::max(limit, number);
  }
  return std::min(limit, current);
}

void ScalingLimits::forget(Time now) {
  const Time window = to_picoseconds(std::max(up_.window_seconds, down_.window_seconds));
  while (!wishes_.empty() && wishes_.front().at <= now - window) wishes_.pop_front();
  const Time period = std::max(longest_period(up_), longest_period(down_));
  while (!changes_.empty() && changes_.front().at <= now - period) changes_.pop_front();
}

}  // namespace headway
