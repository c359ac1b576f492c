#include "sim/report/request_samples.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr std::string_view kFormat = "# headway.requests version 1;";

// The columns that are read.
constexpr std::array<std::string_view, 4> kColumns = {"outcome", "ttft_s", "tpot_s", "e2e_s"};

// The next field of a line, as it is written; the line loses it and its comma.
std::string_view take_field(std::string_view& line) {
  std::size_t comma = line.find(',');
  if (line.starts_with('"')) {  // a quote within is doubled: the field ends with an odd one
    std::size_t quote = line.find('"', 1);
    while (quote != std::string_view::npos && quote + 1 < line.size() && line[quote + 1] == '"')
      quote = line.find('"', quote + 2);
    comma = quote == std::string_view::npos ? quote : line.find(',', quote);
  }
  const std::string_view field = line.substr(0, comma);
  line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
  return field;
}

// Where they stand.
struct Layout {
  std::array<int, kColumns.size()> column{};
  int columns = 0;
};

Layout read_header(std::string_view header, const std::string& path) {
  Layout layout;
  layout.column.fill(-1);
  while (!header.empty()) {
    const std::string_view name = take_field(header);
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      if (name == kColumns[i]) layout.column[i] = layout.columns;
    ++layout.columns;
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i)
    if (layout.column[i] < 0) throw InputError(path + ":2: no column " + std::string(kColumns[i]));
  return layout;
}

// An absent time is an empty field.
std::optional<double> read_seconds(std::string_view field, bool& damaged) {
  if (field.empty()) return {};
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  damaged = damaged || error != std::errc() || end != field.data() + field.size() ||
            !std::isfinite(value) || value < 0;
  return value;
}

struct Completion {
  std::optional<double> ttft, tpot, e2e;
};

// What a line says of a request that completed; nothing where it did not.
std::optional<Completion> read_line(std::string_view line, const Layout& layout, bool& damaged) {
  std::array<std::string_view, kColumns.size()> fields;
  int column = 0;
  for (; !line.empty() || column == layout.columns - 1; ++column) {
    const std::string_view field = take_field(line);
    for (std::size_t i = 0; i < kColumns.size(); ++i)
      if (column == layout.column[i]) fields[i] = field;
    if (column >= layout.columns) break;
  }
  damaged = column != layout.columns;
  if (damaged || fields[0] != "completed") return {};
  Completion found{read_seconds(fields[1], damaged), read_seconds(fields[2], damaged),
                   read_seconds(fields[3], damaged)};
  damaged = damaged || !found.ttft || !found.e2e;
  return found;
}

std::string next_line(std::ifstream& file) {
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

RequestSamples read_request_samples(const std::string& path, const WarmUp& warm_up) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read");
  if (!next_line(file).starts_with(kFormat))
    throw InputError(path + ":1: no requests of headway; expected \"" + std::string(kFormat) +
                     " …\"");
  const Layout layout = read_header(next_line(file), path);
  RequestSamples samples;
  std::vector<bool> has_tpot;
  std::int64_t left_out = warm_up.requests;
  std::string line;
  for (std::int64_t number = 3; std::getline(file, line); ++number) {
    bool damaged = false;
    const std::optional<Completion> request = read_line(line, layout, damaged);
    if (damaged)
      throw InputError(path + ":" + std::to_string(number) + ": a damaged line; expected " +
                       std::to_string(layout.columns) + " fields, times in seconds");
    if (!request || left_out-- > 0) continue;
    samples.ttft.push_back(*request->ttft);
    samples.e2e.push_back(*request->e2e);
    if (request->tpot) samples.tpot.push_back(*request->tpot);
    has_tpot.push_back(request->tpot.has_value());
  }
  for (std::int64_t drain = warm_up.drain_requests; drain > 0 && !has_tpot.empty(); --drain) {
    samples.ttft.pop_back();
    samples.e2e.pop_back();
    if (has_tpot.back()) samples.tpot.pop_back();
    has_tpot.pop_back();
  }
  return samples;
}

}  // namespace headway
