#include "calibration/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

MedianInterval median_interval(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const std::size_t count = seconds.size();
  MedianInterval interval;
  interval.median =
      count % 2 == 1 ? seconds[count / 2] : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
  interval.low = interval.high = interval.median;
  constexpr std::size_t kLeast = 6;  // 1 - 2 · 2^-6 is over 95 %
  if (count < kLeast) return interval;
  const auto n = static_cast<double>(count);
  const double reach = 1.96 * std::sqrt(n);
  const auto lower = static_cast<std::size_t>(std::max(1.0, std::floor((n - reach) / 2)));
  const auto upper = static_cast<std::size_t>(std::min(n, std::ceil(1 + (n + reach) / 2)));
  interval.low = seconds[lower - 1];
  interval.high = seconds[upper - 1];
  interval.known = true;
  return interval;
}

bool StoppingRule::done(const std::vector<double>& seconds, double elapsed_seconds) const {
  if (seconds.empty()) return false;
  if (seconds.size() >= static_cast<std::size_t>(most_repeats)) return true;
  if (seconds.size() >= 2 && elapsed_seconds >= most_seconds) return true;
  const MedianInterval interval = median_interval(seconds);
  return interval.known && interval.half_width() <= relative_half_width * interval.median;
}

}  // namespace headway
