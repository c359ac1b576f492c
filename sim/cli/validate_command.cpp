#include "sim/cli/validate_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "sim/cli/command_line.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/standard_output.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/report/table.hpp"
#include "sim/report/table_text.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/validation/measured_data.hpp"
#include "sim/validation/request_comparison.hpp"
#include "sim/validation/requirement.hpp"
#include "sim/validation/score.hpp"
#include "sim/validation/scratch_folder.hpp"
#include "sim/validation/validation_csv.hpp"
#include "sim/validation/validation_run.hpp"
#include "sim/validation/validation_table.hpp"

namespace headway {

namespace {

namespace fs = std::filesystem;

int jobs_of(const std::string& text) {
  if (text.empty()) return 0;
  int jobs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), jobs);
  if (error != std::errc() || end != text.data() + text.size() || jobs < 1 || jobs > 4096)
    throw InputError(fmt::format("--jobs {}: expected a whole number from 1 to 4096", text));
  return jobs;
}

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

/// The scenario of every row, for whoever wants to run one alone.
void write_scenarios(const fs::path& out, const std::vector<RowCase>& cases) {
  prepare_folder(out / "scenarios", {});
  for (const RowCase& one : cases)
    if (!one.scenario_text.empty())
      write_file(out / "scenarios" / (one.row.id + ".yaml"), one.scenario_text);
}

void make_runs(std::vector<RowCase>& cases, const fs::path& results,
               const ValidateArguments& arguments) {
  count_interrupts();
  ProgressLine line(!arguments.quiet);
  run_cases(
      cases, results, jobs_of(arguments.jobs),
      [&](const ValidationProgress& progress) {
        line.show(progress.fraction, fmt::format("{} of {} runs", progress.done, progress.runs));
      },
      wanted_stop);
}

/// The comparison with the engine's log, of a trace row whose log lies beside the table.
std::string log_text(const RowCase& one, const MeasuredData& data, const fs::path& results,
                     const TableStyle& style) {
  const std::string prefix = one.row.group + "-";
  const std::string name = one.row.id.starts_with(prefix) ? one.row.id.substr(prefix.size()) : "";
  const fs::path requests = data.beside(fmt::format("{}-requests-{}.jsonl", one.row.engine, name));
  const fs::path states = data.beside(fmt::format("{}-timeseries-{}.csv", one.row.engine, name));
  std::error_code error;
  if (!fs::exists(requests, error) || !fs::exists(states, error))
    return fmt::format("{}  no log beside the table: {}\n", one.row.id,
                       (fs::exists(requests, error) ? states : requests).string());
  const double overhead = one.scenario->fleet.front().placement.engine.request_overhead_seconds;
  const std::string trace = one.scenario->workload.front().arrivals.trace_path;
  return comparison_text(
      one.row.id, compare_with_log(run_folder(results, one), overhead, requests, states, trace),
      style);
}

std::string result_text(const std::vector<RowCase>& cases, const MeasuredData& data,
                        const fs::path& results, bool rows, const TableStyle& style) {
  std::string text;
  for (const std::string& group : groups_of(cases)) {
    if (!text.empty()) text += "\n";
    text += group_text(cases, group, style);
    for (const RowCase& one : cases) {
      if (one.row.group != group) continue;
      if (rows) text += row_text(one, style);
      if (one.row.loop == Loop::trace && one.scenario && one.failure.empty())
        text += log_text(one, data, results, style);
    }
  }
  return text;
}

/// Throws RunError where a run gave no result.
void report_failures(const std::vector<RowCase>& cases) {
  const auto failed = std::count_if(cases.begin(), cases.end(),
                                    [](const RowCase& one) { return !one.failure.empty(); });
  if (failed == 0) return;
  const auto first = std::find_if(cases.begin(), cases.end(),
                                  [](const RowCase& one) { return !one.failure.empty(); });
  throw RunError(fmt::format("{} of {} rows gave no result; the first, {}: {}", failed,
                             cases.size(), first->row.id, first->failure));
}

}  // namespace

int validate_command(const ValidateArguments& arguments) {
  jobs_of(arguments.jobs);
  const MeasuredData data = find_measured(arguments.data);
  std::vector<MeasuredRow> rows = read_measured_table(data.table.string());
  std::vector<Requirement> requirements;
  if (!arguments.require.empty())
    requirements = read_requirements(arguments.require, groups_of(rows));
  std::vector<RowCase> cases =
      make_cases(rows_of_groups(std::move(rows), arguments.groups), data.folder);

  const ScratchFolder scratch;
  fs::path results = scratch.path();
  if (!arguments.out.empty()) {
    results = fs::path(arguments.out) / "runs";
    prepare_folder(arguments.out, {"validation.csv"});
    prepare_folder(results, {});
    write_scenarios(arguments.out, cases);
  }
  make_runs(cases, results, arguments);
  if (!arguments.out.empty())
    write_file(fs::path(arguments.out) / "validation.csv", validation_csv(cases));

  bool met = true;
  std::string text = result_text(cases, data, results, arguments.rows, style_for(STDOUT_FILENO));
  if (!requirements.empty()) text += "\nrequired\n" + requirements_text(requirements, cases, met);
  print(text);
  report_failures(cases);
  return met ? kFine : kAnswerIsNo;
}

}  // namespace headway
