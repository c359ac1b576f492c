// The check of an option whose value is a number.
#pragma once

#include <CLI/CLI.hpp>

namespace headway {

/// Accepts decimal numbers from `least` to `most`; refuses everything else, NaN and infinities
/// among it (CLI::Range lets NaN pass), with the value found and the range expected.
CLI::Validator number_from(double least, double most);

}  // namespace headway
