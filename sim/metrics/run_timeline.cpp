#include "sim/metrics/run_timeline.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

namespace {

/// A replica's sequence slots or servers.
double slot_limit(const Pool& pool) {
  if (pool.kind == Pool::Kind::service) return pool.service.servers;
  switch (pool.batching.kind) {
    case Batching::Kind::none:
      return 1;
    case Batching::Kind::fixed:
      return pool.batching.size;
    case Batching::Kind::dynamic:
      return pool.batching.max_size;
    case Batching::Kind::continuous:
      return pool.batching.max_num_seqs;
  }
  return 1;
}

/// Seconds that the load will last, where the scenario tells; 0 where it does not.
double expected_seconds(const Scenario& scenario) {
  if (scenario.run.duration_seconds > 0) return scenario.run.duration_seconds;
  double rate = 0;
  for (const WorkloadClass& c : scenario.workload) rate += c.arrivals.rate;
  return rate > 0 ? static_cast<double>(scenario.run.requests) / rate : 0;
}

/// The least width of 1, 2 or 5 · 10^k ps that covers the expected time in 500 buckets; 1 µs at
/// least.
Time first_width(double seconds) {
  const double least = std::min(seconds * kPicosecondsPerSecond / 500, 1e16);
  for (Time power = 1'000'000;; power *= 10) {
    for (const Time width : {power, 2 * power, 5 * power}) {
      if (static_cast<double>(width) >= least) return width;
    }
  }
}

/// Widths go 1, 2, 10, 20, 100 …: round numbers at every size.
Time merge_factor(Time width) {
  while (width % 10 == 0) width /= 10;
  return width == 2 ? 5 : 2;
}

}  // namespace

RunTimeline::PoolBucket& RunTimeline::PoolBucket::operator+=(const PoolBucket& other) {
  busy += other.busy;
  compute += other.compute;
  memory_bandwidth += other.memory_bandwidth;
  network += other.network;
  host += other.host;
  slots += other.slots;
  running += other.running;
  kv_blocks += other.kv_blocks;
  queue += other.queue;
  waiting += other.waiting;
  waiting_for_slots += other.waiting_for_slots;
  waiting_for_kv += other.waiting_for_kv;
  profile += other.profile;
  interpolation += other.interpolation;
  roofline += other.roofline;
  outside += other.outside;
  present += other.present;
  ready += other.ready;
  existing += other.existing;
  starting += other.starting;
  down += other.down;
  ready_least = std::min(ready_least, other.ready_least);
  ready_most = std::max(ready_most, other.ready_most);
  return *this;
}

RunTimeline::RunTimeline(const Scenario& scenario)
    : width_(first_width(expected_seconds(scenario))), bucket_end_(width_), buckets_(1) {
  for (const Pool& pool : scenario.fleet) {
    PoolState state;
    state.pool = &pool;
    state.slot_limit = slot_limit(pool);
    if (pool.kind == Pool::Kind::llm) {
      state.kv_blocks = static_cast<double>(pool.kv.blocks);
      state.kv_nearly_gone = (0.9 - pool.kv.watermark) * state.kv_blocks;
    }
    const auto places = static_cast<std::size_t>(pool.places());
    pool_of_.insert(pool_of_.end(), places, static_cast<std::uint32_t>(pools_.size()));
    phase_.insert(phase_.end(), static_cast<std::size_t>(pool.replicas), ReplicaPhase::ready);
    phase_.resize(pool_of_.size(), ReplicaPhase::off);
    state.in_phase[static_cast<int>(ReplicaPhase::ready)] = pool.replicas;
    state.in_phase[static_cast<int>(ReplicaPhase::off)] = pool.places() - pool.replicas;
    pools_.push_back(state);
  }
  buckets_.reserve(kMost + 1);
  pool_buckets_.reserve((kMost + 1) * pools_.size());
  pool_buckets_.resize(pools_.size());
}

void RunTimeline::next_buckets(Time now) {
  while (now >= bucket_end_) {
    buckets_.back().in_system += static_cast<__int128>(bucket_end_ - last_) * in_system_;
    last_ = bucket_end_;
    count_replicas(bucket_end_);
    if (buckets_.size() == kMost) merge_buckets();
    buckets_.push_back({.fewest = in_system_});
    pool_buckets_.resize(buckets_.size() * pools_.size());
    bucket_end_ = bucket_end_ > kNever - width_ ? kNever : bucket_end_ + width_;
  }
}

void RunTimeline::merge_buckets() {
  const auto factor = static_cast<std::size_t>(merge_factor(width_));
  const std::size_t pools = pools_.size(), left = kMost / factor;
  static_assert(kMost % 10 == 0);
  for (std::size_t to = 0; to < left; ++to) {
    for (std::size_t k = 0; k < factor; ++k) {
      const std::size_t from = to * factor + k;
      if (from == to) continue;
      if (k == 0) {
        buckets_[to] = buckets_[from];
        std::copy_n(pool_buckets_.begin() + static_cast<std::ptrdiff_t>(from * pools), pools,
                    pool_buckets_.begin() + static_cast<std::ptrdiff_t>(to * pools));
        continue;
      }
      Bucket &a = buckets_[to], &b = buckets_[from];
      a.arrivals += b.arrivals;
      a.completions += b.completions;
      a.output_tokens += b.output_tokens;
      a.rejections += b.rejections;
      a.timeouts += b.timeouts;
      a.hang_ups += b.hang_ups;
      a.losses += b.losses;
      a.retries += b.retries;
      a.fewest = std::min(a.fewest, b.fewest);
      a.in_system += b.in_system;
      for (std::size_t p = 0; p < pools; ++p) {
        pool_buckets_[to * pools + p] += pool_buckets_[from * pools + p];
      }
    }
  }
  buckets_.resize(left);
  pool_buckets_.resize(left * pools);
  width_ *= static_cast<Time>(factor);
}

void RunTimeline::add_span(PoolBucket& bucket, const PoolState& pool, const StepSpan& span,
                           double share) {
  const double time = static_cast<double>(span.end - span.start) * share;
  bucket.busy += time;
  bucket.slots += time * span.slots;
  bucket.queue += span.waiting_time * share;
  if (pool.pool->kind == Pool::Kind::service) {
    bucket.running += time * span.prefill_sequences;
    if (span.waiting > 0) {
      bucket.waiting += time;
      bucket.waiting_for_slots += time;
    }
    return;
  }
  bucket.running += time * span.slots;
  bucket.compute += static_cast<double>(span.limits.compute) * share;
  bucket.memory_bandwidth += static_cast<double>(span.limits.memory_bandwidth) * share;
  bucket.network += static_cast<double>(span.limits.network) * share;
  bucket.host += static_cast<double>(span.limits.host) * share;
  bucket.profile += static_cast<double>(span.limits.sources.profile) * share;
  bucket.interpolation += static_cast<double>(span.limits.sources.interpolation) * share;
  bucket.roofline += static_cast<double>(span.limits.sources.roofline) * share;
  bucket.outside += static_cast<double>(span.limits.sources.outside) * share;
  const auto kv = static_cast<double>(span.kv_blocks);
  bucket.kv_blocks += time * kv;
  if (span.waiting > 0) {
    bucket.waiting += time;
    if (span.slots >= pool.slot_limit) {
      bucket.waiting_for_slots += time;
    } else if (kv >= pool.kv_nearly_gone && pool.kv_blocks > 0) {
      bucket.waiting_for_kv += time;
    }
  }
}

void RunTimeline::on_steps(const StepSpan& span) {
  advance(span.end);
  const std::size_t p = pool_of_[span.replica], pools = pools_.size();
  PoolState& pool = pools_[p];
  pool.slots_peak = std::max(pool.slots_peak, static_cast<double>(span.slots));
  pool.kv_peak = std::max(pool.kv_peak, static_cast<double>(span.kv_blocks));
  const auto current = static_cast<Time>(buckets_.size()) - 1;
  if (span.start >= current * width_) {
    add_span(pool_buckets_[static_cast<std::size_t>(current) * pools + p], pool, span, 1);
    return;
  }
  const auto duration = static_cast<double>(span.end - span.start);
  for (Time b = span.start / width_; b <= current; ++b) {
    const Time from = std::max(span.start, b * width_);
    const Time to = b == current ? span.end : (b + 1) * width_;
    add_span(pool_buckets_[static_cast<std::size_t>(b) * pools + p], pool, span,
             static_cast<double>(to - from) / duration);
  }
}

void RunTimeline::count_replicas(std::size_t pool, Time now) {
  PoolState& state = pools_[pool];
  const Time passed = now - state.counted_until;
  if (passed <= 0) return;
  state.counted_until = now;
  const auto in = [&](ReplicaPhase phase) { return state.in_phase[static_cast<int>(phase)]; };
  const std::int32_t ready = in(ReplicaPhase::ready);
  std::int32_t existing = 0, starting = 0;
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    const auto one = static_cast<ReplicaPhase>(phase);
    if (is_billed(one)) existing += state.in_phase[phase];
    if (is_starting(one)) starting += state.in_phase[phase];
  }
  PoolBucket& bucket = pool_buckets_[(buckets_.size() - 1) * pools_.size() + pool];
  const auto time = [passed](std::int32_t replicas) {
    return static_cast<__int128>(passed) * replicas;
  };
  bucket.present += time(ready + in(ReplicaPhase::draining) + in(ReplicaPhase::warming));
  bucket.ready += time(ready);
  bucket.existing += time(existing);
  bucket.starting += time(starting);
  bucket.down += time(in(ReplicaPhase::down));
  bucket.ready_least = std::min(bucket.ready_least, ready);
  bucket.ready_most = std::max(bucket.ready_most, ready);
}

void RunTimeline::on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) {
  advance(now);
  const ReplicaPhase before = phase_[replica];
  if (before == phase) return;
  const std::size_t p = pool_of_[replica];
  count_replicas(p, now);
  PoolState& pool = pools_[p];
  --pool.in_phase[static_cast<int>(before)];
  ++pool.in_phase[static_cast<int>(phase)];
  phase_[replica] = phase;
  // A replica that is ready may still have to warm up, at its first request.
  const bool worked = before == ReplicaPhase::ready || before == ReplicaPhase::warming ||
                      before == ReplicaPhase::draining;
  pool.failures += phase == ReplicaPhase::down || (worked && phase == ReplicaPhase::process);
  pool.start_ups += phase == ReplicaPhase::ready && !worked;
}

}  // namespace headway
