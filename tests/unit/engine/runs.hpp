// Small scenarios whose every event can be worked out by hand, and all that their runs tell.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"

namespace headway {

/// Milliseconds as picoseconds.
constexpr Time ms(double milliseconds) {
  return static_cast<Time>(milliseconds * 1e9 + 0.5);
}

/// A replica is in this phase from `at` on.
struct PhaseChange {
  Time at;
  std::uint32_t replica;
  ReplicaPhase phase;
  bool operator==(const PhaseChange&) const = default;
};
std::ostream& operator<<(std::ostream& out, const PhaseChange& change);

/// All that a run told, in its order.
struct Recording final : Observer {
  std::vector<RequestRecord> departed;
  std::vector<StepSpan> spans;
  std::vector<PhaseChange> phases;
  std::map<Time, std::int64_t> gaps;  // length: how many
  std::int64_t arrived = 0, preemptions = 0;
  std::int64_t most_in_system = 0;
  RunTotals totals;

  void on_arrival(Time now, std::uint32_t workload_class) override;
  void on_departure(Time now, const RequestRecord& record) override;
  void on_token_gaps(Time gap, std::int64_t count) override { gaps[gap] += count; }
  void on_steps(const StepSpan& span) override { spans.push_back(span); }
  void on_preemption(Time, std::uint32_t) override { ++preemptions; }
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override {
    phases.push_back({now, replica, phase});
  }

  /// The departed request with this number; fails the test and gives an empty record if there is
  /// none.
  RequestRecord request(std::uint64_t id) const;
};

/// A request of a log.
struct Logged {
  double at_ms = 0;
  std::int32_t input = 1, output = 1;
};

/// A class that replays these requests; the first of them at 0.
WorkloadClass logged(const std::vector<Logged>& requests);

/// A closed loop of users that do not think.
WorkloadClass users(std::int64_t count, std::int64_t requests = 0);

/// A station of one server and a fixed service time.
Pool station(double service_seconds);

/// One replica with continuous batching and room for everything: its steps take 10 ms and 1 ms for
/// each token.
Pool engine();

/// One class on one pool, on the bare heap.
Scenario scenario_of(const WorkloadClass& workload, const Pool& pool);

Recording run(const Scenario& scenario, const OnProgress& on_progress = {});

/// What one step did: tests list the steps that they expect.
struct Step {
  double end_ms;
  std::int64_t prefill_tokens;
  std::int32_t prefill_sequences, decode_sequences;
  bool operator==(const Step&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Step& step);

/// The spans of a run of single steps.
std::vector<Step> steps(const Recording& recording);

}  // namespace headway
