// Where the measured results lie.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/validation/measured_table.hpp"

namespace headway {

/// A table of measured results, and the folder with traces/ and measured/ that it goes with.
struct MeasuredData {
  std::filesystem::path table, folder;

  /// A file beside the table.
  std::filesystem::path beside(const std::string& name) const { return table.parent_path() / name; }
};

/// `option` names a table or a folder that holds measured/serving.csv; empty: the folder
/// HEADWAY_DATA, else ../shared/data from where the program runs. The folder of a table is the one
/// above its own. Throws RunError where there is no table, with what to do about it.
MeasuredData find_measured(const std::string& option);

/// The rows of these groups; of all, where none is named. Throws InputError for a group that the
/// table lacks, with the nearest one that it has.
std::vector<MeasuredRow> rows_of_groups(std::vector<MeasuredRow> rows,
                                        const std::vector<std::string>& groups);

}  // namespace headway
