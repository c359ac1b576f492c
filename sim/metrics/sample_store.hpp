// The latencies of completed requests in the order of completion: every one of them up to a
// million, beyond that as at most 64 segments with exact sums and a histogram each, by class and,
// in a fleet of several pools, by pool.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/units.hpp"
#include "sim/metrics/column.hpp"
#include "sim/metrics/histogram.hpp"

namespace headway {

enum class Metric : std::uint8_t {
  ttft,
  e2e,
  tpot,
  queue,
  client_delay,
  ttft_from_sent,
  e2e_from_sent
};
inline constexpr int kMetrics = 7;
inline constexpr int kPoolMetrics = 3;  // TTFT, E2E and TPOT: those that are kept by pool

/// Which samples: all of them, those of a class, or those that a pool answered.
struct SampleGroup {
  enum class By : std::uint8_t { all, workload_class, pool };
  By by = By::all;
  std::uint32_t index = 0;  // of the class or the pool in the scenario
};
inline constexpr SampleGroup kAllSamples{};
constexpr SampleGroup samples_of_class(std::uint32_t index) {
  return {SampleGroup::By::workload_class, index};
}
/// Only with a metric of kPoolMetrics.
constexpr SampleGroup samples_of_pool(std::uint32_t index) {
  return {SampleGroup::By::pool, index};
}

/// What is kept of a completed request; times in picoseconds.
struct Sample {
  Picoseconds ttft = 0, e2e = 0;  // from scheduled arrival
  Picoseconds queue = 0;
  Picoseconds client_delay = 0;  // sent − scheduled
  std::int32_t output_tokens = 0;
  std::uint32_t workload_class = 0;
  std::uint32_t pool = 0;  // that answered it
};

/// A class's promise in picoseconds; kNever: no limit.
struct SloLimits {
  Picoseconds ttft = kNever, tpot = kNever, e2e = kNever;
  /// TPOT is held to its limit only where there is one (output ≥ 2).
  bool good(Picoseconds ttft_of, Picoseconds e2e_of, std::int32_t output_tokens) const {
    return ttft_of <= ttft && e2e_of <= e2e &&
           (tpot == kNever || output_tokens < 2 ||
            static_cast<__int128>(tpot) * (output_tokens - 1) >= e2e_of - ttft_of);
  }
};

/// Values of one metric over a stretch of consecutive samples.
struct SegmentStat {
  std::int64_t count = 0;
  __int128 sum = 0;  // exact
  Picoseconds max = 0;
  SparseHistogram histogram;

  void merge(const SegmentStat& other);
  double mean() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

/// All segments as one. `scratch` must be empty and is left so.
SegmentStat merged(const std::vector<SegmentStat>& segments, Histogram& scratch);

/// A range of samples by their order of completion.
struct SampleWindow {
  std::int64_t begin = 0, end = 0;
  std::int64_t size() const { return end - begin; }
};

class SampleStore {
 public:
  static constexpr std::int64_t kExactLimit = 1'000'000;
  static constexpr std::int64_t kChunk = kExactLimit / 64;  // samples folded at a time
  static constexpr std::size_t kSegments = 64;

  /// One entry of `limits` for each workload class. Pools are told apart where there are several:
  /// 4 bytes more a sample, and beyond a million samples up to some 1.5 MiB a pool.
  explicit SampleStore(std::vector<SloLimits> limits, std::size_t pools = 1);

  void add(const Sample& sample) {
    if (buffered_ == capacity_) fold_buffer();
    const auto i = static_cast<std::size_t>(buffered_);
    ttft_[i] = sample.ttft;
    e2e_[i] = sample.e2e;
    queue_[i] = sample.queue;
    output_[i] = sample.output_tokens;
    if (class_.reserved()) class_[i] = sample.workload_class;
    if (pool_.reserved()) pool_[i] = sample.pool;
    if (sample.client_delay != 0 && !delay_.reserved()) begin_delays();
    if (delay_.reserved()) delay_[i] = sample.client_delay;
    ++buffered_;
  }

  std::int64_t size() const { return folded_ + buffered_; }
  /// Every sample is kept.
  bool exact() const { return folded_ == 0; }
  /// Some request was sent later than scheduled.
  bool has_delays() const { return delay_.reserved(); }

  /// The largest window within [begin, end) whose ends can be told apart: folded samples are cut at
  /// segments only. May be empty.
  SampleWindow window(std::int64_t begin, std::int64_t end) const;

  /// The samples of a window (from window()) as 64 or fewer consecutive stretches of about equal
  /// size, of one group. A metric that a sample lacks (TPOT of one token) is left out.
  std::vector<SegmentStat> segments(Metric metric, SampleGroup group, SampleWindow window) const;

  /// Values at rank p·(n − 1), interpolated linearly, from all samples of the window; `all` is
  /// their histogram. Requires exact().
  std::vector<double> exact_quantiles(Metric metric, SampleGroup group, SampleWindow window,
                                      const SparseHistogram& all,
                                      const std::vector<double>& p) const;

  struct GoodCount {
    std::int64_t count = 0, good = 0;
  };
  /// Samples of a class or of a pool in the window, and how many met the promise of their class.
  GoodCount good(SampleGroup group, SampleWindow window) const;

 private:
  struct Fold {  // of a class, or of a pool: then of kPoolMetrics alone
    std::array<SegmentStat, kMetrics> stats;
    GoodCount good;
    void merge(const Fold& other);
  };
  struct Segment {
    std::int64_t chunks = 0;
    std::vector<Fold> classes;
    std::vector<Fold> pools;  // only with several
    const Fold& of(SampleGroup group) const {
      return (group.by == SampleGroup::By::pool ? pools : classes)[group.index];
    }
  };

  /// What tells the samples of the group from others; null where all are of it.
  const Column<std::uint32_t>* telling(SampleGroup group) const;
  template <typename Visit>
  void visit(Metric metric, SampleGroup group, std::int64_t begin, std::int64_t end,
             Visit&& see) const;
  SegmentStat stat(Metric metric, SampleGroup group, std::int64_t begin, std::int64_t end) const;
  GoodCount count_good(SampleGroup group, std::int64_t begin, std::int64_t end) const;
  Fold fold(SampleGroup group, int metrics, std::int64_t begin, std::int64_t end) const;
  Segment fold(std::int64_t begin, std::int64_t end) const;
  void fold_buffer();
  void append(Segment&& chunk);
  void begin_delays();
  static SegmentStat folded_stat(const Segment& segment, Metric metric, SampleGroup group);

  std::vector<SloLimits> limits_;
  std::size_t pools_ = 0;  // to be told apart
  Column<Picoseconds> ttft_, e2e_, queue_;
  Column<std::int32_t> output_;
  Column<std::uint32_t> class_;  // only with several classes
  Column<std::uint32_t> pool_;   // only with several pools
  Column<Picoseconds> delay_;    // only once a request was sent late
  std::int64_t capacity_ = kExactLimit;
  std::int64_t buffered_ = 0;  // samples in the columns
  std::int64_t folded_ = 0;    // samples in the segments
  std::int64_t chunks_per_segment_ = 1;
  std::vector<Segment> segments_;  // all full but the last
  mutable Histogram scratch_;
};

}  // namespace headway
