// Prompts that are held back, for random scenarios.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Gives some pools of continuous batching one of the rules of PromptHold, or data-parallel ranks.
void add_random_holds(std::uint64_t seed, bool pressure, Scenario& scenario);

}  // namespace headway
