// What fails in random scenarios.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives some pools of the scenario failures of every kind, and some stores cuts, by draws of their
/// own; often enough that a run of some seconds meets them.
void add_random_failures(std::uint64_t seed, Scenario& scenario);

}  // namespace headway
