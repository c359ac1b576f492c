// `headway-gui SCENARIO --export DIR`: table and plots of a scenario as files, without a window.
#pragma once

#include <string>

namespace headway {

/// Runs the scenario, with the loads of its trade-off curve, and writes into the folder, which is
/// made if it is not there: table.csv, and tradeoff, distribution and timeline as .png, .svg and
/// .csv. Tells its progress on the standard error. Needs a QApplication. Throws InputError for a
/// wrong scenario, RunError where a run failed or a file cannot be written.
void export_results(const std::string& scenario_path, const std::string& folder);

}  // namespace headway
