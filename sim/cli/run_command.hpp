// headway run
#pragma once

#include "sim/cli/arguments.hpp"

namespace headway {

/// Makes the run and prints what came of it. Returns the exit code; throws InputError and RunError.
int run_command(const RunArguments& arguments);

}  // namespace headway
