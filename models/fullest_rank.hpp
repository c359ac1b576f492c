// Data-parallel attention: what one rank has of a step.
#pragma once

#include <cstdint>

#include "models/step_cost.hpp"

namespace headway {

/// The step of the fullest of `ranks` data-parallel ranks, which all step at the same time, so that
/// the fullest sets the pace. Sequences are spread evenly over the ranks, rounded up. A prompt
/// chunk is whole on one rank; the chunks of a step are taken as equal. A rank's tokens are at most
/// `most_tokens`, its own budget, as far as the others can take the rest. `ranks` is at least 1.
StepShape fullest_rank(const StepShape& step, std::int32_t ranks, std::int64_t most_tokens);

}  // namespace headway
