// What a run's process says to the one that started it: JSON lines on a pipe, `headway.run` version
// 1 (sim/README.md). This header is the one place that writes and reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/report/report.hpp"

namespace headway {

/// Where a run stands, as its process tells.
struct ChildProgress {
  double fraction = 0;  // 0..1 of the load offered; 0 where the end is not known
  double simulated_seconds = 0;
  std::int64_t offered = 0, departed = 0;  // requests
};

/// One line of the pipe; exactly one member is set.
struct RunMessage {
  struct Error {
    std::string text;
    bool wrong_input = false;  // exit code 2; else 3
  };
  std::optional<int> version;  // the first line
  std::optional<ChildProgress> progress;
  std::optional<std::string> result;  // the bytes of summary.json
  std::optional<Error> error;
};

std::string hello_line();
std::string progress_line(const ChildProgress& progress);
std::string result_line(const std::string& summary_json);
std::string error_line(const std::string& text, bool wrong_input);

/// Reads one line, without its line break. A line that is none of the above gives an empty message.
RunMessage parse_run_line(std::string_view line);

}  // namespace headway
