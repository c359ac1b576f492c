#include "runs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iomanip>

namespace headway {
namespace {

/// A path for one more log; all of them are removed at the end.
std::string next_log() {
  struct Logs {
    const pid_t owner = getpid();  // children that end leave them alone
    const std::string folder = testing::TempDir() + "headway-engine-" + std::to_string(owner);
    int count = 0;
    Logs() { std::filesystem::create_directory(folder); }
    ~Logs() {
      if (getpid() == owner) std::filesystem::remove_all(folder);
    }
  };
  static Logs logs;
  return logs.folder + "/" + std::to_string(logs.count++) + ".csv";
}

}  // namespace

void Recording::on_arrival(Time, std::uint32_t) {
  ++arrived;
  most_in_system = std::max(most_in_system, arrived - static_cast<std::int64_t>(departed.size()));
}

void Recording::on_departure(Time, const RequestRecord& record) {
  departed.push_back(record);
}

RequestRecord Recording::request(std::uint64_t id) const {
  for (const RequestRecord& record : departed) {
    if (record.id == id) return record;
  }
  ADD_FAILURE() << "request " << id << " did not depart";
  return {};
}

WorkloadClass logged(const std::vector<Logged>& requests) {
  const std::string path = next_log();
  std::ofstream file(path);
  file << std::fixed << std::setprecision(9);  // nanoseconds
  file << "arrival_seconds,input_tokens,output_tokens\n";
  for (const Logged& each : requests) {
    file << each.at_ms / 1000 << ',' << each.input << ',' << each.output << '\n';
  }
  WorkloadClass workload;
  workload.name = "logged";
  workload.arrivals.kind = Arrivals::Kind::trace;
  workload.arrivals.trace_path = path;
  return workload;
}

WorkloadClass users(std::int64_t count, std::int64_t requests) {
  WorkloadClass workload;
  workload.name = "users";
  workload.arrivals.kind = Arrivals::Kind::closed;
  workload.arrivals.users = count;
  workload.arrivals.requests = requests;
  return workload;
}

Pool station(double service_seconds) {
  Pool pool;
  pool.name = "station";
  pool.kind = Pool::Kind::service;
  pool.batching.kind = Batching::Kind::none;
  pool.service.time.a = service_seconds;
  return pool;
}

Pool engine() {
  Pool pool;
  pool.name = "engine";
  pool.kv.blocks = 100'000;
  pool.max_model_len = 1'000'000;
  pool.step_time = LinearStepCost{.base_seconds = 0.010, .seconds_per_token = 0.001};
  return pool;
}

Scenario scenario_of(const WorkloadClass& workload, const Pool& pool) {
  Scenario scenario;
  scenario.name = "by hand";
  scenario.workload = {workload};
  scenario.fleet = {pool};
  scenario.run.engine = Run::Engine::heap;
  return scenario;
}

Recording run(const Scenario& scenario, const OnProgress& on_progress) {
  Recording recording;
  recording.totals = run_scenario(scenario, recording, on_progress);
  return recording;
}

std::ostream& operator<<(std::ostream& out, const PhaseChange& change) {
  return out << "{" << to_seconds(change.at) << " s: replica " << change.replica << " "
             << phase_name(change.phase) << "}";
}

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{until " << step.end_ms << " ms: " << step.prefill_tokens << " prefill tokens of "
             << step.prefill_sequences << ", " << step.decode_sequences << " decode}";
}

std::vector<Step> steps(const Recording& recording) {
  std::vector<Step> list;
  for (const StepSpan& span : recording.spans) {
    if (span.steps == 0) continue;  // it woke up
    EXPECT_EQ(span.steps, 1) << "a run of steps until " << span.end;
    list.push_back({static_cast<double>(span.end) / 1e9, span.prefill_tokens,
                    span.prefill_sequences, span.decode_sequences});
  }
  return list;
}

}  // namespace headway
