// One queue, run on the bare heap: its scenario, its figures, and its exact identities.
#pragma once

#include <cstdint>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// All theory runs serve one request in 1 ms of mean service time.
inline constexpr double kServiceSeconds = 1e-3;

Distribution exponential_law(double mean_seconds);
Distribution fixed_law(double seconds);

/// Poisson arrivals at `rate` to one station, first come, first served, one request at a time;
/// `requests` offered, starting empty.
Scenario open_queue(double rate, const Distribution& service, std::int64_t requests,
                    std::int32_t servers = 1);
/// `users` that each think, send, and wait for the answer; one station as above.
Scenario closed_queue(std::int64_t users, const Distribution& think, const Distribution& service,
                      std::int64_t requests);

/// What a run measured, in seconds and requests.
struct QueueFigures {
  double seconds = 0;     // the run's length
  double number = 0;      // in the system: ∫ N dt / seconds
  double waiting = 0;     // in the queue, by the same integral of those not yet started
  double sojourn = 0;     // mean time in the system of those served
  double wait = 0;        // mean time from arrival to the start of service
  double loss = 0;        // rejected, or gone before they were answered / arrived
  double throughput = 0;  // served per second
  double retries = 0;     // attempts after the first, a request that arrived
  double wait_first = 0, wait_second = 0;  // mean wait of the first and second workload class
  std::int64_t arrived = 0, completed = 0;
  std::int64_t rejected = 0;  // and gone
};

/// Runs the scenario with this seed. Fails the test unless arrived = completed + rejected + timed
/// out + in flight and ∫ N dt = Σ time in system (those in flight included), to the picosecond,
/// both in the engine's totals and recomputed from the events.
QueueFigures run_queue(Scenario scenario, std::uint64_t seed);

}  // namespace headway
