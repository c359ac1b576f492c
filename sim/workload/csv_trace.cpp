// The CSV formats: a header that names the columns, then one request a line.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "models/units.hpp"
#include "sim/workload/trace_reader.hpp"

namespace headway {
namespace {

enum class Role : std::uint8_t { other, stamp, input, output };

struct Column {
  const char* name;
  Role role;
  StampKind stamp_kind = StampKind::seconds;
};

struct CsvFormat {
  Arrivals::TraceFormat format;
  const char* key;      // in scenario files
  const char* article;  // with the name that people know it by
  const char* header;
  std::vector<Column> columns;
};

const std::array<CsvFormat, 3>& formats() {
  static const std::array<CsvFormat, 3> all = {{
      {Arrivals::TraceFormat::azure,
       "azure",
       "an Azure",
       "TIMESTAMP,ContextTokens,GeneratedTokens",
       {{"TIMESTAMP", Role::stamp, StampKind::wall_clock},
        {"ContextTokens", Role::input},
        {"GeneratedTokens", Role::output}}},
      {Arrivals::TraceFormat::burstgpt,
       "burstgpt",
       "a BurstGPT",
       "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
       {{"Timestamp", Role::stamp, StampKind::seconds},
        {"Request tokens", Role::input},
        {"Response tokens", Role::output}}},
      {Arrivals::TraceFormat::plain,
       "plain",
       "a plain",
       "arrival_seconds,input_tokens,output_tokens",
       {{"arrival_seconds", Role::stamp, StampKind::seconds},
        {"arrival_time_ns", Role::stamp, StampKind::nanoseconds},
        {"input_tokens", Role::input},
        {"input_toks", Role::input},
        {"output_tokens", Role::output},
        {"output_toks", Role::output}}},
  }};
  return all;
}

/// Takes the next field off `line` at byte `at`, which moves to the next field's start, or past the
/// line's end after the last field. Blanks around a field are dropped; a field in double quotes may
/// hold commas.
TraceField take_field(std::string_view line, std::size_t& at) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t start = at;
  while (start < line.size() && blank(line[start])) ++start;
  std::size_t end = start, comma = start;
  if (start < line.size() && line[start] == '"') {
    const std::size_t close = line.find('"', ++start);
    end = close == std::string_view::npos ? line.size() : close;
    comma = end;
  }
  if (comma < line.size()) {
    const void* found = std::memchr(line.data() + comma, ',', line.size() - comma);
    comma = found ? static_cast<std::size_t>(static_cast<const char*>(found) - line.data())
                  : line.size();
  }
  if (end == start) {
    end = comma;
    while (end > start && blank(line[end - 1])) --end;
  }
  at = comma + 1;
  return {line.substr(start, end - start), static_cast<std::int64_t>(start) + 1};
}

std::vector<TraceField> split(std::string_view line) {
  std::vector<TraceField> fields;
  for (std::size_t at = 0; at <= line.size();) fields.push_back(take_field(line, at));
  return fields;
}

const Column* find_column(const CsvFormat& format, std::string_view name) {
  for (const Column& column : format.columns)
    if (name == column.name) return &column;
  return nullptr;
}

bool has_role(const CsvFormat& format, const std::vector<TraceField>& header, Role role) {
  for (const TraceField& field : header)
    if (const Column* column = find_column(format, field.text))
      if (column->role == role) return true;
  return false;
}

/// "; did you mean …" for a header with a name near to one of the role's, else "".
std::string near_name(const CsvFormat& format, const std::vector<TraceField>& header, Role role) {
  std::vector<std::string> valid;
  for (const Column& column : format.columns)
    if (column.role == role) valid.emplace_back(column.name);
  for (const TraceField& field : header) {
    if (find_column(format, field.text)) continue;  // known, and taken for another role
    if (const std::string near = nearest_word(field.text, valid); !near.empty())
      return fmt::format("; did you mean '{}' by {}", near, quoted(field.text));
  }
  return "";
}

class CsvTrace : public TraceReader {
 public:
  CsvTrace(const std::string& path, const CsvFormat& format, bool need_input, bool need_output)
      : TraceReader(path), zero_output_failed_(format.format == Arrivals::TraceFormat::burstgpt) {
    std::string_view header;
    if (!lines_.next(header))
      fail_at(lines_, 1, fmt::format("the file is empty; expected a header {}", format.header));
    const bool lengths_may_lack = format.format == Arrivals::TraceFormat::plain;
    read_header(format, header, need_input || !lengths_may_lack, need_output || !lengths_may_lack);
  }

 private:
  void read_header(const CsvFormat& format, std::string_view header, bool need_input,
                   bool need_output) {
    const std::vector<TraceField> names = split(header);
    const auto need = [&](Role role, const char* what) {
      if (has_role(format, names, role)) return;
      fail_at(lines_, 1,
              fmt::format("the header {} names no column of {}; expected {}{}{}", quoted(header),
                          what, format.header, near_name(format, names, role),
                          format_hint(header, format.format)));
    };
    need(Role::stamp, "arrival times");
    if (need_input) need(Role::input, "input tokens");
    if (need_output) need(Role::output, "output tokens");

    std::array<std::string_view, 4> taken;
    for (const TraceField& name : names) {
      const Column* column = find_column(format, name.text);
      roles_.push_back(column ? column->role : Role::other);
      if (!column) continue;
      std::string_view& before = taken[static_cast<std::size_t>(column->role)];
      if (!before.empty())
        fail_at(lines_, name.column,
                fmt::format("column {} says the same as {}; expected one of them",
                            quoted(name.text), quoted(before)));
      before = name.text;
      if (column->role == Role::stamp) stamp_kind_ = column->stamp_kind;
    }
  }

  void parse(std::string_view line, TraceRow& row) override {
    TraceField input, output;
    std::size_t at = 0, found = 0;
    for (const Role role : roles_) {
      if (at > line.size()) fail_columns(line, found);
      const TraceField field = take_field(line, at);
      ++found;
      if (role == Role::stamp)
        row.stamp_field = field;
      else if (role == Role::input)
        input = field;
      else if (role == Role::output)
        output = field;
    }
    if (at <= line.size()) fail_columns(line, split(line).size());
    row.stamp = parse_stamp(lines_, row.stamp_field, stamp_kind_);
    row.output_tokens = 1;
    bool failed = false;
    if (output.text.data()) {
      row.output_tokens = parse_tokens(lines_, output, "output", zero_output_failed_ ? 0 : 1);
      failed = row.output_tokens == 0;
    }
    row.input_tokens = input.text.data() ? parse_tokens(lines_, input, "input", failed ? 0 : 1) : 1;
    if (failed) {
      ++failed_rows_;
      row.output_tokens = 1;
      if (row.input_tokens == 0) row.input_tokens = 1;
    }
  }

  [[noreturn]] void fail_columns(std::string_view line, std::size_t found) const {
    const char* const cause = found < roles_.size() ? " (is the file cut off?)" : "";
    const std::int64_t column = found < roles_.size() ? static_cast<std::int64_t>(line.size()) + 1
                                                      : split(line)[roles_.size()].column;
    fail_at(lines_, column,
            fmt::format("the line {} has {} column{}; expected the header's {}{}", quoted(line),
                        found, found == 1 ? "" : "s", roles_.size(), cause));
  }

  bool zero_output_failed_;
  std::vector<Role> roles_;  // of each column
  StampKind stamp_kind_ = StampKind::seconds;
};

}  // namespace

std::unique_ptr<TraceReader> open_csv_trace(const std::string& path, Arrivals::TraceFormat format,
                                            bool need_input, bool need_output) {
  for (const CsvFormat& candidate : formats())
    if (candidate.format == format)
      return std::make_unique<CsvTrace>(path, candidate, need_input, need_output);
  return nullptr;
}

std::string format_hint(std::string_view first_line, Arrivals::TraceFormat format) {
  if (format != Arrivals::TraceFormat::mooncake && first_line.substr(0, 1) == "{")
    return "; it looks like a Mooncake trace: say format: mooncake";
  const std::vector<TraceField> names = split(first_line);
  for (const CsvFormat& candidate : formats())
    if (candidate.format != format && has_role(candidate, names, Role::stamp) &&
        has_role(candidate, names, Role::input) && has_role(candidate, names, Role::output))
      return fmt::format("; it looks like {} trace: say format: {}", candidate.article,
                         candidate.key);
  return "";
}

}  // namespace headway
