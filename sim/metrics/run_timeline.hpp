// A run over time: at most 600 buckets of counts, numbers in the system and what each pool did.
// When the run outgrows them, neighbours are merged; so every sum over whole buckets is exact.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/metrics/summary.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// A stretch of the run for the verdict on stability.
struct LoadSection {
  double seconds = 0;
  std::int64_t arrivals = 0, departures = 0;
  double in_system = 0, running = 0;  // means
  std::int64_t fewest = 0;            // smallest number in the system
};

/// Of the time that requests waited or were held up before a step, the share that falls to replicas
/// that were starting, or down: each moment's waiting requests × the share of such replicas among
/// those and the ready ones. 0..1.
struct Shortage {
  double starting = 0, down = 0;
  std::size_t starting_pool = 0, down_pool = 0;  // with most of them
  double waiting = 0;  // of the requests in the system, those that were not at work: mean share
};

/// Times of events must not decrease. The scenario must outlive it. Not thread-safe.
class RunTimeline {
 public:
  static constexpr std::size_t kMost = 600;

  explicit RunTimeline(const Scenario& scenario);

  void on_arrival(Time now) {
    advance(now);
    ++buckets_.back().arrivals;
    ++in_system_;
  }
  void on_completion(Time now, std::int32_t output_tokens) {
    leave(now);
    ++buckets_.back().completions;
    buckets_.back().output_tokens += output_tokens;
  }
  /// The request left without an answer: `outcome` is not completed.
  void on_failure(Time now, Outcome outcome) {
    leave(now);
    Bucket& bucket = buckets_.back();
    ++(outcome == Outcome::timed_out ? bucket.timeouts
       : outcome == Outcome::hung_up ? bucket.hang_ups
       : outcome == Outcome::lost    ? bucket.losses
                                     : bucket.rejections);
  }
  void on_retry(Time now) {
    advance(now);
    ++buckets_.back().retries;
  }
  /// Before the first call a replica is ready, or off if its number is not below its pool's
  /// `replicas`.
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase);
  void on_steps(const StepSpan& span);
  void on_preemption(std::uint32_t replica) { ++pools_[pool_of_[replica]].preemptions; }
  /// The run ended.
  void finish(Time end) {
    advance(end);
    count_replicas(end);
    end_ = end;
  }

  /// Whole buckets within a stretch of time; the run's last one may be cut short by its end.
  struct Range {
    std::size_t first = 0, last = 0;  // buckets [first, last)
    double seconds = 0;
    std::size_t size() const { return last - first; }
  };
  /// After finish(): the buckets within [begin, end], or all if fewer than 10 are.
  Range range(Time begin, Time end) const;

  std::uint32_t pool_of(std::uint32_t replica) const { return pool_of_[replica]; }

  double mean_in_system(const Range& range) const;
  /// What pool number `pool` did: means over the range.
  PoolUse use(std::size_t pool, const Range& range) const;
  /// How far replicas that were not there kept requests waiting.
  Shortage shortage(const Range& range) const;
  /// The range cut into at most `count` sections of about equal length.
  std::vector<LoadSection> sections(const Range& range, std::size_t count) const;
  Timeline summary() const;

 private:
  struct Bucket {
    std::int64_t arrivals = 0, completions = 0, output_tokens = 0;
    std::int64_t rejections = 0, timeouts = 0, hang_ups = 0, losses = 0, retries = 0;
    std::int64_t departures() const {
      return completions + rejections + timeouts + hang_ups + losses;
    }
    std::int64_t fewest = 0;  // smallest number in the system
    __int128 in_system = 0;   // request-picoseconds
  };
  /// Picoseconds of the replicas' time, weighted as the names say.
  struct PoolBucket {
    double busy = 0, compute = 0, memory_bandwidth = 0, network = 0, host = 0;
    double slots = 0, running = 0, kv_blocks = 0, queue = 0;
    double waiting = 0, waiting_for_slots = 0, waiting_for_kv = 0;
    double profile = 0, interpolation = 0, roofline = 0, outside = 0;  // see StepSources
    // Replica-picoseconds: able to work, taking requests, paid for, on their way, failed.
    __int128 present = 0, ready = 0, existing = 0, starting = 0, down = 0;
    std::int32_t ready_least = INT32_MAX, ready_most = 0;
    PoolBucket& operator+=(const PoolBucket& other);
  };
  struct PoolState {
    const Pool* pool = nullptr;
    double slot_limit = 1, kv_blocks = 0;  // of a replica
    double kv_nearly_gone = 0;             // blocks in use from which a queue waits for KV memory
    double slots_peak = 0, kv_peak = 0;
    std::int64_t preemptions = 0, start_ups = 0, failures = 0;
    std::int32_t in_phase[kReplicaPhases] = {};  // replicas
    Time counted_until = 0;                      // of the replicas' time
  };

  void leave(Time now) {
    advance(now);
    --in_system_;
    if (in_system_ < buckets_.back().fewest) buckets_.back().fewest = in_system_;
  }
  void advance(Time now) {
    if (now >= bucket_end_) next_buckets(now);
    buckets_.back().in_system += static_cast<__int128>(now - last_) * in_system_;
    last_ = now;
  }
  void next_buckets(Time now);
  void merge_buckets();  // kMost full ones, ending at bucket_end_
  /// Adds the replicas' time until now, within the last bucket.
  void count_replicas(std::size_t pool, Time now);
  void count_replicas(Time now) {
    for (std::size_t p = 0; p < pools_.size(); ++p) count_replicas(p, now);
  }
  void add_span(PoolBucket& bucket, const PoolState& pool, const StepSpan& span, double share);
  PoolBucket total(std::size_t pool, std::size_t first, std::size_t last) const;
  double seconds(std::size_t first, std::size_t last) const;

  std::vector<std::uint32_t> pool_of_;  // by replica
  std::vector<ReplicaPhase> phase_;     // by replica
  std::vector<PoolState> pools_;
  Time width_ = 0, bucket_end_ = 0, last_ = 0, end_ = 0;
  std::int64_t in_system_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<PoolBucket> pool_buckets_;  // pools_.size() for each bucket
};

}  // namespace headway
