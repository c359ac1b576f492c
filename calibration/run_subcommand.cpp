// `run`: measures the operators of a model on a device.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <map>
#include <memory>

#include "calibration/calibration_error.hpp"
#include "calibration/calibration_run.hpp"
#include "calibration/interruption.hpp"
#include "calibration/number_option.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/plan.hpp"
#include "calibration/progress_text.hpp"
#include "calibration/sample_journal.hpp"
#include "calibration/standard_streams.hpp"
#include "calibration/subcommand.hpp"
#include "models/catalog.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  headway-calibrate run --device cuda:0 --model llama-3.1-8b --tensor 1,2 \\\n"
    "    --precision bf16,fp8 --budget 5min -o h100.samples\n"
    "  headway-calibrate run --device cpu --model config.json --max-num-seqs 16 \\\n"
    "    --max-num-batched-tokens 512 --max-model-len 2048 -o cpu.samples\n"
    "\n"
    "The points that matter most come first: a budget that is short covers all\n"
    "operators more coarsely. Each is measured until the 95 % interval of its\n"
    "median is within 1 %, at most 60 times, half a second or its share of the\n"
    "budget. Ctrl-C, or a lost device, leaves the file with what was measured;\n"
    "--resume goes on with it.";

struct RunArguments {
  std::string device = "cpu", model, gpu, budget, output;
  std::vector<std::int32_t> tensor = {1};
  std::vector<std::string> precisions = {"bf16"};
  PlanLimits limits;
  double timeout_seconds = 10;
  bool resume = false, show_plan = false;
};

double seconds_of(const std::string& option, const std::string& text) {
  try {
    const double seconds = parse_quantity(text, Dimension::time);
    if (seconds > 0) return seconds;
    throw UnitError(fmt::format("'{}' is no time over 0", text));
  } catch (const UnitError& error) {
    throw SampleError(fmt::format("{}: {}", option, error.what()));
  }
}

std::string today() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

SampleHeader header_of(const MeasuringDevice& device, const RunArguments& arguments,
                       const std::string& model) {
  const DeviceIdentity& identity = device.identity();
  SampleHeader header;
  header.gpu = identity.gpu;
  if (!arguments.gpu.empty()) header.gpu = load_gpu(arguments.gpu).name;
  if (header.gpu.empty())
    throw SampleError(
        fmt::format("the catalogue has no GPU that the driver calls \"{}\"; expected --gpu NAME",
                    identity.device));
  header.device = identity.device;
  header.engine = identity.engine;
  header.driver = identity.driver;
  header.source =
      fmt::format("headway-calibrate run, {}, tensor {}, {}", model,
                  fmt::join(arguments.tensor, ","), fmt::join(arguments.precisions, ","));
  header.date = today();
  return header;
}

// What came of it, for people: points by why they have no time, and how the run ended.
std::string summary_text(const CalibrationOutcome& outcome, const std::string& output) {
  std::string text =
      fmt::format("{}: {} of {} points", output, outcome.found + outcome.measured, outcome.total);
  if (outcome.found > 0) text += fmt::format(", {} of them measured before", outcome.found);
  text += "\n";
  std::map<PointFault, std::vector<const CalibrationMiss*>> by_fault;
  for (const CalibrationMiss& miss : outcome.misses) by_fault[miss.fault].push_back(&miss);
  for (const auto& [fault, misses] : by_fault)
    text += fmt::format("{}: {} points, the first {}: {}\n", point_fault_name(fault), misses.size(),
                        point_text(misses.front()->point), misses.front()->text);
  if (outcome.dropped_samples > 0)
    text += fmt::format("{} samples were dropped: the clock was low\n", outcome.dropped_samples);
  return text;
}

int exit_of(const CalibrationOutcome& outcome) {
  if (outcome.end == CalibrationEnd::device_lost)
    throw CalibrationFailure("the device was lost: " + outcome.lost +
                             "; what was measured is kept, --resume goes on");
  if (outcome.end == CalibrationEnd::interrupted)
    throw CalibrationFailure("ended by a signal; what was measured is kept, --resume goes on");
  for (const CalibrationMiss& miss : outcome.misses)
    if (miss.fault == PointFault::wrong_result)
      throw CalibrationFailure(
          fmt::format("wrong results, so no times: {}: {}", point_text(miss.point), miss.text));
  if (outcome.found + outcome.measured == 0) throw CalibrationFailure("no point could be measured");
  if (outcome.end == CalibrationEnd::budget)
    write_output("the budget is spent; --resume with another goes on\n");
  return kCalibrationFine;
}

int run(RunArguments& arguments) {
  CalibrationLimits limits;
  if (!arguments.budget.empty()) limits.budget_seconds = seconds_of("--budget", arguments.budget);
  limits.timeout_seconds = arguments.timeout_seconds;
  PlanRequest request;
  request.architecture = load_model(arguments.model);
  request.tensor = arguments.tensor;
  request.precisions = arguments.precisions;
  request.limits = arguments.limits;
  if (arguments.output.empty() && !arguments.show_plan)
    throw SampleError("no output; expected -o FILE");
  make_plan(request);  // what is wrong with it is told before a device is opened

  const std::unique_ptr<MeasuringDevice> device = open_device(arguments.device);
  request.limits.memory_bytes = device->memory_limit_bytes();
  request.limits.gpus = device->gpus();
  const std::vector<OperatorPoint> plan = make_plan(request);
  if (arguments.show_plan) {
    std::string text;
    for (const OperatorPoint& point : plan) text += point_text(point) + "\n";
    write_output(text);
    return kCalibrationFine;
  }
  SampleJournal journal(arguments.output, header_of(*device, arguments, request.architecture.name),
                        arguments.resume);
  CalibrationOutcome outcome;
  {
    const Interruption interruption;
    CalibrationProgressLine line;
    outcome = run_calibration(*device, plan, journal.found(), limits, system_clock(),
                              {[&](const Sample& sample) { journal.append(sample); },
                               [&](const CalibrationProgress& progress) { line.show(progress); },
                               [] { return Interruption::requested(); }});
    journal.flush();
  }
  write_output(summary_text(outcome, arguments.output));
  return exit_of(outcome);
}

void add_limits(CLI::App& app, PlanLimits& limits) {
  const auto add = [&](const char* name, std::int64_t& value, const char* help) {
    app.add_option(name, value, help)
        ->type_name("N")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 24))
        ->capture_default_str();
  };
  add("--max-num-seqs", limits.max_num_seqs, "Largest decode batch");
  add("--max-num-batched-tokens", limits.max_num_batched_tokens, "Largest step");
  add("--max-model-len", limits.max_model_len, "Longest context");
}

}  // namespace

Subcommand run_subcommand(CLI::App& tree) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App& app = *tree.add_subcommand("run", "Measure the operators of a model on a device");
  app.add_option("--device", arguments->device, "cpu, cuda:0, …")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--model", arguments->model, "Catalogue name or config.json")
      ->type_name("MODEL")
      ->required();
  app.add_option("--tensor", arguments->tensor, "GPUs that share a layer")
      ->type_name("N,…")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--precision", arguments->precisions, "Formats of the weights")
      ->type_name("FORMAT,…")
      ->delimiter(',')
      ->capture_default_str();
  add_limits(app, arguments->limits);
  app.add_option("--budget", arguments->budget, "Stop after this time: \"5 min\"")
      ->type_name("TIME");
  app.add_option("--timeout", arguments->timeout_seconds, "Of a single run, seconds")
      ->type_name("SECONDS")
      ->check(number_from(0.001, 3600))
      ->capture_default_str();
  app.add_option("--gpu", arguments->gpu, "The device's catalogue name, where it is not known")
      ->type_name("NAME");
  app.add_flag("--resume", arguments->resume, "Go on with a file: measure what it lacks");
  app.add_flag("--show-plan", arguments->show_plan,
               "Print the points in their order; measure none");
  app.add_option("-o,--output", arguments->output, "Samples file to write")->type_name("FILE");
  app.footer(kFooter);
  const auto devices = [] { return std::vector<std::string>{"cpu", "cuda:0"}; };
  const auto files = [] { return std::vector<std::string>{":files"}; };
  return {&app,
          [arguments] { return run(*arguments); },
          {{"--device", devices},
           {"--model", model_names},
           {"--precision", number_format_names},
           {"--gpu", gpu_names},
           {"--output", files}}};
}

}  // namespace headway
