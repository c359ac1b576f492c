// What random scenarios have between the clients and the replicas.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives a scenario, by its seed, time-outs, hang-ups, retries, answers that are not streamed,
/// admission, tenants' rate limits, stations and a link of the front: some of them, or none.
/// `pressure`: clients wait long enough for KV memory to fill.
void add_random_traffic(std::uint64_t seed, bool pressure, Scenario& scenario);

}  // namespace headway
