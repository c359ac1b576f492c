// Everything that a run tells of its requests, kept.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "sim/engine/engine.hpp"

namespace headway {

struct Recording final : public Observer {
  std::vector<RequestRecord> departed;
  std::map<Time, std::int64_t> gaps;  // the ITL histogram, exact
  std::int64_t arrivals = 0, preemptions = 0;
  std::vector<std::tuple<Time, std::uint32_t, ReplicaPhase>> phases;
  RunTotals totals;

  void on_arrival(Time, std::uint32_t) override { ++arrivals; }
  void on_departure(Time, const RequestRecord& record) override { departed.push_back(record); }
  void on_token_gaps(Time gap, std::int64_t count) override { gaps[gap] += count; }
  void on_steps(const StepSpan& span) override {
    if (span.end < span.start) throw std::logic_error("a step that ends before it starts");
  }
  void on_preemption(Time, std::uint32_t) override { ++preemptions; }
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override {
    phases.emplace_back(now, replica, phase);
  }
};

inline Recording record_run(const Scenario& scenario) {
  Recording recording;
  recording.totals = run_scenario(scenario, recording);
  return recording;
}

}  // namespace headway
