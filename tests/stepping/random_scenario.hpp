// Scenarios drawn at random, for comparing two ways to run the same one.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// A scenario of this seed: a few hundred requests over one to three pools, every batcher, router,
/// queue order and arrival law among them. With `pressure` its KV caches are so small that most
/// runs preempt.
Scenario random_scenario(std::uint64_t seed, bool pressure);

}  // namespace headway
