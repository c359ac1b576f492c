// A run on the bare heap that ends soon, whatever its scenario.
#pragma once

#include <string>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Runs it with all metrics on for about 20 ms of wall time, and writes and reads its summary.
/// "completed", "cancelled", or the error that the run is refused with (an InputError or a
/// RunError; whatever else it throws is passed on).
std::string bounded_run(Scenario scenario);

}  // namespace headway
