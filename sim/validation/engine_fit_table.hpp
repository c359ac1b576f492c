// A fit for people.
#pragma once

#include <string>

#include "sim/report/table.hpp"
#include "sim/validation/engine_fit.hpp"

namespace headway {

/// The constants, base beside fitted, with the standard error of each or why it is not estimated;
/// the rows, measured beside predicted before and after; and what to measure next where constants
/// are not told. 80 columns.
std::string fit_text(const EngineFit& fit, const TableStyle& style);

}  // namespace headway
