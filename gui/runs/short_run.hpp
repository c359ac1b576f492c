// A shorter run of the same scenario, for a first answer.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Arguments of --set that cut a stationary run to some 10,000 requests (a run whose rate is not
/// known beforehand: to a tenth). Empty where that makes no run of it that is much shorter, and for
/// loads that end or change, which are a whole.
std::vector<std::string> short_run_sets(const Scenario& scenario);

}  // namespace headway
