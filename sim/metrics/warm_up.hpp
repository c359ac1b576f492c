// Where a run's warm-up ends: MSER-5 (White, "An effective truncation heuristic for bias reduction
// in simulation output", Simulation 69(6), 1997; batches of 5: White, Cobb & Spratt, WSC 2000).
#pragma once

#include <cstdint>
#include <vector>

#include "models/units.hpp"

namespace headway {

/// Means of equal batches of a stream of unknown length, and when each batch ended: batches of 5 at
/// first, merged in pairs whenever there would be more than 4,096.
class FoldingBatches {
 public:
  static constexpr std::size_t kMost = 4096;

  void add(Picoseconds value, Time now) {
    sum_ += value;
    if (++in_batch_ == size_) close(now);
  }

  std::int64_t batch_size() const { return size_; }
  /// Of the full batches.
  const std::vector<double>& means() const { return means_; }
  /// When the first `samples` samples had been seen: exact at the end of a batch, interpolated
  /// within one. `end` is when the last sample came.
  double seconds_at(std::int64_t samples, Time end) const;

 private:
  void close(Time now);

  std::int64_t size_ = 5, in_batch_ = 0;
  __int128 sum_ = 0;
  std::vector<double> means_;
  std::vector<Time> ends_;
};

struct Truncation {
  std::size_t batches = 0;  // to leave out at the start; at most half
  bool settled = false;     // the minimum lies before the half: a steady state seems reached
};

/// The number of batches d ≤ n/2 whose removal minimises Σ_{i≥d} (Y_i − Ȳ)² / (n − d)².
Truncation mser(const std::vector<double>& batch_means);

}  // namespace headway
