// What a scenario asks of its fleet, and what the fleet could serve at most, without simulating.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/bounds.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// What the requests of a class, or of all, are like.
struct OfferedLoad {
  std::optional<double> per_second;  // mean rate; absent for a closed loop, whose rate is an answer
  double input_tokens = 1, output_tokens = 1;  // mean of a request, at least 1
  double new_tokens = 1;  // mean of a request's input tokens that no prefix cache can have, at
                          // least 1: as if every cache kept all, and each request found its like
  std::int64_t trace_requests = 0;  // of a trace: all that it holds
  double trace_seconds = 0;         // of a trace: from the run's start to the last
  std::string note;                 // what the trace's reader has to say
};

/// The load of class `index`. Token counts are means over its first 500,000 requests, as they would
/// be drawn, all turns of their conversations among them; a trace is read to its end. Throws
/// InputError for a broken trace.
OfferedLoad offered_load(const Scenario& scenario, std::uint32_t index);

/// The loads together, each as often as its weight, >= 0, says; without a rate. Where all weights
/// are 0, a load of the least lengths.
OfferedLoad mixed(const std::vector<OfferedLoad>& loads, const std::vector<double>& weights);

/// Pools that some class may choose among, and what comes to them. A route to one of several pools
/// makes a group of them; a leg with a share, or of a cascade, stands alone.
struct PoolGroup {
  std::vector<std::uint32_t> pools;  // ascending
  double per_offered = 0;  // requests that come to them for each that all classes offer; of closed
                           // loops, which take what open ones leave, only where all are closed
  bool reached = false;    // whether a route leads to them
  OfferedLoad load;        // what comes to them, with its rate where a class has one
};
/// The groups of the fleet, by their first pools. `loads` are those of the classes.
std::vector<PoolGroup> pool_groups(const Scenario& scenario, const std::vector<OfferedLoad>& loads);

/// The rate that no schedule of this pool exceeds for requests of these mean lengths. A pool that
/// caches prefixes is taken to compute, read and keep new tokens only.
struct PoolBound {
  double requests_per_second = 0;  // of the most replicas that it may have
  std::string limited_by;
};
PoolBound pool_bound(const Pool& pool, const OfferedLoad& load);

}  // namespace headway
