#include <algorithm>
#include <array>

#include "sim/model/whole_batch.hpp"

namespace headway {
namespace {

/// Works a whole batch's steps out when it starts: nothing can change them. What they were is
/// worked out once more when it ends, to be told; between, it only wakes for the first tokens.
class BatchReplica final : public WholeBatchReplica {
 public:
  using WholeBatchReplica::WholeBatchReplica;

  void on_wake(Time now) override {
    if (batch_.empty()) return try_start(now);
    if (now == prefilled_) {
      for (const std::uint32_t slot : batch_) at_.requests[slot].record.first_token = now;
    }
    if (now < span_.end) return at_.clock.wake(at_.entity, span_.end);
    tell_gaps();
    end(span_, now);
  }

  void settle(Time now) override {
    if (!batch_.empty()) tell(clip(span_, now), now);
  }

 private:
  void begin(Time now) override {
    span_ = new_span(now);
    Time t = now;
    const std::int64_t total = std::int64_t{plan_.size} * plan_.prompt_tokens;
    for (std::int64_t done = 0; done < total;) {
      const StepShape shape = batch_prefill_step(plan_, prefill_budget(), done);
      t = time_after(t, at_.cost->step(shape));
      span_.limits += at_.cost->limits(shape);
      ++span_.steps;
    }
    prefilled_ = t;
    each_decode_run([&](const DecodeRun& run) {
      StepShape middle;
      middle.decode_sequences = middle.sampled = plan_.size;
      middle.decode_context = run.context + std::int64_t{run.count / 2} * plan_.size;
      middle.decode_context_longest = run.longest + run.count / 2;
      const StepLimits limits = at_.cost->limits(middle);
      for (int i = 0; i < run.count; ++i) {
        t = time_after(t, run.durations[static_cast<std::size_t>(i)]);
        span_.limits += limits;
      }
      span_.steps += run.count;
    });
    span_.decode_sequences = plan_.size;
    span_.end = t;
    at_.clock.wake(at_.entity, prefilled_);
  }

  void tell_gaps() const {
    std::vector<std::int32_t> answers;  // tokens, ascending
    for (const std::uint32_t slot : batch_) {
      answers.push_back(at_.requests[slot].record.output_tokens);
    }
    std::sort(answers.begin(), answers.end());
    std::size_t answered = 0;
    each_decode_run([&](const DecodeRun& run) {
      for (int i = 0; i < run.count; ++i) {
        while (answers[answered] <= run.first + i) ++answered;  // the longest gets the last token
        at_.observer.on_token_gaps(run.durations[static_cast<std::size_t>(i)],
                                   static_cast<std::int64_t>(answers.size() - answered));
      }
    });
  }

  /// Consecutive decode steps of the batch.
  struct DecodeRun {
    std::int32_t first = 1;    // from 1
    int count = 0;             // of steps
    std::int64_t context = 0;  // keys read in the first …
    std::int64_t longest = 0;  // … by each sequence: all are padded to one length
    std::array<Picoseconds, 64> durations;
  };
  template <class Visit>
  void each_decode_run(Visit visit) const {
    DecodeRun run;
    for (; run.first < plan_.output_tokens; run.first += run.count) {
      run.count = std::min<std::int32_t>(64, plan_.output_tokens - run.first);
      run.longest = std::int64_t{plan_.prompt_tokens} + run.first;
      run.context = plan_.size * run.longest;
      at_.cost->decode_steps(plan_.size, run.context, run.longest, run.count, run.durations.data());
      visit(run);
    }
  }

  StepSpan span_;
  Time prefilled_ = 0;  // when the batch's prompts are, or were, all computed
};

}  // namespace

std::unique_ptr<Replica> make_batch_replica(const ReplicaContext& context) {
  return std::make_unique<BatchReplica>(context);
}

}  // namespace headway
