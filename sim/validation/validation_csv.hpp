// Predictions beside measurements, for programs.
#pragma once

#include <string>
#include <vector>

#include "sim/validation/row_case.hpp"

namespace headway {

/// The bytes of validation.csv: format `headway.validation` version 1. Line 1 is a comment with
/// format and version, line 2 the header, then one line for each figure that a row measures:
/// id, group, kind, engine, gpu, loop, measure, unit, measured, predicted, error (predicted /
/// measured − 1), scored, state. `predicted` and `error` are empty where the row was not run;
/// `state` says why, or "fitted", "saturated".
std::string validation_csv(const std::vector<RowCase>& cases);

}  // namespace headway
