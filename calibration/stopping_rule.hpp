// When a point has been measured often enough.
#pragma once

#include <cstdint>
#include <vector>

namespace headway {

/// Median of some times with its 95 % interval.
struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  // the same as median where there are too few
  bool known = false;        // six samples or more: fewer span no 95 % interval
  double half_width() const { return (high - low) / 2; }
};

/// Median and its distribution-free interval from order statistics: the ranks (n ± 1.96 √n)/2 of
/// the sorted samples (Conover, Practical Nonparametric Statistics, 3.2). `seconds` is not empty.
MedianInterval median_interval(std::vector<double> seconds);

/// A point is done when the interval of its median is narrow enough, or at a limit.
struct StoppingRule {
  std::int32_t warm_up_runs = 2;      // not counted: clocks and caches settle
  double relative_half_width = 0.01;  // of the 95 % interval of the median
  std::int32_t most_repeats = 60;
  double most_seconds = 0.5;  // from the first run on; two samples at least

  /// Whether to stop after these samples, `elapsed_seconds` after the first run began.
  bool done(const std::vector<double>& seconds, double elapsed_seconds) const;
};

}  // namespace headway
