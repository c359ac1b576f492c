// What the model counts by itself, as exact integers, whatever is observed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/units.hpp"
#include "sim/model/faults.hpp"

namespace headway {

/// What a station of the front did in the whole run.
struct FrontStationTotals {
  std::string name;  // "load balancer", "tokenizer"
  std::int32_t servers = 1;
  std::int64_t begun = 0;     // services; those of attempts whose client was gone included
  std::int64_t waiting = 0;   // requests in its line when the run stopped
  __int128 busy_time = 0;     // ∫ busy servers dt, server-picoseconds
  __int128 waiting_time = 0;  // ∫ requests in its line dt, request-picoseconds
};

/// Counts of one run, taken when it stopped. Two identities hold and are asserted by the engine:
/// arrived = completed + rejected + timed_out + hung_up + lost + in_flight, and
/// number_in_system_integral = time_in_system_sum.
struct RunTotals {
  Time end = 0;       // when the run stopped
  Time load_end = 0;  // when the last request was offered or the duration ended
  std::int64_t arrived = 0, completed = 0, rejected = 0, timed_out = 0, in_flight = 0;
  std::int64_t hung_up = 0, lost = 0;         // by their clients; with replicas that failed
  std::int64_t retries = 0, escalations = 0;  // sendings after the first; answers asked of the next
                                              // leg of a cascade
  __int128 number_in_system_integral = 0;     // ∫ N dt, request-picoseconds
  __int128 time_in_system_sum = 0;            // Σ over requests of time in system, those in
                                              // flight included
  std::int64_t input_tokens = 0, output_tokens = 0;  // of completed requests
  std::int64_t prefix_hit_tokens = 0;                // of those input tokens: from prefix caches
  std::int64_t steps = 0, preemptions = 0, events = 0;
  std::vector<FrontStationTotals> front_stations;  // in the order in which requests pass them
  FaultCounts faults{};                            // that met something, by kind
  bool cancelled = false;                          // on_progress said stop
  std::vector<std::string>
      step_time_sources;           // by pool: "profile vllm-0.19.0 bf16"; "" of stations
  std::vector<std::string> notes;  // what sources have to say of their input, for people
};

/// Where a run stands.
struct RunProgress {
  Time now = 0;  // simulated
  std::int64_t offered = 0, departed = 0;
  double fraction = 0;  // 0..1 of the load offered, by time or by requests; 0 if the end is unknown
};

}  // namespace headway
