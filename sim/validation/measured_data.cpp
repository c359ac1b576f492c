#include "sim/validation/measured_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "models/units.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace fs = std::filesystem;

MeasuredData find_measured(const std::string& option) {
  std::error_code error;
  fs::path path = option;
  if (option.empty()) {
    const char* variable = std::getenv("HEADWAY_DATA");
    path = variable != nullptr && *variable != '\0' ? variable : "../shared/data";
  }
  if (fs::is_directory(path, error)) path = path / "measured" / "serving.csv";
  if (!fs::is_regular_file(path, error))
    throw RunError(
        fmt::format("no measured results at {}; expected the folder or the table that "
                    "--data names, or measured/serving.csv in the folder HEADWAY_DATA",
                    path.string()));
  return {path, fs::absolute(path).parent_path().parent_path()};
}

std::vector<MeasuredRow> rows_of_groups(std::vector<MeasuredRow> rows,
                                        const std::vector<std::string>& groups) {
  if (groups.empty()) return rows;
  const std::vector<std::string> known = groups_of(rows);
  for (const std::string& group : groups) {
    if (std::find(known.begin(), known.end(), group) != known.end()) continue;
    const std::string near = nearest_word(group, known);
    throw InputError(fmt::format("no group '{}' in the table; expected {}{}", group.substr(0, 60),
                                 fmt::join(known, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }
  std::erase_if(rows, [&](const MeasuredRow& row) {
    return std::find(groups.begin(), groups.end(), row.group) == groups.end();
  });
  return rows;
}

}  // namespace headway
