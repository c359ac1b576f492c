#include <algorithm>
#include <array>

#include "sim/model/whole_batch.hpp"

namespace headway {
namespace {

/// Works a whole batch's steps out when it starts: nothing can change them.
class BatchReplica final : public WholeBatchReplica {
 public:
  using WholeBatchReplica::WholeBatchReplica;

  void on_wake(Time now) override {
    if (batch_.empty()) return try_start(now);
    for (const auto& [gap, count] : gaps_) at_.observer.on_token_gaps(gap, count);
    end(span_, now);
  }

  void settle(Time now) override {
    if (!batch_.empty()) at_.observer.on_steps(clip(span_, now));
  }

 private:
  void begin(Time now) override {
    gaps_.clear();
    span_ = new_span(now);
    Time t = now;
    const std::int64_t total = std::int64_t{plan_.size} * plan_.prompt_tokens;
    for (std::int64_t done = 0; done < total;) {
      const StepShape shape = batch_prefill_step(plan_, prefill_budget(), done);
      t = time_after(t, at_.cost->step(shape));
      add(span_.limits, at_.cost->limits(shape));
      ++span_.steps;
    }
    answers_.clear();
    for (const std::uint32_t slot : batch_) {
      RequestRecord& record = at_.requests[slot].record;
      record.first_token = t;
      answers_.push_back(record.output_tokens);
    }
    std::sort(answers_.begin(), answers_.end());
    std::size_t answered = 0;
    std::array<Picoseconds, 64> durations;
    const std::int32_t decodes = plan_.output_tokens - 1;
    for (std::int32_t step = 1; step <= decodes;) {
      const int count = std::min<std::int32_t>(64, decodes - step + 1);
      const std::int64_t context = std::int64_t{plan_.size} * (plan_.prompt_tokens + step);
      at_.cost->decode_steps(plan_.size, context, count, durations.data());
      for (int i = 0; i < count; ++i, ++step) {
        const Picoseconds duration = durations[static_cast<std::size_t>(i)];
        t = time_after(t, duration);
        while (answered < answers_.size() && answers_[answered] <= step) ++answered;
        gaps_.emplace_back(duration, answers_.size() - answered);
        StepShape shape;
        shape.decode_sequences = shape.sampled = plan_.size;
        shape.decode_context = context + std::int64_t{i} * plan_.size;
        add(span_.limits, at_.cost->limits(shape));
      }
      span_.steps += count;
    }
    span_.decode_sequences = plan_.size;
    span_.end = t;
    at_.clock.wake(at_.entity, t);
  }

  StepSpan span_;
  std::vector<std::int32_t> answers_;  // tokens, ascending
  std::vector<std::pair<Time, std::int64_t>> gaps_;
};

}  // namespace

std::unique_ptr<Replica> make_batch_replica(const ReplicaContext& context) {
  return std::make_unique<BatchReplica>(context);
}

}  // namespace headway
