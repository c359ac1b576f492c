#include "random_queues.hpp"

#include <string>

#include "dice.hpp"

namespace headway {

void add_random_queues(std::uint64_t seed, Scenario& scenario) {
  Dice dice(seed, Thrower::queues);
  for (Pool& pool : scenario.fleet) {
    if (dice.chance(0.6)) pool.order = static_cast<QueueOrder>(dice.between(0, 4));
    // Some whole milliseconds, which meet the ends of steps of 10 ms.
    if (dice.chance(0.5)) {
      pool.max_wait_seconds = dice.chance(0.5) ? dice.real(0.001, 2) : dice.between(1, 500) / 1e3;
    }
  }
  const int tenants = dice.between(1, 3);
  for (int t = 0; t < tenants; ++t) {
    scenario.tenants.push_back({.name = "tenant" + std::to_string(t)});
    if (dice.chance(0.7)) scenario.tenants.back().weight = dice.real(0.1, 10);
  }
  for (WorkloadClass& each : scenario.workload) {
    each.tenant_index = static_cast<std::uint32_t>(dice.between(0, tenants - 1));
    if (dice.chance(0.3)) continue;
    Slo& slo = each.slo.emplace();
    if (dice.chance(0.7)) slo.ttft_seconds = dice.real(0.01, 2);
    if (dice.chance(0.5)) slo.e2e_seconds = dice.real(0.1, 10);
  }
}

}  // namespace headway
