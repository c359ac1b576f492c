// A table of kernel times: CSV, plain or gzip, a header line first. No field is quoted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/text_lines.hpp"

namespace headway {

/// Reads row by row. Every error is a SampleError "path:line:column: what is wrong; what was
/// expected".
class CsvTable {
 public:
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  /// Opens the file and reads its header.
  explicit CsvTable(const std::string& path);

  const std::vector<std::string>& columns() const { return columns_; }
  const std::string& path() const { return lines_.path(); }

  /// Index of a column, or kAbsent.
  std::size_t find(std::string_view name) const;
  /// Index of a column that must be there.
  std::size_t need(std::string_view name) const;
  /// Refuses columns that are not among `known`, with the nearest of them: an unknown column might
  /// change what a row means.
  void refuse_others(const std::vector<std::string>& known) const;

  /// The next row; false at the end. Refuses a row of more or fewer fields than the header; empty
  /// lines are passed over.
  bool next();

  /// A field of the row; "" for kAbsent.
  std::string_view text(std::size_t column) const;
  /// A whole number from 0 to 10^15.
  std::int64_t integer(std::size_t column) const;
  /// A time in seconds, over 0 and at most a day, of a field in units of `unit_seconds`.
  double seconds(std::size_t column, double unit_seconds) const;

  /// Refuses a field of the row.
  [[noreturn]] void fail(std::size_t column, const std::string& text) const;

 private:
  void split(std::string_view line);

  TextLines lines_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> fields_;
  const char* line_begin_ = nullptr;
};

}  // namespace headway
