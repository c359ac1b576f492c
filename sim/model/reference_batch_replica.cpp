#include <algorithm>

#include "sim/model/whole_batch.hpp"

namespace headway {
namespace {

/// A whole batch, step by step.
class ReferenceBatchReplica final : public WholeBatchReplica {
 public:
  using WholeBatchReplica::WholeBatchReplica;

  void on_wake(Time now) override {
    if (batch_.empty()) return try_start(now);
    ++span_.steps;
    if (prefilled_ == std::int64_t{plan_.size} * plan_.prompt_tokens && decoded_ == 0) {
      for (const std::uint32_t slot : batch_) at_.requests[slot].record.first_token = now;
    }
    if (decoded_ > 0) gaps_.emplace_back(now - step_start_, still_answering(decoded_));
    step(now);
  }

  void settle(Time now) override {
    if (!batch_.empty()) tell(until(now), now);
  }

 private:
  void begin(Time now) override {
    gaps_.clear();
    span_ = new_span(now);
    span_.decode_sequences = plan_.size;
    prefilled_ = 0;
    decoded_ = 0;
    step(now);
  }

  void step(Time now) {
    step_start_ = now;
    StepShape shape;
    if (prefilled_ < std::int64_t{plan_.size} * plan_.prompt_tokens) {
      shape = batch_prefill_step(plan_, prefill_budget(), prefilled_);
    } else if (++decoded_ < plan_.output_tokens) {
      shape.decode_sequences = shape.sampled = plan_.size;
      shape.decode_context_longest = std::int64_t{plan_.prompt_tokens} + decoded_;
      shape.decode_context = plan_.size * shape.decode_context_longest;
    } else {
      for (const auto& [gap, count] : gaps_) at_.observer.on_token_gaps(gap, count);
      span_.end = now;
      end(span_, now);
      return;
    }
    span_.limits += at_.cost->limits(shape);
    at_.clock.wake(at_.entity, time_after(now, at_.cost->step(shape)));
  }

  /// Requests of the batch that get a token in the decode step number `step` (from 1).
  std::int64_t still_answering(std::int32_t step) const {
    return std::count_if(batch_.begin(), batch_.end(), [&](std::uint32_t slot) {
      return at_.requests[slot].record.output_tokens > step;
    });
  }

  StepSpan until(Time now) const {
    StepSpan span = span_;
    span.end = now;
    return span;
  }

  StepSpan span_;
  std::vector<std::pair<Time, std::int64_t>> gaps_;
  std::int64_t prefilled_ = 0;
  std::int32_t decoded_ = 0;  // decode steps begun
  Time step_start_ = 0;
};

}  // namespace

std::unique_ptr<Replica> make_reference_batch_replica(const ReplicaContext& context) {
  return std::make_unique<ReferenceBatchReplica>(context);
}

}  // namespace headway
