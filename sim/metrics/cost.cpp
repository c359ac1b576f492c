#include "sim/metrics/cost.hpp"

#include <algorithm>

#include "models/units.hpp"

namespace headway {

namespace {

double hours_in(const GpuHours& hours, ReplicaPhase phase) {
  return hours.phase[static_cast<int>(phase)];
}

}  // namespace

GpuHours pool_gpu_hours(const PoolBill& bill, double idle_share) {
  GpuHours hours;
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    if (static_cast<ReplicaPhase>(phase) != ReplicaPhase::off)
      hours.phase[phase] = gpu_hours(bill.phase[phase]);
  }
  const double present = hours_in(hours, ReplicaPhase::ready) +
                         hours_in(hours, ReplicaPhase::draining) +
                         hours_in(hours, ReplicaPhase::warming);
  hours.idle = present * std::clamp(idle_share, 0.0, 1.0);
  hours.rest_of_nodes = gpu_hours(bill.rest_of_nodes);
  hours.minimum = gpu_hours(bill.minimum);
  hours.billed = gpu_hours(bill.billed());
  return hours;
}

Cost make_cost(const Scenario& scenario, const Bill& bill, const std::vector<PoolUse>& pools,
               const RunTotals& totals) {
  Cost cost;
  bool unpriced = false, priced = false;
  for (std::size_t p = 0; p < scenario.fleet.size(); ++p) {
    const Pool& pool = scenario.fleet[p];
    const GpuHours& hours = pools[p].gpu_hours;
    cost.gpus += bill.pool(p).most_gpus;
    cost.gpu_hours += hours.billed;
    for (int phase = 0; phase < kReplicaPhases; ++phase) {
      const auto one = static_cast<ReplicaPhase>(phase);
      if (is_starting(one) && is_billed(one)) cost.starting_gpu_hours += hours.phase[phase];
    }
    cost.draining_gpu_hours += hours_in(hours, ReplicaPhase::draining);
    cost.idle_gpu_hours += hours.idle;
    cost.rest_gpu_hours += hours.rest_of_nodes + hours.minimum;
    cost.usd += hours.billed * pool.usd_per_gpu_hour;
    priced |= pool.usd_per_gpu_hour > 0 && billed_gpus_per_replica(pool) > 0;
    unpriced |= pool.kind == Pool::Kind::llm && pool.usd_per_gpu_hour <= 0;
  }
  const double hours = to_seconds(totals.end) / 3600;
  if (hours > 0) cost.mean_gpus = cost.gpu_hours / hours;
  cost.known = priced && !unpriced;
  if (!cost.known) {
    cost.usd = 0;
    return cost;
  }
  if (hours > 0) cost.usd_per_hour = cost.usd / hours;
  const auto each = [&](std::int64_t count, double unit) -> std::optional<double> {
    if (count <= 0) return std::nullopt;
    return cost.usd / static_cast<double>(count) * unit;
  };
  cost.usd_per_request = each(totals.completed, 1);
  cost.usd_per_million_output_tokens = each(totals.output_tokens, 1e6);
  cost.usd_per_million_total_tokens = each(totals.input_tokens + totals.output_tokens, 1e6);
  return cost;
}

}  // namespace headway
