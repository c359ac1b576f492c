// Orders of queues, for random scenarios.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives pools any order and bound on the wait, classes tenants of unequal weights and promises
/// that make deadlines.
void add_random_queues(std::uint64_t seed, Scenario& scenario);

}  // namespace headway
