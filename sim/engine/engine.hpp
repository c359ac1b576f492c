// Runs a checked scenario on one of the two engines, in this process.
#pragma once

#include <functional>

#include "sim/model/events.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Asked about every 10 ms of wall time; false ends the run there.
using OnProgress = std::function<bool(const RunProgress&)>;

/// Runs to the end, or until on_progress returns false. Throws InputError for a trace that breaks
/// in mid-run. Conservation and the integral form of Little's law are asserted. The SimGrid engine
/// can run once in a process.
RunTotals run_scenario(const Scenario& scenario, Observer& observer,
                       const OnProgress& on_progress = {});

}  // namespace headway
