// summary.json: a run's result for programs, and the one reader of it.
#pragma once

#include <string>
#include <string_view>

#include "sim/report/report.hpp"

namespace headway {

inline constexpr const char* kSummaryFormat = "headway.summary";
inline constexpr int kSummaryVersion = 1;

/// The bytes of summary.json, ending with a newline: format `headway.summary` version 1
/// (sim/README.md). The same report gives the same bytes; provenance comes last, in a block of its
/// own. Beside our keys stand those of vLLM's serving benchmark, in its units, measured from
/// sending over the whole run, as a load generator would; null where no finite value exists.
std::string summary_json(const Report& report);

/// The report that summary_json wrote, without the time line (timeseries.csv has it). `where`
/// stands for the file in messages. Throws InputError for other text, another format or version, or
/// a field that is missing or of another type.
Report parse_summary(std::string_view text, const std::string& where);

/// parse_summary of a file. Throws InputError, also for a file that cannot be read.
Report read_summary(const std::string& path);

}  // namespace headway
