// One replica of a pool: a queue, and something that serves it.
#pragma once

#include <cstdint>
#include <memory>

#include "models/step_cost.hpp"
#include "sim/model/clock.hpp"
#include "sim/model/events.hpp"
#include "sim/model/slot_pool.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/workload/source.hpp"

namespace headway {

/// A request in flight.
struct Request {
  RequestRecord record;
  std::int32_t priority = 0;
  Content content;
  std::uint32_t conversation = RequestBody::kAlone;
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
};

class Replica {
 public:
  virtual ~Replica() = default;
  /// Takes the request into the queue now, or says why not.
  virtual Outcome enqueue(std::uint32_t slot, Time now) = 0;
  virtual void on_wake(Time now) = 0;
  /// The run ends now: tells the observer of the steps, or parts of one, that it has not heard of
  /// yet. Throws std::logic_error if tokens were lost or made (TokenLedger).
  virtual void settle(Time now) = 0;
  /// KV blocks in use now (0 for a station).
  virtual std::int64_t kv_blocks_used() const = 0;
  /// Steps or batches so far.
  virtual std::int64_t steps() const = 0;
};

/// The part of a span until `now`, its limits in proportion.
StepSpan clip(StepSpan span, Time now);

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
