// How fast and how large runs are: W1–W4 and a million users, on SimGrid's driver and on the bare
// heap, bare (the model alone), with all metrics of the summary, and with requests.csv; and W1–W3
// with steps that are priced from a profile and from a data sheet.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/metrics/fanout.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/scenario/pool_cost.hpp"
#include "workloads.hpp"

namespace headway {
namespace {

enum class Watch { nothing, summary, requests_csv };

struct Silent final : public Observer {
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord&) override {}
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

struct Measured {
  double seconds = 0;         // of run and summary
  double cpu_seconds = 0;     // the same, of this process' processor time
  double set_up_seconds = 0;  // of that: reading the profiles and filling the tables of step costs
  std::int64_t requests = 0;
  std::int64_t steps = 0;
  std::int64_t peak_bytes = 0;  // resident set of the run's process
};

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Measured run(const Scenario& scenario, Watch watch) {
  Measured measured;
  const double before = cpu_seconds();
  for (const Pool& pool : scenario.fleet) benchmark::DoNotOptimize(make_pool_cost(pool));
  const double cpu_start = cpu_seconds();
  measured.set_up_seconds = cpu_start - before;
  const auto start = std::chrono::steady_clock::now();
  RunTotals totals;
  if (watch == Watch::nothing) {
    Silent silent;
    totals = run_scenario(scenario, silent);
  } else {
    Recorder recorder(scenario);
    if (watch == Watch::requests_csv) {
      RequestsCsv csv(std::filesystem::temp_directory_path() / "headway-benchmark-requests.csv",
                      scenario);
      Fanout both({&recorder, &csv});
      totals = run_scenario(scenario, both);
    } else {
      totals = run_scenario(scenario, recorder);
    }
    benchmark::DoNotOptimize(recorder.summarise(scenario, totals));
  }
  measured.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  measured.cpu_seconds = cpu_seconds() - cpu_start;
  measured.requests = totals.arrived;
  measured.steps = totals.steps;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  measured.peak_bytes = usage.ru_maxrss * 1024;
  return measured;
}

/// In a child process: SimGrid's engine is one for a process, and memory is counted from nothing.
Measured run_in_child(const Scenario& scenario, Watch watch) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const Measured measured = run(scenario, watch);
    _exit(write(ends[1], &measured, sizeof measured) == sizeof measured ? 0 : 1);
  }
  close(ends[1]);
  Measured measured;
  if (read(ends[0], &measured, sizeof measured) != sizeof measured) std::abort();
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return measured;
}

void engine(benchmark::State& state, const std::function<Scenario()>& make, Run::Engine kind,
            Watch watch) {
  Scenario scenario = make();
  scenario.run.engine = kind;
  Measured measured;
  std::int64_t requests = 0;
  for (auto _ : state) {
    measured = run_in_child(scenario, watch);
    state.SetIterationTime(measured.seconds);
    requests += measured.requests;
  }
  state.counters["requests/s"] =
      benchmark::Counter(static_cast<double>(requests), benchmark::Counter::kIsRate);
  state.counters["MiB"] = static_cast<double>(measured.peak_bytes) / (1 << 20);
}

void add(const char* name, const std::function<Scenario()>& make, Run::Engine kind, Watch watch) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) { engine(state, make, kind, watch); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

/// What steps cost: processor time, whole and without the set-up of step costs.
void steps(benchmark::State& state, const std::function<Scenario()>& make, StepsFrom from) {
  const Scenario scenario = with_llama_on_h100(make(), from);
  double set_up = 0, without = 0, count = 0;
  for (auto _ : state) {
    const Measured measured = run_in_child(scenario, Watch::summary);
    state.SetIterationTime(measured.cpu_seconds);
    set_up += measured.set_up_seconds;
    without += measured.cpu_seconds - measured.set_up_seconds;
    count += static_cast<double>(measured.steps);
  }
  const auto mean = benchmark::Counter::kAvgIterations;
  state.counters["set-up ms"] = benchmark::Counter(1e3 * set_up, mean);
  state.counters["without ms"] = benchmark::Counter(1e3 * without, mean);
  state.counters["steps"] = benchmark::Counter(count, mean);
}

void add_steps(const std::string& name, const std::function<Scenario()>& make) {
  for (const bool measured : {false, true}) {
    const StepsFrom from = measured ? StepsFrom::profile : StepsFrom::data_sheet;
    const std::string variant = name + "/simgrid/" + (measured ? "profile" : "data_sheet");
    benchmark::RegisterBenchmark(variant.c_str(),
                                 [=](benchmark::State& state) { steps(state, make, from); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

void add_all() {
  const auto simgrid = Run::Engine::simgrid, heap = Run::Engine::heap;
  const auto w1 = [] { return workload_w1(); };
  const auto w1_million = [] { return workload_w1(1'000'000); };
  const auto w4 = [] { return workload_w1(10'000'000); };
  add("W1/heap/bare", w1, heap, Watch::nothing);
  add("W1/simgrid/bare", w1, simgrid, Watch::nothing);
  add("W1/heap/summary", w1, heap, Watch::summary);
  add("W1/simgrid/summary", w1, simgrid, Watch::summary);
  add("W1/simgrid/requests_csv", w1, simgrid, Watch::requests_csv);
  add("W2/heap/bare", workload_w2, heap, Watch::nothing);
  add("W2/simgrid/bare", workload_w2, simgrid, Watch::nothing);
  add("W2/heap/summary", workload_w2, heap, Watch::summary);
  add("W2/simgrid/summary", workload_w2, simgrid, Watch::summary);
  add("W2/simgrid/requests_csv", workload_w2, simgrid, Watch::requests_csv);
  add("W3/heap/bare", workload_w3, heap, Watch::nothing);
  add("W3/simgrid/bare", workload_w3, simgrid, Watch::nothing);
  add("W3/heap/summary", workload_w3, heap, Watch::summary);
  add("W3/simgrid/summary", workload_w3, simgrid, Watch::summary);
  add("W3/simgrid/requests_csv", workload_w3, simgrid, Watch::requests_csv);
  add("W4/1M/simgrid/summary", w1_million, simgrid, Watch::summary);
  add("W4/10M/simgrid/summary", w4, simgrid, Watch::summary);
  add("million_users/simgrid/summary", workload_million_users, simgrid, Watch::summary);
  add_steps("W1", w1);
  add_steps("W2", workload_w2);
  add_steps("W3", workload_w3);
}

}  // namespace
}  // namespace headway

int main(int argc, char** argv) {
  headway::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
