// Limits on errors that a validation must keep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/validation/row_case.hpp"

namespace headway {

/// An error of a group, or of one kind of model in it, and the most that it may be.
struct Requirement {
  std::string group;
  std::string kind;  // "dense 16-bit"; empty: all
  Measure measure = Measure::ttft_mean;
  std::string statistic;  // "mean", "median", "worst" of absolute errors, or "bias"
  double at_most = 0;     // per cent
};

/// A CSV table with the columns group, kind, measure, statistic and at_most_percent. `groups` are
/// those of the table of measured results. Throws InputError with the place for a table without
/// rows, a group that is not among them, another measure or statistic, and a limit out of range.
std::vector<Requirement> read_requirements(const std::string& path,
                                           const std::vector<std::string>& groups);

/// The error in per cent, of the sign that counts; nothing where no row of the kind was scored.
std::optional<double> figure_for(const Requirement& requirement, const std::vector<RowCase>& cases);

/// One line a requirement on a group among the cases: what was asked, what came, "met" or "NOT
/// MET"; or that none is on them. `met` becomes whether all were; one without any scored row is not
/// met.
std::string requirements_text(const std::vector<Requirement>& requirements,
                              const std::vector<RowCase>& cases, bool& met);

}  // namespace headway
