// A ready scenario beside a measured report of the real system.
#pragma once

#include <string>
#include <vector>

#include "sim/metrics/summary.hpp"

namespace headway {

/// Reads scenarios/`file`, overridden by `sets` ("path=value"), and runs it on the bare heap.
/// `records`, where given, gets every request's record in order of its id.
Summary run_ready_scenario(const std::string& file, std::vector<std::string> sets,
                           std::vector<RequestRecord>* records = nullptr);

/// Prints a line "what, predicted, measured, error" and returns the error, relative to measured.
double print_beside(const std::string& what, double predicted, double measured,
                    const std::string& unit, const std::string& remark = "");

}  // namespace headway
