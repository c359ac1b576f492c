// The runs of all cases, over the cores.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "sim/study/child_run.hpp"
#include "sim/validation/row_case.hpp"

namespace headway {

/// How far the runs are.
struct ValidationProgress {
  std::size_t done = 0, runs = 0;
  double fraction = 0;  // of the requests of all runs
};

/// The folder that holds the result files of a run that needs them.
std::filesystem::path run_folder(const std::filesystem::path& results, const RowCase& row_case);

/// Runs every case that has a scenario, `jobs` at a time (0: one for each core), the longest first,
/// and fills `predicted` or `failure`, and `unscored` where the run has nothing to be scored. Runs
/// that need their result files leave them under `results`, which is there. Throws RunError where
/// no process or folder can be made.
void run_cases(std::vector<RowCase>& cases, const std::filesystem::path& results, int jobs,
               const std::function<void(const ValidationProgress&)>& on_progress,
               const std::function<Stop()>& stop);

}  // namespace headway
