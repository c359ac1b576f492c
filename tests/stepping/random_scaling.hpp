// How the pools of random scenarios grow and shrink.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives a scenario, by its seed, autoscalers of every kind and target, cold starts, stores and
/// deploys: some of them, or none.
void add_random_scaling(std::uint64_t seed, Scenario& scenario);

}  // namespace headway
