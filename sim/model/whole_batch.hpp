// What the two batch replicas have in common: the queue, and how a batch is taken from it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "sim/model/arrival_check.hpp"
#include "sim/model/batch_plan.hpp"
#include "sim/model/queue_area.hpp"
#include "sim/model/replica.hpp"
#include "sim/serving/batcher.hpp"
#include "sim/serving/waiting_queue.hpp"

namespace headway {

class WholeBatchReplica : public Replica {
 public:
  explicit WholeBatchReplica(const ReplicaContext& context)
      : Replica(context),
        batcher_(make_batcher(context.pool.batching)),
        queue_(context.pool, context.tenants) {}

  Outcome enqueue(std::uint32_t slot, Time now) final {
    Request& request = at_.requests[slot];
    RequestRecord& record = request.record;
    const Outcome outcome =
        admission_outcome(at_.pool, record, static_cast<std::int64_t>(queue_.size()));
    if (outcome != Outcome::completed) return outcome;
    record.queued = now;
    waited_.change(now, queue_.size());
    request.place = Request::kWaits;
    request.ticket = queue_.push(request.queued(), queue_.virtual_time(), slot);
    if (batch_.empty()) try_start(now);
    return outcome;
  }
  bool cancel(std::uint32_t slot, Time now) final {
    const Request& request = at_.requests[slot];
    if (request.place != Request::kWaits) return false;
    waited_.change(now, queue_.size());
    queue_.erase(request.ticket);
    return true;
  }
  std::int64_t waiting() const final { return static_cast<std::int64_t>(queue_.size()); }
  std::int64_t kv_blocks_used() const final {
    return batch_.empty() ? 0 : plan_.kv_blocks(at_.pool.kv.block_tokens);
  }
  std::int64_t steps() const final { return steps_; }

 protected:
  void collect(std::vector<std::uint32_t>& slots) const final {
    queue_.each([&](const WaitingQueue::Entry& entry) { slots.push_back(entry.slot); });
    slots.insert(slots.end(), batch_.begin(), batch_.end());
  }

  /// The batch batch_ with the plan plan_ starts now.
  virtual void begin(Time now) = 0;

  /// Takes a batch if the batcher says so: as many of the front requests as fit in the KV cache
  /// when padded to the longest prompt and answer.
  void try_start(Time now) {
    if (queue_.empty()) return;
    const BatchDecision decision =
        batcher_->decide(static_cast<std::int64_t>(queue_.size()),
                         at_.requests[queue_.front(now).slot].record.queued, now);
    if (decision.take == 0) {
      at_.clock.wake(at_.entity, std::min(decision.look_again, queue_.front_changes(now)));
      return;
    }
    plan_ = {};
    waited_.change(now, queue_.size());
    while (plan_.size < decision.take) {
      const std::uint32_t slot = queue_.front(now).slot;
      RequestRecord& record = at_.requests[slot].record;
      const BatchPlan larger{plan_.size + 1, std::max(plan_.prompt_tokens, record.input_tokens),
                             std::max(plan_.output_tokens, record.output_tokens)};
      if (plan_.size > 0 && larger.kv_blocks(at_.pool.kv.block_tokens) > at_.pool.kv.blocks) break;
      plan_ = larger;
      queue_.pop(now);
      record.started = now;
      at_.requests[slot].place = Request::kServed;
      batch_.push_back(slot);
    }
    begin(now);
  }

  /// Tells of the batch's steps until now, and of the queue behind them.
  void tell(StepSpan span, Time now) {
    span.waiting = static_cast<std::int32_t>(queue_.size());
    span.waiting_time = waited_.take(now, queue_.size());
    at_.observer.on_steps(span);
  }

  /// The batch is done: answers all of it and takes the next.
  void end(const StepSpan& span, Time now) {
    tell(span, now);
    steps_ += span.steps;
    const std::vector<std::uint32_t> done = std::move(batch_);
    batch_.clear();
    for (const std::uint32_t slot : done) {
      at_.requests[slot].record.finished = now;
      at_.departures.depart(slot, now);
    }
    if (batch_.empty()) try_start(now);
  }

  std::int64_t prefill_budget() const {
    return std::max<std::int64_t>(1, at_.pool.batching.max_num_batched_tokens);
  }
  StepSpan new_span(Time now) const {
    StepSpan span;
    span.replica = at_.index;
    span.start = now;
    span.steps = 0;
    span.slots = span.prefill_sequences = plan_.size;
    span.prefill_tokens = std::int64_t{plan_.size} * plan_.prompt_tokens;
    span.kv_blocks = plan_.kv_blocks(at_.pool.kv.block_tokens);
    return span;
  }

  std::unique_ptr<Batcher> batcher_;
  WaitingQueue queue_;
  QueueArea waited_;
  std::vector<std::uint32_t> batch_;
  BatchPlan plan_;
  std::int64_t steps_ = 0;
};

}  // namespace headway
