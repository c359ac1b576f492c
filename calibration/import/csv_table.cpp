#include "calibration/import/csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "calibration/calibration_error.hpp"
#include "calibration/sample_file.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

constexpr std::int64_t kLargest = 1'000'000'000'000'000;

}  // namespace

CsvTable::CsvTable(const std::string& path) : lines_(path, "a table of kernel times (CSV)") {
  std::string_view line;
  if (!lines_.next(line))
    throw SampleError(fmt::format("{}:1:1: the file is empty; expected a header line", path));
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  split(line);
  for (const std::string_view field : fields_) {
    if (field.empty()) lines_.fail(1, "a column without a name; expected a header line");
    if (find(field) != kAbsent)
      lines_.fail(1, fmt::format("the column {} is there twice; expected each once", field));
    columns_.emplace_back(field);
  }
}

void CsvTable::split(std::string_view line) {
  line_begin_ = line.data();
  fields_.clear();
  while (true) {
    const std::size_t comma = line.find(',');
    fields_.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

std::size_t CsvTable::find(std::string_view name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  return found == columns_.end() ? kAbsent : static_cast<std::size_t>(found - columns_.begin());
}

std::size_t CsvTable::need(std::string_view name) const {
  const std::size_t index = find(name);
  if (index == kAbsent)
    throw SampleError(fmt::format("{}:1:1: the table lacks the column {} (it has {})", path(), name,
                                  fmt::join(columns_, ", ")));
  return index;
}

void CsvTable::refuse_others(const std::vector<std::string>& known) const {
  for (const std::string& column : columns_) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    const std::string nearest = nearest_word(column, known);
    throw SampleError(fmt::format("{}:1:1: unknown column {}; expected {}{}", path(), column,
                                  fmt::join(known, ", "),
                                  nearest.empty() ? "" : "; did you mean " + nearest + "?"));
  }
}

bool CsvTable::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.empty());
  split(line);
  if (fields_.size() != columns_.size())
    lines_.fail(1, fmt::format("a row of {} fields; expected {}: {}", fields_.size(),
                               columns_.size(), fmt::join(columns_, ",")));
  return true;
}

std::string_view CsvTable::text(std::size_t column) const {
  return column == kAbsent ? std::string_view() : fields_[column];
}

std::int64_t CsvTable::integer(std::size_t column) const {
  const std::string_view field = fields_[column];
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || value < 0 || value > kLargest)
    fail(column, fmt::format("{} is no count ({}); expected a whole number from 0 to 10^15",
                             columns_[column], field));
  return value;
}

double CsvTable::seconds(std::size_t column, double unit_seconds) const {
  const std::string_view field = fields_[column];
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  value *= unit_seconds;
  if (error != std::errc() || end != field.data() + field.size() || !(value > 0) ||
      !(value <= kLongestSampleSeconds))
    fail(column, fmt::format("{} is no time ({}); expected a number over 0, a day at most",
                             columns_[column], field));
  return value;
}

void CsvTable::fail(std::size_t column, const std::string& text) const {
  const auto at = column == kAbsent ? 0 : fields_[column].data() - line_begin_;
  lines_.fail(static_cast<std::size_t>(at) + 1, text);
}

}  // namespace headway
