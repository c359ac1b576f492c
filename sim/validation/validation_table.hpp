// Predictions beside measurements, for people: at most 80 columns.
#pragma once

#include <string>
#include <vector>

#include "sim/report/table.hpp"
#include "sim/validation/request_comparison.hpp"
#include "sim/validation/row_case.hpp"

namespace headway {

/// A row's figures: measured, predicted, error.
std::string row_text(const RowCase& row_case, const TableStyle& style);

/// The score of a group: by measure, then by kind of model, engine, GPU and load; and which rows
/// are not in it, and why.
std::string group_text(const std::vector<RowCase>& cases, const std::string& group,
                       const TableStyle& style);

/// A run beside its log.
std::string comparison_text(const std::string& id, const RequestComparison& comparison,
                            const TableStyle& style);

/// "+3.2 %", "-12 %"; "x14.2" from eleven times the measured value on.
std::string error_text(double error);

}  // namespace headway
