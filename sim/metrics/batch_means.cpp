#include "sim/metrics/batch_means.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

namespace {

/// Samples beyond a quantile come in clusters, and a few clusters say nothing of how rare they are:
/// so many segments must hold some, and their share must be known to this part of itself.
constexpr std::ptrdiff_t kFewestClusters = 24;
constexpr double kWidestTail = 0.8;

/// A batch: a sum over `count` samples.
struct Batch {
  double count = 0, sum = 0;
};

std::vector<double> residuals(const std::vector<Batch>& batches, double mean) {
  std::vector<double> result;
  result.reserve(batches.size());
  for (const Batch& b : batches) result.push_back(b.sum - mean * b.count);
  return result;
}

/// Merges neighbours in pairs; an odd last one joins the pair before it.
void merge_pairs(std::vector<Batch>& batches) {
  std::vector<Batch> merged;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (i % 2 == 0 && i + 1 < batches.size()) merged.push_back({});
    merged.back().count += batches[i].count;
    merged.back().sum += batches[i].sum;
  }
  batches = std::move(merged);
}

/// Uncorrelated means of n batches have a lag-1 autocorrelation of about −1/n ± 1/√n. Values above
/// 0.7 standard errors count as significant: a wrong merger only costs batches, a missed one costs
/// coverage.
bool significant(double lag1, std::size_t batches) {
  const auto n = static_cast<double>(batches);
  return lag1 > 0.7 / std::sqrt(n) - 1 / n;
}

/// Standard error times t of Σ sum / Σ count by the ratio estimator, so that batches may differ a
/// little in size.
double spread(const std::vector<double>& residuals, double count) {
  const auto n = static_cast<double>(residuals.size());
  double squares = 0;
  for (const double x : residuals) squares += x * x;
  return student_t_975(n - 1) * std::sqrt(squares * n / (n - 1)) / count;
}

/// Half-width of Σ sum / Σ count: the widest of the batch sizes from the first that passes the lag
/// check to the largest, since what correlation the check missed shows in longer batches.
std::optional<double> half_width(std::vector<Batch> batches) {
  double count = 0, sum = 0;
  for (const Batch& b : batches) count += b.count, sum += b.sum;
  if (count < static_cast<double>(kFewestSamples)) return std::nullopt;
  const double mean = sum / count;
  std::optional<double> widest;
  while (batches.size() >= (widest ? kFewestBatches / 2 : kFewestBatches)) {
    const std::vector<double> r = residuals(batches, mean);
    const double here = spread(r, count);
    // Means that differ by rounding alone, as in a deterministic queue.
    if (here <= 1e-12 * std::abs(mean)) return 0.0;
    if (widest || !significant(lag1_autocorrelation(r), batches.size())) {
      widest = std::max(widest.value_or(0), here);
    }
    merge_pairs(batches);
  }
  return widest;
}

}  // namespace

double student_t_975(double degrees) {
  constexpr double z = 1.959963984540054;
  const double z2 = z * z;
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees;
}

double lag1_autocorrelation(const std::vector<double>& series) {
  if (series.size() < 2) return 0;
  double mean = 0;
  for (const double x : series) mean += x;
  mean /= static_cast<double>(series.size());
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double x = series[i] - mean;
    squares += x * x;
    if (i > 0) products += x * (series[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

std::optional<double> mean_half_width(const std::vector<SegmentStat>& segments) {
  std::vector<Batch> batches;
  batches.reserve(segments.size());
  for (const SegmentStat& s : segments) {
    batches.push_back({static_cast<double>(s.count), static_cast<double>(s.sum)});
  }
  return half_width(std::move(batches));
}

std::optional<double> quantile_half_width(const std::vector<SegmentStat>& segments,
                                          const SparseHistogram& all, double p, double value) {
  if (all.count < kFewestSamples || segments.empty()) return std::nullopt;
  if (all.entries.size() == 1) return 0.0;  // one value, as far as the histogram can tell
  const auto n = static_cast<double>(all.count);
  std::vector<Batch> batches;
  batches.reserve(segments.size());
  for (const SegmentStat& s : segments) {
    batches.push_back({static_cast<double>(s.count), s.histogram.count_at_most(value)});
  }
  const auto clusters = std::count_if(batches.begin(), batches.end(), [p](const Batch& b) {
    return (p < 0.5 ? b.sum : b.count - b.sum) >= 1;
  });
  if (clusters < kFewestClusters) return std::nullopt;
  constexpr double kFewestBeyond = 5;
  while (batches.size() / 2 >= kFewestBatches &&
         n * std::min(p, 1 - p) < kFewestBeyond * static_cast<double>(batches.size())) {
    merge_pairs(batches);
  }
  if (n * std::min(p, 1 - p) < kFewestBeyond * static_cast<double>(batches.size())) {
    return std::nullopt;
  }
  const std::optional<double> share = half_width(std::move(batches));
  if (!share || *share > kWidestTail * std::min(p, 1 - p)) return std::nullopt;
  constexpr double kResolution = 0.001;  // of the histogram that the bounds are read from
  return std::max((all.quantile(p + *share) - all.quantile(p - *share)) / 2, kResolution * value);
}

}  // namespace headway
