// The figures of a run's time line: means over ranges of its buckets.
#include <algorithm>

#include "sim/metrics/run_timeline.hpp"

namespace headway {

namespace {

double as_double(__int128 value) {
  return static_cast<double>(value);
}

}  // namespace

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
  use.start_ups = state.start_ups;
  use.failures = state.failures;
  const double time = range.seconds * kPicosecondsPerSecond;
  if (time <= 0) {
    use.idle = 1;
    return use;
  }
  use.ready = as_double(sum.ready) / time;
  use.ready_least = std::min(sum.ready_least, sum.ready_most);
  use.ready_most = sum.ready_most;
  use.existing = as_double(sum.existing) / time;
  use.running = sum.running / time;
  use.queue = sum.queue / time;
  const double replica_time = as_double(sum.present);
  if (replica_time <= 0) {
    use.idle = 1;
    return use;
  }
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
  use.waiting = share(sum.waiting, lanes);
  use.waiting_for_slots = share(sum.waiting_for_slots, lanes);
  use.waiting_for_kv = share(sum.waiting_for_kv, lanes);
  return use;
}

Shortage RunTimeline::shortage(const Range& range) const {
  Shortage result;
  double in_system = 0, waiting = 0, starting = 0, down = 0;
  std::vector<double> starting_time(pools_.size()), down_time(pools_.size());
  for (std::size_t b = range.first; b < range.last; ++b) {
    PoolBucket all;
    for (std::size_t p = 0; p < pools_.size(); ++p) {
      const PoolBucket& one = pool_buckets_[b * pools_.size() + p];
      all += one;
      starting_time[p] += as_double(one.starting);
      down_time[p] += as_double(one.down);
    }
    const double inside = as_double(buckets_[b].in_system);
    const double not_at_work = std::max(0.0, inside - all.running);
    const double wanted = as_double(all.ready + all.starting + all.down);
    in_system += inside;
    waiting += not_at_work;
    if (wanted <= 0) continue;
    starting += not_at_work * as_double(all.starting) / wanted;
    down += not_at_work * as_double(all.down) / wanted;
  }
  if (waiting <= 0) return result;
  result.starting = starting / waiting;
  result.down = down / waiting;
  result.waiting = waiting / in_system;
  const auto most = [](const std::vector<double>& times) {
    return static_cast<std::size_t>(std::max_element(times.begin(), times.end()) - times.begin());
  };
  result.starting_pool = most(starting_time);
  result.down_pool = most(down_time);
  return result;
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
      section.departures += bucket.departures();
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
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const Bucket& from = buckets_[b];
    Timeline::Bucket to;
    to.arrivals = from.arrivals;
    to.completions = from.completions;
    to.rejections = from.rejections;
    to.timeouts = from.timeouts;
    to.hang_ups = from.hang_ups;
    to.losses = from.losses;
    to.retries = from.retries;
    to.output_tokens = from.output_tokens;
    const Time start = static_cast<Time>(b) * width_;
    const auto time =
        static_cast<double>((b + 1 == buckets_.size() ? end_ : start + width_) - start);
    if (time > 0) {
      double blocks = 0, lanes = 0;  // block- and lane-picoseconds of the replicas that were there
      PoolBucket sum;
      for (std::size_t p = 0; p < pools_.size(); ++p) {
        const PoolBucket& one = pool_buckets_[b * pools_.size() + p];
        const double present = as_double(one.present);
        const bool service = pools_[p].pool->kind == Pool::Kind::service;
        blocks += present * pools_[p].kv_blocks;
        lanes += present * (service ? pools_[p].slot_limit : 1);
        sum += one;
      }
      to.in_system = as_double(from.in_system) / time;
      to.queue = sum.queue / time;
      to.running = sum.running / time;
      to.ready = as_double(sum.ready) / time;
      to.existing = as_double(sum.existing) / time;
      if (blocks > 0) to.kv_share = std::min(1.0, sum.kv_blocks / blocks);
      if (lanes > 0) to.busy = std::min(1.0, sum.busy / lanes);
    } else {  // the run ends with the bucket before: replicas are told as they are
      for (const PoolState& pool : pools_) {
        to.ready += pool.in_phase[static_cast<int>(ReplicaPhase::ready)];
        for (int phase = 0; phase < kReplicaPhases; ++phase) {
          if (is_billed(static_cast<ReplicaPhase>(phase))) to.existing += pool.in_phase[phase];
        }
      }
    }
    timeline.buckets.push_back(to);
  }
  return timeline;
}

}  // namespace headway
