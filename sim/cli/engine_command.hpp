// headway engine fit
#pragma once

#include "sim/cli/arguments.hpp"

namespace headway {

/// Fits an engine's overheads on serving benchmarks, prints what they tell, and writes the fitted
/// engine's file where one is asked for. Returns the exit code. Throws InputError, and RunError
/// where a run failed, nothing can be written, or Ctrl-C ended the fit: then nothing is written.
int engine_fit_command(const EngineFitArguments& arguments);

}  // namespace headway
