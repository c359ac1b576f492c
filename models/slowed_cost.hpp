// The step cost of a machine that is slower than its like: a straggler.
#pragma once

#include <memory>

#include "models/step_cost.hpp"

namespace headway {

/// Every step, and every part of it, takes `factor` (1 to 1,000,000, rounded to 2^-20) times as
/// long as under `cost`, which outlives the result: to the nearest picosecond, at most ten days.
/// Throws ModelError for a factor outside that range, and for NaN.
std::unique_ptr<StepCost> make_slowed_cost(const StepCost& cost, double factor);

}  // namespace headway
