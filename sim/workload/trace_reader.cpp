#include "sim/workload/trace_reader.hpp"

namespace headway {

bool TraceReader::next(TraceRow& row) {
  std::string_view line;
  if (!lines_.next(line)) return false;
  if (line.empty()) {
    while (lines_.next(line))
      if (!line.empty())
        fail_at(lines_, 1, "stands after a blank line; expected blank lines at the end only");
    return false;
  }
  parse(line, row);
  return true;
}

std::unique_ptr<TraceReader> open_trace(const std::string& path, Arrivals::TraceFormat format,
                                        bool need_input, bool need_output) {
  if (format == Arrivals::TraceFormat::mooncake) return open_mooncake_trace(path);
  return open_csv_trace(path, format, need_input, need_output);
}

}  // namespace headway
