// Confidence intervals from one run by batch means: the run is cut into consecutive batches, long
// enough that their means are uncorrelated, and the spread between the batches tells the accuracy
// (Law, Simulation Modeling and Analysis, 5th ed., 9.5.3).
#pragma once

#include <optional>
#include <vector>

#include "sim/metrics/sample_store.hpp"

namespace headway {

/// Fewer batches than this give no interval.
inline constexpr std::size_t kFewestBatches = 16;
/// Fewer samples than this give no interval.
inline constexpr std::int64_t kFewestSamples = 128;

/// Student's t at 97.5 % for `degrees` of freedom (≥ 3): Abramowitz & Stegun 26.7.5, within 0.2 %.
double student_t_975(double degrees);

/// Lag-1 autocorrelation of a series about its mean; 0 for a constant one.
double lag1_autocorrelation(const std::vector<double>& series);

/// 95 % half-width of the mean over all segments, in the unit of the samples. Neighbouring batches
/// are merged while the lag-1 autocorrelation of their means is significant; absent when fewer than
/// kFewestBatches would remain, or the samples are too few.
std::optional<double> mean_half_width(const std::vector<SegmentStat>& segments);

/// 95 % half-width of the p-quantile, whose estimate is `value` in the histogram `all` of the same
/// segments. The share of samples up to `value` is estimated by batch means as above; the values at
/// the ends of the share's interval bound the quantile (Woodruff 1952), to no
/// less than the histogram's 0.1 %. Absent as above, and when the far side of the quantile holds
/// fewer than 5 samples a batch, or in too few clusters.
std::optional<double> quantile_half_width(const std::vector<SegmentStat>& segments,
                                          const SparseHistogram& all, double p, double value);

}  // namespace headway
