// The scenario that a command is given: a file, or the standard input in its place.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Reads and checks the scenario. `scenario` is a path, or "-" for the standard input, which then
/// stands for the file `as`: messages name it, and relative paths start from its folder. `as` is
/// empty where none was given. Throws InputError.
Scenario load_argument(const std::string& scenario, const std::string& as,
                       const std::vector<std::string>& sets);

}  // namespace headway
