// headway check
#pragma once

#include "sim/cli/arguments.hpp"

namespace headway {

/// Validates a scenario and prints what it comes to: load, memory, step times, the bound on
/// throughput, warnings. Returns kAnswerIsNo where more is offered than the bound. Throws
/// InputError.
int check_command(const CheckArguments& arguments);

}  // namespace headway
