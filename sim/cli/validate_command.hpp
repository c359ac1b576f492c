// headway validate
#pragma once

#include "sim/cli/arguments.hpp"

namespace headway {

/// Runs a scenario for every row of a table of measured results and prints predicted beside
/// measured. Returns the exit code: 1 where a requirement is not met. Throws InputError and
/// RunError, the latter also where a run failed or Ctrl-C ended them, after what there is was
/// printed.
int validate_command(const ValidateArguments& arguments);

}  // namespace headway
