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
    pool_of_.insert(pool_of_.end(), static_cast<std::size_t>(pool.places()),
                    static_cast<std::uint32_t>(pools_.size()));
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
      a.rejections += b.rejections;
      a.output_tokens += b.output_tokens;
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

double RunTimeline::seconds(std::size_t first, std::size_t last) const {
  const double end =
      last == buckets_.size() ? to_seconds(end_) : to_seconds(width_) * static_cast<double>(last);
  return end - to_seconds(width_) * static_cast<double>(first);
}

RunTimeline::Range RunTimeline::range(Time begin, Time end) const {
  Range range;
  range.first = static_cast<std::size_t>(begin / width_ + (begin % width_ != 0));
  range.last = end >= end_ ? buckets_.size() : static_cast<std::size_t>(end / width_);
  if (range.last < range.first + 10) range = {0, buckets_.size(), 0};
  range.seconds = seconds(range.first, range.last);
  return range;
}

double RunTimeline::mean_in_system(const Range& range) const {
  __int128 sum = 0;
  for (std::size_t b = range.first; b < range.last; ++b) sum += buckets_[b].in_system;
  const double time = range.seconds * kPicosecondsPerSecond;
  return time > 0 ? static_cast<double>(sum) / time : 0;
}

RunTimeline::PoolBucket RunTimeline::total(std::size_t pool, std::size_t first,
                                           std::size_t last) const {
  PoolBucket sum;
  for (std::size_t b = first; b < last; ++b) sum += pool_buckets_[b * pools_.size() + pool];
  return sum;
}

PoolUse RunTimeline::use(std::size_t index, const Range& range) const {
  const PoolState& state = pools_[index];
  const Pool& pool = *state.pool;
  const PoolBucket sum = total(index, range.first, range.last);
  PoolUse use;
  use.name = pool.name;
  use.service = pool.kind == Pool::Kind::service;
  use.replicas = pool.replicas;
  use.preemptions = state.preemptions;
  const double time = range.seconds * kPicosecondsPerSecond;
  if (time <= 0) {
    use.idle = 1;
    return use;
  }
  const double replica_time = time * pool.replicas;
  // A station's batches overlap on its servers: its time at work is the servers'.
  const double lanes = use.service ? replica_time * state.slot_limit : replica_time;
  const auto share = [](double part, double whole) { return std::clamp(part / whole, 0.0, 1.0); };
  use.busy = share(sum.busy, lanes);
  use.idle = 1 - use.busy;
  use.compute = share(sum.compute, replica_time);
  use.memory_bandwidth = share(sum.memory_bandwidth, replica_time);
  use.network = share(sum.network, replica_time);
  use.host = share(sum.host, replica_time);
  if (const double gpu = sum.profile + sum.interpolation + sum.roofline; gpu > 0) {
    use.from_profile = share(sum.profile, gpu);
    use.from_interpolation = share(sum.interpolation, gpu);
    use.from_roofline = share(sum.roofline, gpu);
    use.outside_measured = share(sum.outside, gpu);
  }
  use.slots = share(sum.slots, replica_time * state.slot_limit);
  use.slots_peak = use.service ? use.slots : share(state.slots_peak, state.slot_limit);
  if (state.kv_blocks > 0) {
    use.kv_memory = share(sum.kv_blocks, replica_time * state.kv_blocks);
    use.kv_memory_peak = share(state.kv_peak, state.kv_blocks);
  }
  use.running = sum.running / time;
  use.queue = sum.queue / time;
  use.waiting = share(sum.waiting, lanes);
  use.waiting_for_slots = share(sum.waiting_for_slots, lanes);
  use.waiting_for_kv = share(sum.waiting_for_kv, lanes);
  return use;
}

std::vector<LoadSection> RunTimeline::sections(const Range& range, std::size_t count) const {
  std::vector<LoadSection> result;
  count = std::min(count, range.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = range.first + range.size() * i / count;
    const std::size_t last = range.first + range.size() * (i + 1) / count;
    LoadSection section;
    section.seconds = seconds(first, last);
    section.fewest = INT64_MAX;
    double in_system = 0, running = 0;
    for (std::size_t b = first; b < last; ++b) {
      const Bucket& bucket = buckets_[b];
      section.arrivals += bucket.arrivals;
      section.departures += bucket.completions + bucket.rejections;
      section.fewest = std::min(section.fewest, bucket.fewest);
      in_system += static_cast<double>(bucket.in_system);
      for (std::size_t p = 0; p < pools_.size(); ++p) {
        running += pool_buckets_[b * pools_.size() + p].running;
      }
    }
    const double time = section.seconds * kPicosecondsPerSecond;
    if (time > 0) {
      section.in_system = in_system / time;
      section.running = running / time;
    }
    result.push_back(section);
  }
  return result;
}

Timeline RunTimeline::summary() const {
  Timeline timeline;
  timeline.bucket_seconds = to_seconds(width_);
  double blocks = 0, replicas = 0;
  for (const PoolState& state : pools_) {
    blocks += state.kv_blocks * state.pool->replicas;
    replicas +=
        state.pool->replicas * (state.pool->kind == Pool::Kind::service ? state.slot_limit : 1);
  }
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const Bucket& from = buckets_[b];
    Timeline::Bucket to;
    to.arrivals = from.arrivals;
    to.completions = from.completions;
    to.rejections = from.rejections;
    to.output_tokens = from.output_tokens;
    const double time = seconds(b, b + 1) * kPicosecondsPerSecond;
    if (time > 0) {
      PoolBucket sum;
      for (std::size_t p = 0; p < pools_.size(); ++p) sum += total(p, b, b + 1);
      to.in_system = static_cast<double>(from.in_system) / time;
      to.queue = sum.queue / time;
      to.running = sum.running / time;
      if (blocks > 0) to.kv_share = std::min(1.0, sum.kv_blocks / (time * blocks));
      if (replicas > 0) to.busy = std::min(1.0, sum.busy / (time * replicas));
    }
    timeline.buckets.push_back(to);
  }
  return timeline;
}

}  // namespace headway
