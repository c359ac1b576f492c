#include "sim/validation/measured_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/units.hpp"
#include "sim/validation/csv_table.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {
namespace {

constexpr double kMostTokens = 1e7, kMostRate = 1e6, kMostFigure = 1e12;
constexpr std::int64_t kMostRequests = 10'000'000, kMostInFlight = 1'000'000, kMostGpus = 1024;

const std::array<Loop, 5> kLoops = {Loop::trace, Loop::open_constant, Loop::closed,
                                    Loop::all_at_once, Loop::static_batch};

std::vector<std::string> known_columns() {
  std::vector<std::string> columns = {"id",
                                      "group",
                                      "source",
                                      "engine",
                                      "engine_version",
                                      "gpu",
                                      "gpus",
                                      "tp",
                                      "pp",
                                      "ep",
                                      "model",
                                      "precision",
                                      "loop",
                                      "rate_rps",
                                      "concurrency",
                                      "batch",
                                      "n",
                                      "isl_mean",
                                      "osl_mean",
                                      "max_num_seqs",
                                      "max_num_batched_tokens",
                                      "kv_blocks",
                                      "chunked_prefill",
                                      "prefix_caching",
                                      "power_fraction",
                                      "note"};
  for (const MeasureFacts& facts : measures()) columns.emplace_back(facts.column);
  return columns;
}

Loop loop_of(const CsvTable& table) {
  const std::string& text = table.text("loop");
  std::vector<std::string> names;
  for (const Loop loop : kLoops) {
    names.emplace_back(loop_name(loop));
    if (text == names.back()) return loop;
  }
  const std::string near = nearest_word(text, names);
  table.fail("loop",
             fmt::format("loop is {}; expected {}{}", headway::quoted(text), fmt::join(names, ", "),
                         near.empty() ? "" : fmt::format("; did you mean {}", near)));
}

std::string name_of(const CsvTable& table, const char* column, bool plain) {
  const std::string& text = table.text(column);
  if (text.empty()) table.fail(column, fmt::format("{} is empty; expected a name", column));
  const bool fits = text.size() <= 100 && text.front() != '.' &&
                    text.find_first_not_of(
                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789-_.") == std::string::npos;
  if (plain && !fits)
    table.fail(column, fmt::format("{} is {}; expected at most 100 letters, digits, '-', '_' and "
                                   "'.', the first no '.'",
                                   column, headway::quoted(text)));
  return text;
}

std::int32_t small(const CsvTable& table, const char* column, std::int64_t most,
                   std::int64_t otherwise) {
  return static_cast<std::int32_t>(table.whole(column, 1, most, otherwise));
}

/// What the row's loop cannot do without.
void check_loop(const CsvTable& table, const MeasuredRow& row) {
  const auto need = [&](bool given, const char* column) {
    if (!given)
      table.fail(column,
                 fmt::format("{} is empty; a {} loop needs it", column, loop_name(row.loop)));
  };
  switch (row.loop) {
    case Loop::trace:
      break;
    case Loop::open_constant:
      need(row.rate > 0, "rate_rps");
      need(row.requests > 0, "n");
      break;
    case Loop::closed:
      need(row.concurrency > 0, "concurrency");
      break;
    case Loop::static_batch:
      need(row.batch > 0, "batch");
      break;
    case Loop::all_at_once:
      break;
  }
  if (row.loop == Loop::trace) return;
  need(row.input_tokens > 0, "isl_mean");
  need(row.output_tokens > 0, "osl_mean");
}

MeasuredRow read_row(const CsvTable& table, const std::string& path) {
  MeasuredRow row;
  row.where = fmt::format("{}:{}", path, table.line());
  row.id = name_of(table, "id", true);
  row.group = name_of(table, "group", true);
  row.source = table.text("source");
  row.engine = name_of(table, "engine", true);
  row.engine_version = table.text("engine_version");
  row.gpu = name_of(table, "gpu", false);
  row.model = name_of(table, "model", false);
  row.precision = name_of(table, "precision", true);
  row.note = table.text("note");
  row.loop = loop_of(table);
  row.tensor = small(table, "tp", kMostGpus, 1);
  row.pipeline = small(table, "pp", kMostGpus, 1);
  row.expert = small(table, "ep", kMostGpus, 1);
  row.rate = table.number("rate_rps", 1e-6, kMostRate).value_or(0);
  row.concurrency = table.whole("concurrency", 1, kMostInFlight, 0);
  row.batch = table.whole("batch", 1, kMostInFlight, 0);
  row.requests = table.whole("n", 1, kMostRequests, 0);
  row.input_tokens = table.number("isl_mean", 1, kMostTokens).value_or(0);
  row.output_tokens = table.number("osl_mean", 1, kMostTokens).value_or(0);
  row.max_num_seqs = small(table, "max_num_seqs", kMostInFlight, 0);
  row.max_num_batched_tokens = small(table, "max_num_batched_tokens", 100'000'000, 0);
  row.kv_blocks = table.whole("kv_blocks", 1, 1'000'000'000'000, 0);
  row.chunked_prefill = table.flag("chunked_prefill");
  row.prefix_caching = table.flag("prefix_caching");
  for (const MeasureFacts& facts : measures())
    row.measured[facts.measure] = table.number(facts.column, 1e-9, kMostFigure);
  if (row.measured.empty())
    table.fail("id", fmt::format("row {} measures nothing; expected a figure in one of the columns "
                                 "of latencies and rates",
                                 row.id));
  check_loop(table, row);
  return row;
}

}  // namespace

const char* loop_name(Loop loop) {
  switch (loop) {
    case Loop::trace:
      return "trace";
    case Loop::open_constant:
      return "open-constant";
    case Loop::closed:
      return "closed";
    case Loop::all_at_once:
      return "all-at-once";
    case Loop::static_batch:
      return "static";
  }
  return "";
}

std::vector<MeasuredRow> read_measured_table(const std::string& path) {
  CsvTable table(path, "a table of measured results (CSV)", known_columns(),
                 {"id", "group", "engine", "gpu", "model", "precision", "loop"});
  std::vector<MeasuredRow> rows;
  std::set<std::string> ids;
  while (table.next()) {
    rows.push_back(read_row(table, path));
    if (!ids.insert(rows.back().id).second)
      table.fail("id", fmt::format("id {} stands twice; expected one row an id",
                                   headway::quoted(rows.back().id)));
  }
  if (rows.empty())
    table.fail("id", "no rows under the header; expected one for each configuration measured");
  return rows;
}

std::vector<std::string> groups_of(const std::vector<MeasuredRow>& rows) {
  std::vector<std::string> groups;
  for (const MeasuredRow& row : rows)
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end())
      groups.push_back(row.group);
  return groups;
}

}  // namespace headway
