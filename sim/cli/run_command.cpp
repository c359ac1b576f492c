#include "sim/cli/run_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "models/model_error.hpp"
#include "sim/cli/command_line.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/scenario_argument.hpp"
#include "sim/cli/standard_output.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/report/result_files.hpp"
#include "sim/report/run_protocol.hpp"
#include "sim/report/table.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/study/child_run.hpp"

namespace headway {

namespace {

double limit(const char* option, const std::string& text, Dimension dimension) {
  if (text.empty()) return 0;
  double value = 0;
  try {
    value = parse_quantity(text, dimension);
  } catch (const UnitError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
  if (!(value > 0)) throw InputError(fmt::format("{} {}: expected more than 0", option, text));
  return value;
}

RunOrder order_of(const RunArguments& arguments) {
  RunOrder order;
  order.time_limit_seconds = limit("--time-limit", arguments.time_limit, Dimension::time);
  const double bytes = limit("--memory-limit", arguments.memory_limit, Dimension::bytes);
  if (!arguments.memory_limit.empty() && bytes < 1)
    throw InputError("--memory-limit " + arguments.memory_limit + ": expected at least 1 B");
  if (bytes > 1e15)
    throw InputError("--memory-limit " + arguments.memory_limit + ": expected at most 1000 TB");
  order.memory_limit_bytes = static_cast<std::int64_t>(bytes);

  std::vector<std::string> sets = arguments.sets;
  const auto set = [&](const char* path, const std::string& value) {
    if (!value.empty()) sets.push_back(fmt::format("{}={}", path, value));
  };
  set("run.seed", arguments.seed);
  set("run.engine", arguments.engine);
  set("run.stepping", arguments.stepping);
  order.scenario = load_argument(arguments.scenario, arguments.as, sets);
  order.out = arguments.out;
  return order;
}

bool has_slo(const Scenario& scenario) {
  for (const WorkloadClass& workload_class : scenario.workload)
    if (workload_class.slo) return true;
  return false;
}

int promise_kept(const Summary& summary) {
  const Verdict verdict = summary.stability.verdict;
  if (summary.slo_held && verdict != Verdict::unstable && verdict != Verdict::undecided)
    return kFine;
  if (verdict == Verdict::undecided)
    print_error("undecided whether the SLO holds: " + summary.stability.reason);
  else
    print_error(verdict == Verdict::unstable ? "the SLO does not hold: the system is unstable"
                                             : "the SLO does not hold");
  return kAnswerIsNo;
}

RunReply make_run(const RunOrder& order, const RunArguments& arguments) {
  count_interrupts();
  ProgressLine line(!arguments.quiet && !arguments.protocol);
  RunWatch watch;
  watch.on_progress = [&](std::size_t, const ChildProgress& progress) {
    if (arguments.protocol) print(progress_line(progress));
    line.show(progress);
  };
  watch.stop = wanted_stop;
  return std::move(run_all({order}, 1, watch).front());
}

void print_result(const RunReply& reply, const RunArguments& arguments) {
  if (arguments.quiet) return;
  if (arguments.protocol) return print(result_line(reply.summary_json));
  print(arguments.json ? reply.summary_json : result_table(reply.report, style_for(STDOUT_FILENO)));
}

int run_and_print(const RunArguments& arguments) {
  const RunOrder order = order_of(arguments);
  if (arguments.assert_slo && !has_slo(order.scenario))
    throw InputError(arguments.scenario + ": --assert-slo needs a class with an slo");
  // A folder that cannot be written is found before the run, not after it.
  const bool made = !order.out.empty() && prepare_folder(order.out, result_file_names());

  const RunReply reply = make_run(order, arguments);
  if (reply.status == RunReply::Status::failed) {
    if (made) ::rmdir(order.out.c_str());
    if (reply.wrong_input) throw InputError(reply.error);
    throw RunError(reply.error);
  }
  print_result(reply, arguments);
  if (reply.status == RunReply::Status::partial) {
    print_error("stopped by " + reply.report.facts.stopped_by + "; the results are partial");
    return kFailed;
  }
  return arguments.assert_slo ? promise_kept(reply.report.summary) : kFine;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  if (!arguments.protocol) return run_and_print(arguments);
  if (arguments.json || arguments.quiet)
    throw InputError(std::string("--protocol and --") + (arguments.json ? "json" : "quiet") +
                     " exclude each other");
  print(hello_line());
  try {
    return run_and_print(arguments);
  } catch (const std::exception& error) {
    const bool wrong_input = dynamic_cast<const InputError*>(&error) != nullptr ||
                             dynamic_cast<const ModelError*>(&error) != nullptr;
    print(error_line(error.what(), wrong_input));
    throw;
  }
}

}  // namespace headway
