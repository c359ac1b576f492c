// Runs a checked scenario on one of the two engines, in this process.
#pragma once

#include <functional>

#include "sim/model/events.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Where a run stands; polled about every 10 ms of wall time.
struct RunProgress {
  Time now = 0;                     // simulated
  std::int64_t offered = 0, departed = 0;
  double fraction = 0;              // 0..1 of the load offered, by time or by requests
};

/// What the model counted by itself, as exact integers, whatever is observed.
struct RunTotals {
  Time end = 0;                     // when the run stopped
  Time load_end = 0;                // when the last request was offered or the duration ended
  std::int64_t arrived = 0, completed = 0, rejected = 0, timed_out = 0, in_flight = 0;
  __int128 number_in_system_integral = 0;  // ∫ N dt, request-picoseconds
  __int128 time_in_system_sum = 0;         // Σ over requests of time in system, those in flight included
  std::int64_t input_tokens = 0, output_tokens = 0;   // of completed requests
  std::int64_t steps = 0, preemptions = 0, events = 0;
  bool cancelled = false;           // on_progress said stop
};

/// Runs to the end, or until on_progress returns false. Throws InputError for a trace that breaks in
/// mid-run. Conservation and the integral form of Little's law are asserted. The SimGrid engine can
/// run once in a process.
RunTotals run_scenario(const Scenario& scenario, Observer& observer,
                       const std::function<bool(const RunProgress&)>& on_progress = {});

}  // namespace headway
