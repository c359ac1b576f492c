// The lives of replicas at the ends of what a scenario may say.
#pragma once

#include "mutation.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives the pool an autoscaler, cold starts and deploys, each of their numbers the smallest, the
/// largest, or something between. `store` is one of the scenario's.
void make_extreme_life(Pool& pool, std::uint32_t store, FuzzDice& dice);

}  // namespace headway
