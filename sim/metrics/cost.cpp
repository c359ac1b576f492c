#include "sim/metrics/cost.hpp"

#include "models/units.hpp"

namespace headway {

std::int64_t billed_gpus(const Pool& pool) {
  if (pool.kind == Pool::Kind::service && pool.usd_per_gpu_hour <= 0) return 0;
  return static_cast<std::int64_t>(pool.replicas) * pool.gpus_per_replica;
}

Cost make_cost(const Scenario& scenario, const RunTotals& totals) {
  Cost cost;
  bool unpriced = false;
  for (const Pool& pool : scenario.fleet) {
    cost.gpus += billed_gpus(pool);
    cost.usd_per_hour += static_cast<double>(billed_gpus(pool)) * pool.usd_per_gpu_hour;
    unpriced |= pool.kind == Pool::Kind::llm && pool.usd_per_gpu_hour <= 0;
  }
  const double hours = to_seconds(totals.end) / 3600;
  cost.gpu_hours = static_cast<double>(cost.gpus) * hours;
  cost.known = cost.usd_per_hour > 0 && !unpriced;
  if (!cost.known) {
    cost.usd_per_hour = 0;
    return cost;
  }
  cost.usd = cost.usd_per_hour * hours;
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
