// A run's result as it is shown, written and read back: the figures, and what they rest on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/metrics/summary.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// What the figures of a run rest on: facts of the scenario that a reader of the result needs.
struct RunFacts {
  /// Where a pool's step times come from.
  struct Source {
    std::string pool;
    std::string model, gpu, engine;  // catalogue names; empty for a service station
    std::string step_times;  // "profile vllm-0.19.0 bf16; 61 % measured, …", "coefficients given …"
  };
  std::uint64_t seed = 0;
  bool client_cap = false;  // some class has a concurrency cap: client delay is shown
  std::vector<Source> sources;
  std::vector<std::string> warnings;  // with position
  std::string stopped_by;  // partial runs: "cancellation", "the time limit of 10 s"; else empty
};

/// Before a run: step times are told by what they will come from.
RunFacts facts_of(const Scenario& scenario);

/// After a run: the profiles that were used, by pool, and the shares of step time that came from
/// measured shapes, from between them, and from the roofline; a warning where more than 5 % lay
/// outside the measured range.
void tell_step_times(const Summary& summary, const std::vector<std::string>& sources,
                     RunFacts& facts);

/// What differs between two runs of the same bytes: it stands in a block of its own.
struct Provenance {
  std::string headway_version;
  std::string scenario_file;
  std::string engine;    // "simgrid", "heap"
  std::string stepping;  // "fast", "reference"
  std::string host;
  std::string finished_at;  // UTC, "2026-01-31T12:00:00Z"
  std::int64_t cores = 0;
  double wall_seconds = 0;             // of the run's process
  double cpu_seconds = 0;              // of the run's process
  std::int64_t peak_memory_bytes = 0;  // resident, of the run's process
};

/// Provenance of this process, `wall_seconds` after its run began.
Provenance provenance_of(const Scenario& scenario, double wall_seconds);

struct Report {
  Summary summary;
  RunFacts facts;
  Provenance provenance;
};

}  // namespace headway
