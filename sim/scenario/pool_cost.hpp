// What an engine step of a pool costs.
#pragma once

#include <memory>

#include "models/step_cost.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The pool's own coefficients where it has them, else the roofline of its placement; null for a
/// service station, which has no steps.
std::unique_ptr<StepCost> make_pool_cost(const Pool& pool);

}  // namespace headway
