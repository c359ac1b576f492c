#include "sim/metrics/warm_up.hpp"

#include <algorithm>
#include <limits>

namespace headway {

void FoldingBatches::close(Time now) {
  means_.push_back(static_cast<double>(sum_) / static_cast<double>(size_));
  ends_.push_back(now);
  sum_ = 0;
  in_batch_ = 0;
  if (means_.size() < kMost) return;
  for (std::size_t i = 0; i < kMost / 2; ++i) {
    means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2;
    ends_[i] = ends_[2 * i + 1];
  }
  means_.resize(kMost / 2);
  ends_.resize(kMost / 2);
  size_ *= 2;
}

double FoldingBatches::seconds_at(std::int64_t samples, Time end) const {
  if (samples <= 0) return 0;
  const auto full = static_cast<std::size_t>(samples / size_);
  const auto at = [&](std::size_t batches) {
    if (batches == 0) return 0.0;
    return to_seconds(batches <= ends_.size() ? ends_[batches - 1] : end);
  };
  const double part = static_cast<double>(samples % size_) / static_cast<double>(size_);
  return at(full) + (part > 0 ? (at(full + 1) - at(full)) * part : 0);
}

Truncation mser(const std::vector<double>& batch_means) {
  const std::size_t n = batch_means.size();
  Truncation best;
  if (n < 4) return best;
  // Welford's update from the back gives each tail's sum of squares without cancellation.
  double mean = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = n; i-- > 0;) {
    const auto count = static_cast<double>(n - i);
    const double step = batch_means[i] - mean;
    mean += step / count;
    squares += step * (batch_means[i] - mean);
    if (i <= n / 2 && squares / (count * count) <= least) {
      least = squares / (count * count);
      best.batches = i;
    }
  }
  best.settled = best.batches < n / 4;
  return best;
}

}  // namespace headway
