// One replica of a pool: a queue, and something that serves it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/step_cost.hpp"
#include "sim/model/clock.hpp"
#include "sim/model/events.hpp"
#include "sim/model/slot_pool.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/queue_order.hpp"
#include "sim/workload/source.hpp"

namespace headway {

/// A request in flight, on four lines of a processor's cache: what lies on the way of each request
/// is on the first three.
struct alignas(64) Request {
  /// Values of `place` before it is in an engine's books.
  static constexpr std::uint32_t kWaits = UINT32_MAX;         // in the queue, and never ran
  static constexpr std::uint32_t kArriving = UINT32_MAX - 1;  // came behind a step's schedule
  static constexpr std::uint32_t kServed = UINT32_MAX - 2;    // in a batch that is served whole

  enum class Where : std::uint8_t { on_the_way, held, at_replica, backing_off };

  RequestRecord record;
  // Where the replica that has it keeps it: the replica's alone.
  std::uint32_t place = kWaits;  // continuous batching: its number among the engine's sequences
  Where where = Where::on_the_way;
  std::int64_t ticket = 0;  // its place in the queue, if it waits
  std::uint64_t visit = 0;  // of this stay at a replica: unique in the run, ascending; set before
                            // it is enqueued
  std::uint64_t life = 0;   // the number of its present attempt; 0: a ghost, whose client is gone
  Content content;
  Time sent = 0;  // when its present attempt began
  std::uint32_t conversation = RequestBody::kAlone;
  std::uint32_t leg = 0;  // of its route
  std::int32_t priority = 0;
  std::uint32_t tenant = 0;  // its index in the scenario
  Time deadline = kNever;    // for the order `deadline`
  std::int64_t bytes = 0;    // sent through the front link

  /// It is sent, or asked of another pool, again.
  void begin_anew() {
    record.queued = record.started = record.first_token = record.finished = kNever;
    record.prefix_hit_tokens = 0;
    record.outcome = Outcome::completed;
  }
  Queued queued() const {
    return {priority, tenant, record.input_tokens, record.output_tokens, deadline, record.queued};
  }
};
using Requests = SlotPool<Request>;

/// Where a replica hands back the requests that it is done with.
class Departures {
 public:
  virtual ~Departures() = default;
  /// The request in this slot has its last token (record.finished is set) and leaves the system
  /// now.
  virtual void depart(std::uint32_t slot, Time now) = 0;
};

inline const std::vector<Tenant> kNoTenants;

/// What a replica stands in: shared by all that it needs and does not own.
struct ReplicaContext {
  Clock& clock;
  Requests& requests;
  Departures& departures;
  Observer& observer;
  const Pool& pool;
  const StepCost* cost;  // null for a service station
  Entity entity;         // its own number on the clock
  std::uint32_t index;   // its number over all pools
  std::uint64_t seed;
  double slowness = 1;  // ≥ 1: how many times as long its steps and services take
  const std::vector<Tenant>& tenants = kNoTenants;
  std::uint32_t start = 0;  // how often an engine was started in its place before
};

class Replica {
 public:
  virtual ~Replica() = default;
  /// Takes the request into the queue now, or says why not.
  virtual Outcome enqueue(std::uint32_t slot, Time now) = 0;
  /// Nobody waits any more for this request, which was taken in and has not departed. One that
  /// waits leaves the queue at once: true, and the slot is free. One that runs stays until the end
  /// of the present step, or of its whole batch, which it takes part in like any other (its token
  /// of that step is made, and its gap told): false, and depart() is called then as for one that
  /// was answered. Once for a request, and not from within depart().
  virtual bool cancel(std::uint32_t slot, Time now) = 0;
  virtual void on_wake(Time now) = 0;
  /// The run, or the replica's life, ends now: tells the observer of the steps, or parts of one,
  /// that it has not heard of yet. Throws std::logic_error if tokens were lost or made
  /// (TokenLedger).
  virtual void settle(Time now) = 0;
  /// Appends the slots of all requests that are here, cancelled ones that still run too, by visit.
  void list(std::vector<std::uint32_t>& slots) const;
  /// Requests in the queue.
  virtual std::int64_t waiting() const = 0;
  /// KV blocks in use now (0 for a station).
  virtual std::int64_t kv_blocks_used() const = 0;
  /// Steps or batches so far.
  virtual std::int64_t steps() const = 0;

 protected:
  explicit Replica(const ReplicaContext& context);
  /// Appends the slots of all requests that are here, in any order.
  virtual void collect(std::vector<std::uint32_t>& slots) const = 0;

 private:
  std::unique_ptr<StepCost> slowed_;  // the context's cost at the context's slowness

 protected:
  const ReplicaContext at_;  // the cost is that at its slowness
};

/// The part of a span until `now`, its limits in proportion.
StepSpan clip(StepSpan span, Time now);

/// Of an engine that woke up from `start` until now: no step, on its host.
StepSpan waking_span(const ReplicaContext& at, Time start, Time now, double waiting_time,
                     std::size_t waiting);

/// A service station, and its batches.
std::unique_ptr<Replica> make_station(const ReplicaContext& context);
/// An LLM served in whole batches (none, static, dynamic): the batch is padded to its longest
/// prompt, decodes until its longest answer ends, and is answered together (the baseline of Yu et
/// al., Orca, 2022).
std::unique_ptr<Replica> make_batch_replica(const ReplicaContext& context);
/// Continuous batching, stepping over runs of pure decode in one event.
std::unique_ptr<Replica> make_continuous_replica(const ReplicaContext& context);
/// Continuous batching, every step an event, as plainly as can be: the reference for the fast one.
std::unique_ptr<Replica> make_reference_replica(const ReplicaContext& context);
/// An LLM served in whole batches, every step an event: the reference for the fast one.
std::unique_ptr<Replica> make_reference_batch_replica(const ReplicaContext& context);

/// The replica that the pool and the stepping ask for.
std::unique_ptr<Replica> make_replica(const ReplicaContext& context, Run::Stepping stepping);

}  // namespace headway
