// The result table as a file.
#pragma once

#include <string>

#include "sim/report/report.hpp"

namespace headway {

/// table.csv: format `headway.table` version 1 (gui/README.md). Values as summary.json has them;
/// `baseline` may be null.
std::string result_table_csv(const Report& report, const Report* baseline);

}  // namespace headway
