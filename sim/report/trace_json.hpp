// trace.json: the run's beginning as a time line for Perfetto (https://ui.perfetto.dev) or
// chrome://tracing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/report/atomic_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Writes Chrome trace events: each replica is a track with its spans of steps and counters
/// (waiting requests, batch, KV blocks) and, once it changes, its phases on a track beside it; each
/// request is a slice over queue, prefill and decode.
/// Format `headway.trace` version 1 (sim/README.md), kept under `limit_bytes`: what comes later is
/// left out, and the file says from when.
class TraceJson : public Observer {
 public:
  static constexpr std::size_t kLimitBytes = 20'000'000;

  /// Opens the file and writes the names of the tracks. Throws RunError.
  TraceJson(const std::filesystem::path& target, const Scenario& scenario,
            std::size_t limit_bytes = kLimitBytes);

  void on_arrival(Time now, std::uint32_t workload_class) override;
  void on_departure(Time now, const RequestRecord& record) override;
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan& span) override;
  void on_preemption(Time now, std::uint32_t replica) override;
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase) override;
  void on_retry(Time now, std::uint32_t workload_class, Outcome why) override;

  /// Ends the JSON text: called once, when the run is over.
  void finish();

  AtomicFile& file() { return file_; }

 private:
  struct Track {
    std::string name;  // "main #3"
    bool overlapping =
        false;               // a station with several servers: spans overlap, each is a slice apart
    bool continuous = true;  // an LLM engine: spans hold decode and prefill
    bool changes = false;    // its phases have a track
    ReplicaPhase phase = ReplicaPhase::ready;
    Time since = 0;  // of the phase
  };
  bool room(Time now);
  void event(const std::string& text);
  void phase_slice(std::uint32_t replica, Time end);
  void slice(const char* name, std::uint64_t id, Time from, Time to);

  AtomicFile file_;
  std::size_t limit_bytes_;
  std::vector<Track> tracks_;
  std::vector<std::string> class_names_;  // as JSON strings, quotes included
  Time last_ = 0;  // when a replica last changed its phase, or a request or a step ended
  std::int64_t in_system_ = 0;
  std::uint64_t spans_ = 0;
  bool first_event_ = true;
  Time cut_at_ = kNever;  // from when events were left out
};

}  // namespace headway
