// From a scenario file to a checked scenario.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/input_error.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Reads and checks a scenario file. `sets` are arguments of --set, "path=value", applied in order
/// before the check. Throws InputError with "file:line:column: what is wrong; what was expected"
/// (or "--set path=value: …").
Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets = {});

/// The same from text. `file` stands for the file in messages; relative paths in the scenario start
/// from `base`.
Scenario parse_scenario(std::string_view text, const std::string& file,
                        const std::filesystem::path& base,
                        const std::vector<std::string>& sets = {});

}  // namespace headway
