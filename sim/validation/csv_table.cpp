#include "sim/validation/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/units.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {
namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

CsvTable::CsvTable(const std::string& path, const std::string& what,
                   const std::vector<std::string>& known, const std::vector<std::string>& needed)
    : lines_(path, what) {
  read_header(known, needed);
}

void CsvTable::read_header(const std::vector<std::string>& known,
                           const std::vector<std::string>& needed) {
  std::string_view line;
  bool found = false;
  while (!found && lines_.next(line)) found = !blank(line) && line.front() != '#';
  if (!found) fail_at(lines_, 1, "no header; expected a first line that names the columns");
  std::vector<Field> header;
  split(line, header);
  for (const Field& field : header) {
    if (!known.empty() && !contains(known, field.text)) {
      const std::string near = nearest_word(field.text, known);
      fail_at(lines_, field.at,
              fmt::format("unknown column {}; expected columns among {}{}",
                          headway::quoted(field.text), fmt::join(known, ","),
                          near.empty() ? "" : fmt::format("; did you mean {}", near)));
    }
    if (contains(columns_, field.text))
      fail_at(lines_, field.at, fmt::format("column {} stands twice", headway::quoted(field.text)));
    columns_.push_back(field.text);
  }
  for (const std::string& name : needed)
    if (!contains(columns_, name))
      fail_at(lines_, 1,
              fmt::format("no column {}; expected at least {}", name, fmt::join(needed, ",")));
}

void CsvTable::split(std::string_view line, std::vector<Field>& fields) const {
  fields.clear();
  std::size_t at = 0;
  do {
    Field field;
    field.at = static_cast<std::int64_t>(at) + 1;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at >= line.size())
          fail_at(lines_, field.at, "a quoted field does not end; expected '\"'");
        if (line[at] != '"') {
          field.text += line[at];
        } else if (at + 1 < line.size() && line[at + 1] == '"') {
          field.text += line[at++];
        } else {
          break;
        }
      }
      if (++at < line.size() && line[at] != ',')
        fail_at(lines_, static_cast<std::int64_t>(at) + 1,
                "text after a quoted field; expected ','");
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      field.text = trimmed(std::string(line.substr(at, end - at)));
      at = end;
    }
    fields.push_back(std::move(field));
  } while (at++ < line.size());
}

bool CsvTable::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (blank(line));
  split(line, row_);
  if (row_.size() != columns_.size())
    fail_at(lines_, 1,
            fmt::format("{} fields; expected {}, as the header has", row_.size(), columns_.size()));
  return true;
}

const CsvTable::Field* CsvTable::find(const std::string& column) const {
  const auto found = std::find(columns_.begin(), columns_.end(), column);
  return found == columns_.end() || row_.empty()
             ? nullptr
             : &row_[static_cast<std::size_t>(found - columns_.begin())];
}

const std::string& CsvTable::text(const std::string& column) const {
  static const std::string none;
  const Field* field = find(column);
  return field ? field->text : none;
}

std::optional<double> CsvTable::number(const std::string& column, double low, double high) const {
  const std::string& field = text(column);
  if (field.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value) ||
      value < low || value > high)
    fail(column, fmt::format("{} is {}; expected a number from {} to {}", column,
                             headway::quoted(field), low, high));
  return value;
}

std::int64_t CsvTable::whole(const std::string& column, std::int64_t low, std::int64_t high) const {
  const auto value = number(column, static_cast<double>(low), static_cast<double>(high));
  if (!value || *value != std::floor(*value))
    fail(column, fmt::format("{} is {}; expected a whole number from {} to {}", column,
                             value ? headway::quoted(text(column)) : "empty", low, high));
  return static_cast<std::int64_t>(*value);
}

std::int64_t CsvTable::whole(const std::string& column, std::int64_t low, std::int64_t high,
                             std::int64_t otherwise) const {
  return text(column).empty() ? otherwise : whole(column, low, high);
}

std::optional<bool> CsvTable::flag(const std::string& column) const {
  const std::string& field = text(column);
  if (field.empty()) return std::nullopt;
  if (field != "true" && field != "false")
    fail(column, fmt::format("{} is {}; expected true or false", column, headway::quoted(field)));
  return field == "true";
}

void CsvTable::fail(const std::string& column, const std::string& message) const {
  const Field* field = find(column);
  fail_at(lines_, field ? field->at : 1, message);
}

}  // namespace headway
