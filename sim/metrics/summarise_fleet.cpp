// The fleet's part of a summary: its pools, the front, the bill, and what limits the run.
#include <algorithm>

#include "sim/metrics/availability.hpp"
#include "sim/metrics/cost.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/scenario/pool_cost.hpp"

namespace headway {

namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Throughput, times, that a pool would have with twice its sequence slots, if the KV memory held
/// them and prefill, taken as all of the time in which arithmetic is the limit, gained nothing. 1
/// where slots are not what requests wait for.
double gain_of_twice_the_slots(const Pool& pool, const PoolUse& use) {
  if (pool.kind != Pool::Kind::llm || pool.batching.kind != Batching::Kind::continuous ||
      use.waiting_for_slots <= 0.1 || use.slots <= 0) {
    return 1;
  }
  const std::int64_t n = pool.batching.max_num_seqs;
  const double running = use.slots * static_cast<double>(n);
  const double tokens = use.kv_memory * static_cast<double>(pool.kv.blocks * pool.kv.block_tokens);
  const auto context = static_cast<std::int64_t>(std::max(1.0, tokens / running));
  const auto seconds = [&, cost = make_pool_cost(pool)](std::int64_t sequences) {
    StepShape shape;
    shape.decode_sequences = shape.sampled = static_cast<std::int32_t>(sequences);
    shape.decode_context = sequences * context;
    shape.decode_context_longest = context;
    return to_seconds(cost->step(shape));
  };
  const double decoding = 2 * seconds(n) / seconds(2 * n);
  const double prefilling = std::clamp(use.compute, 0.0, 1.0);
  return 1 / (prefilling + (1 - prefilling) / decoding);
}

std::vector<FrontUse> front_use(const RunTotals& totals) {
  std::vector<FrontUse> result;
  for (const FrontStationTotals& station : totals.front_stations) {
    FrontUse use;
    use.name = station.name;
    use.servers = station.servers;
    const auto end = static_cast<double>(totals.end);
    use.busy = ratio(static_cast<double>(station.busy_time), end * station.servers);
    use.queue = ratio(static_cast<double>(station.waiting_time), end);
    use.waiting_share = std::min(1.0, ratio(static_cast<double>(station.waiting_time),
                                            static_cast<double>(totals.number_in_system_integral)));
    result.push_back(std::move(use));
  }
  return result;
}

}  // namespace

void Recorder::fill_fleet(Summary& summary, const Measured& measured, const RunTotals& totals,
                          const MeanWaits& waits) const {
  const auto time = [](double seconds) {
    return static_cast<Time>(seconds * kPicosecondsPerSecond);
  };
  const RunTimeline::Range range =
      timeline_.range(time(measured.begin_seconds), time(measured.end_seconds));
  summary.number_in_system = stationary_
                                 ? timeline_.mean_in_system(range)
                                 : ratio(static_cast<double>(totals.number_in_system_integral),
                                         static_cast<double>(totals.end));
  const RunTimeline::Range whole = timeline_.range(0, totals.end);
  const double hours = to_seconds(totals.end) / 3600;
  for (std::size_t p = 0; p < scenario_.fleet.size(); ++p) {
    const Pool& pool = scenario_.fleet[p];
    PoolUse use = timeline_.use(p, range);
    use.gpu_hours = pool_gpu_hours(bill_.pool(p), timeline_.use(p, whole).idle);
    use.up_share = up_time_.share(p);
    use.availability = expected_availability(scenario_, pool);
    use.gpus = static_cast<std::int32_t>(bill_.pool(p).most_gpus);
    use.usd_per_hour = ratio(use.gpu_hours.billed * pool.usd_per_gpu_hour, hours);
    use.slots_gain = gain_of_twice_the_slots(pool, use);
    summary.pools.push_back(std::move(use));
  }
  summary.cost = make_cost(scenario_, bill_, summary.pools, totals);
  summary.front = front_use(totals);
  Pressure pressure;
  pressure.front = summary.front;
  pressure.waits = waits;
  pressure.shortage = timeline_.shortage(range);
  const auto arrived = static_cast<double>(totals.arrived);
  const auto& rejected = summary.counts.rejected_by_reason;
  pressure.rate_limited =
      ratio(static_cast<double>(rejected[static_cast<int>(Outcome::rejected_rate_limit)]), arrived);
  pressure.turned_away =
      ratio(static_cast<double>(rejected[static_cast<int>(Outcome::rejected_overload)]), arrived);
  pressure.unstable = summary.stability.verdict == Verdict::unstable;
  pressure.completed = totals.completed;
  summary.bottleneck = find_bottleneck(summary.pools, pressure);
  summary.timeline = timeline_.summary();
}

}  // namespace headway
