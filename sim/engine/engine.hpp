// Runs a checked scenario on one of the two engines, in this process.
#pragma once

#include <functional>

#include "sim/model/events.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Where a run stands; polled about every 10 ms of wall time.
struct RunProgress {
  Time now = 0;                     // simulated
  std::int64_t offered = 0, departed = 0;
  double fraction = 0;              // 0..1 of the load offered, by time or by requests
};

/// Runs to the end, or until on_progress returns false. Throws InputError for a trace that breaks in
/// mid-run. Conservation and the integral form of Little's law are asserted. The SimGrid engine can
/// run once in a process.
RunTotals run_scenario(const Scenario& scenario, Observer& observer,
                       const std::function<bool(const RunProgress&)>& on_progress = {});

}  // namespace headway
