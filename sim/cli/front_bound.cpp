#include "sim/cli/front_bound.hpp"

#include <algorithm>
#include <limits>

namespace headway {

std::vector<double> let_in_shares(const Scenario& scenario, const std::vector<OfferedLoad>& loads) {
  std::vector<double> shares(loads.size(), 1);
  for (std::size_t t = 0; t < scenario.tenants.size(); ++t) {
    const Tenant& tenant = scenario.tenants[t];
    double requests = 0, tokens = 0;  // a second
    for (std::size_t c = 0; c < loads.size(); ++c) {
      if (scenario.workload[c].tenant_index != t) continue;
      const double rate = loads[c].per_second.value_or(0);
      requests += rate;
      tokens += rate * (loads[c].input_tokens + loads[c].output_tokens);
    }
    double share = 1;
    if (tenant.requests_per_second > 0 && requests > tenant.requests_per_second)
      share = tenant.requests_per_second / requests;
    if (tenant.tokens_per_second > 0 && tokens > tenant.tokens_per_second)
      share = std::min(share, tenant.tokens_per_second / tokens);
    for (std::size_t c = 0; c < loads.size(); ++c)
      if (scenario.workload[c].tenant_index == t && loads[c].per_second) shares[c] = share;
  }
  return shares;
}

double station_bound(const FrontStation& station, double input_tokens) {
  const double seconds =
      std::clamp(distribution_mean(station.time), station.time.min, station.time.max) +
      station.seconds_per_input_token * input_tokens;
  return seconds > 0 ? station.servers / seconds : std::numeric_limits<double>::infinity();
}

bool sheds_overload(const Scenario& scenario) {
  if (scenario.admission.max_requests > 0) return true;
  const bool limited = std::all_of(scenario.fleet.begin(), scenario.fleet.end(),
                                   [](const Pool& pool) { return pool.max_queue > 0; });
  return limited || std::all_of(scenario.workload.begin(), scenario.workload.end(),
                                [](const WorkloadClass& each) { return each.timeouts.any(); });
}

}  // namespace headway
