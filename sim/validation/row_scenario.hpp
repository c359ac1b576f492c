// A measured row as a scenario that a user could have written.
#pragma once

#include <filesystem>
#include <string>

#include "sim/validation/measured_table.hpp"
#include "sim/validation/recipe.hpp"

namespace headway {

/// The scenario file: the row's load, fleet and run, with row, source and note as comments.
/// `warming` requests of an open loop come before those that are measured; `trace` is the request
/// log of a trace loop. The text goes through the parser as any scenario does.
std::string scenario_text(const MeasuredRow& row, const Recipe& recipe, std::int64_t warming,
                          const std::filesystem::path& trace);

}  // namespace headway
