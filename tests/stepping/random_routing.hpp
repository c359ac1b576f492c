// Where the requests of random scenarios go.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives a scenario, by its seed, any of the routers with its rules, metrics of some age, health
/// checks, and routes of its classes.
void add_random_routing(std::uint64_t seed, Scenario& scenario);

}  // namespace headway
