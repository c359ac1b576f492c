// What the model tells those who watch it: one flat record a request, one a span of steps. Watching
// changes nothing: with every observer off, every time is the same.
#pragma once

#include <cstdint>

#include "models/step_cost.hpp"
#include "models/units.hpp"

namespace headway {

enum class Outcome : std::uint8_t {
  completed,
  rejected_queue_full,    // the replica's queue limit
  rejected_kv_capacity,   // needs more KV blocks than a replica has
  rejected_model_length,  // input + output over max_model_len
  rejected_rate_limit,    // the tenant's token bucket is empty
  rejected_overload,      // more inside than the front's admission lets in
  rejected_no_replica,    // no replica is ready, and enough wait for one
  timed_out,              // the client's patience ended
  hung_up,                // the client went away by itself
  lost,                   // with a replica that failed
};
inline constexpr int kOutcomes = 10;
const char* outcome_name(Outcome outcome);  // "completed", "queue full", …
constexpr bool is_rejection(Outcome outcome) {
  return outcome > Outcome::completed && outcome < Outcome::timed_out;
}

/// Where a replica stands, from nothing to nothing.
enum class ReplicaPhase : std::uint8_t {
  off,           // not wanted
  ordered,       // wanted, but there is no machine in stock, or no quota
  provisioning,  // the machine is made ready
  image,         // the container image is pulled
  process,       // the engine's process starts
  weights,       // weights are read from the store
  compile,       // kernels are compiled
  capture,       // graphs are captured
  warming,       // the first request waits for what was left undone
  ready,         // takes requests
  draining,      // takes no new requests, ends those that it has
  down,          // failed, under repair
};
inline constexpr int kReplicaPhases = 12;
const char* phase_name(ReplicaPhase phase);  // "off", "ordered", …
/// Whether the machine is paid for: it is there, and whole.
constexpr bool is_billed(ReplicaPhase phase) {
  return phase != ReplicaPhase::off && phase != ReplicaPhase::ordered &&
         phase != ReplicaPhase::down;
}
/// Whether it is wanted and on its way to its first request.
constexpr bool is_starting(ReplicaPhase phase) {
  return phase >= ReplicaPhase::ordered && phase <= ReplicaPhase::warming;
}

/// A request's life, final. Times from the run's start; a time that was not reached is kNever.
struct RequestRecord {
  std::uint64_t id = 0;  // in order of scheduled arrival handling, from 0
  std::uint32_t workload_class = 0;
  std::uint32_t replica = 0;  // index over all pools; meaningless if the request met no replica
  Time scheduled = 0;         // when it was meant to be sent
  Time sent = 0;          // when the client sent it: later than scheduled under a concurrency cap
  Time queued = kNever;   // when it entered its replica's queue
  Time started = kNever;  // when it first ran in a step or service
  Time first_token = kNever;  // when the client had the first token; for a service: the answer
  Time finished = kNever;     // when the client had the last token, or the rejection
  std::int32_t input_tokens = 0, output_tokens = 0;
  std::int32_t prefix_hit_tokens = 0;  // of the prompt, in the prefix cache when it first ran
  std::int32_t preemptions = 0;
  std::int32_t attempts = 1;  // sendings, the first included
  std::int32_t escalations =
      0;  // answers that were not good enough: legs of a cascade before the last
  Outcome outcome = Outcome::completed;
};

/// Whether `replica` is one that the last attempt met: it stood in its queue, or was refused there.
constexpr bool met_replica(const RequestRecord& record) {
  return record.queued != kNever || record.outcome == Outcome::rejected_queue_full ||
         record.outcome == Outcome::rejected_kv_capacity ||
         record.outcome == Outcome::rejected_model_length;
}

/// Consecutive steps (or one service batch) of one replica.
struct StepSpan {
  std::uint32_t replica = 0;
  Time start = 0, end = 0;
  std::int32_t steps = 1;             // equal in everything but the growing contexts; 0: an idle
                                      // engine woke up for the next
  std::int32_t decode_sequences = 0;  // in each step
  std::int32_t prefill_sequences = 0;
  std::int64_t prefill_tokens = 0;
  double waiting_time = 0;  // ∫ requests in the replica's queue dt since its last span, in
                            // request-picoseconds
  std::int32_t waiting =
      0;  // requests that found no place in the steps and wait (a station: when the span ends)
  std::int32_t slots = 0;      // sequence slots, or servers, in use
  std::int64_t kv_blocks = 0;  // in use at the start of the span
  StepLimits limits;           // Σ over the steps; taken at the middle step of a long span
};

/// A watcher. All calls come in order of simulated time, from the run's one thread.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A request came into being at its scheduled time `now` (for rates and the number in system).
  virtual void on_arrival(Time now, std::uint32_t workload_class) = 0;
  /// The request left the system; record.finished is now or, by the way back's latency, later.
  virtual void on_departure(Time now, const RequestRecord& record) = 0;
  /// `count` gaps between consecutive tokens of one request, each of this length (ITL).
  virtual void on_token_gaps(Time gap, std::int64_t count) = 0;
  /// A span of steps ended now.
  virtual void on_steps(const StepSpan& span) = 0;
  /// A running request lost its KV blocks and went back to the queue.
  virtual void on_preemption(Time now, std::uint32_t replica) = 0;
  /// A replica is in another phase from now on. Before the first call a replica is ready, or off if
  /// its number is not below its pool's `replicas`.
  virtual void on_phase(Time /*now*/, std::uint32_t /*replica*/, ReplicaPhase /*phase*/) {}
  /// An attempt failed, and the client will try again.
  virtual void on_retry(Time /*now*/, std::uint32_t /*workload_class*/, Outcome /*why*/) {}
};

}  // namespace headway
