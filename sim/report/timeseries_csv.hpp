// timeseries.csv: the run over time, one line a bucket, and its reader.
#pragma once

#include <string>
#include <string_view>

#include "sim/metrics/summary.hpp"

namespace headway {

/// The bytes of timeseries.csv: format `headway.timeseries` version 1 (sim/README.md).
std::string timeseries_csv(const Timeline& timeline);

/// The time line that timeseries_csv wrote; `where` stands for the file in messages. Throws
/// InputError for another format, another version or a damaged line.
Timeline parse_timeseries(std::string_view text, const std::string& where);

}  // namespace headway
