// How far predictions are from measurements, by group of rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/validation/row_case.hpp"

namespace headway {

/// predicted / measured − 1; nothing where either is missing. The rate of requests of an open loop
/// counts only where it was saturated: below, it is the offered one.
std::optional<double> relative_error(const RowCase& row_case, Measure measure);

/// Why a row that was run has no error in any figure: the run has none that was measured, or they
/// tell nothing. Empty where it has one.
std::string why_no_error(const RowCase& row_case);

/// Relative errors of a set of rows, of one measure.
struct Score {
  std::size_t rows = 0;
  double mean = 0, median = 0;  // of the absolute errors
  double bias = 0;              // mean of the signed errors
  double worst = 0;             // signed error of the row that is farthest off
  std::string worst_id;
};

/// A choice of rows.
using RowChoice = std::function<bool(const RowCase&)>;

/// The score of the chosen rows; nothing where none has an error in this.
std::optional<Score> score_of(const std::vector<RowCase>& cases, Measure measure,
                              const RowChoice& choice);

/// The groups of the rows, in order of their first row.
std::vector<std::string> groups_of(const std::vector<RowCase>& cases);

}  // namespace headway
