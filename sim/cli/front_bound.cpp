#include "sim/cli/front_bound.hpp"

#include <algorithm>
#include <limits>

namespace headway {

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
