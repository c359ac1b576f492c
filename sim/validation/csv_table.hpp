// A CSV table whose first line names its columns: read by column name, every error with its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/workload/line_reader.hpp"

namespace headway {

/// Reads one row after the other. Lines that start with '#' before the header, and blank lines, are
/// skipped; fields may be quoted (RFC 4180, within one line).
class CsvTable {
 public:
  /// Reads the header. `what` the table is to be stands in messages of a file that cannot be read:
  /// "a table of limits (CSV)". `known` are the columns that a table of this kind may have (empty:
  /// any), `needed` those it must have. Throws InputError for a file that cannot be read, an
  /// unknown or repeated column, or a missing one.
  CsvTable(const std::string& path, const std::string& what, const std::vector<std::string>& known,
           const std::vector<std::string>& needed);

  /// The next row, or false at the end. Throws InputError for a row with more or fewer fields than
  /// the header.
  bool next();
  /// Line of the row that next() gave last, from 1.
  std::int64_t line() const { return lines_.number(); }

  /// The row's field, without blanks around it; empty where the table has no such column or no
  /// row was given.
  const std::string& text(const std::string& column) const;
  /// A number within [low, high]; nothing for an empty field. Throws InputError.
  std::optional<double> number(const std::string& column, double low, double high) const;
  /// A whole number within [low, high]. Throws InputError, also for an empty field.
  std::int64_t whole(const std::string& column, std::int64_t low, std::int64_t high) const;
  /// The same, or `otherwise` for an empty field.
  std::int64_t whole(const std::string& column, std::int64_t low, std::int64_t high,
                     std::int64_t otherwise) const;
  /// "true" or "false"; nothing for an empty field. Throws InputError.
  std::optional<bool> flag(const std::string& column) const;

  /// Throws InputError "file:line:column: message" for the row's field of that column; of column 1
  /// where no row was given.
  [[noreturn]] void fail(const std::string& column, const std::string& message) const;

 private:
  struct Field {
    std::string text;
    std::int64_t at = 1;  // column of the line, from 1
  };
  void split(std::string_view line, std::vector<Field>& fields) const;
  void read_header(const std::vector<std::string>& known, const std::vector<std::string>& needed);
  const Field* find(const std::string& column) const;

  LineReader lines_;
  std::vector<std::string> columns_;
  std::vector<Field> row_;
};

}  // namespace headway
