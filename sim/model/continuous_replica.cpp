#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

#include "sim/model/arrival_check.hpp"
#include "sim/model/decode_set.hpp"
#include "sim/model/queue_area.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/running_order.hpp"
#include "sim/serving/waiting_queue.hpp"

namespace headway {
namespace {

/// Continuous batching in the order of vLLM's V1 scheduler: running sequences first, each its one
/// token or its next prefill chunk, within the token budget; when KV blocks run out the last
/// running one is preempted and recomputed; if none was, waiting requests are admitted. Runs of
/// pure decode that nothing can join are one event.
class ContinuousReplica final : public Replica {
 public:
  explicit ContinuousReplica(const ReplicaContext& context)
      : at_(context),
        rules_(context.pool.batching),
        longest_chunk_(rules_.chunked_prefill && rules_.long_prefill_token_threshold > 0
                           ? rules_.long_prefill_token_threshold
                           : INT32_MAX),
        reserve_(context.pool.kv.reserve_all),
        block_tokens_(context.pool.kv.block_tokens),
        blocks_(context.pool.kv.blocks),
        watermark_(static_cast<std::int64_t>(context.pool.kv.watermark *
                                             static_cast<double>(context.pool.kv.blocks))),
        waiting_(context.pool.order),
        running_(sequences_),
        decoding_(sequences_, context.pool.kv.block_tokens) {}

  Outcome enqueue(std::uint32_t slot, Time now) override {
    Request& request = at_.requests[slot];
    RequestRecord& record = request.record;
    const Outcome outcome =
        admission_outcome(at_.pool, record, static_cast<std::int64_t>(waiting_.size()));
    if (outcome != Outcome::completed) return outcome;
    record.queued = now;
    waited_.change(now, waiting_.size());
    const bool may_join = waiting_.empty() || at_.pool.order != QueueOrder::fcfs;
    waiting_.push(
        queue_rank(at_.pool.order, request.priority, record.input_tokens, record.output_tokens),
        slot);
    if (!stepping_) {
      at_.clock.wake(at_.entity, now);
    } else if (may_join && run_ > 1 && running_.size() < rules_.max_num_seqs) {
      run_ = std::min(run_, boundaries_behind(now) + 1);
      at_.clock.wake(at_.entity, ends_[run_ - 1]);
    }
    return outcome;
  }

  void on_wake(Time now) override {
    if (stepping_) end_steps(now);
    plan(now);
  }

  void settle(Time now) override {
    if (!stepping_) return;
    const Time next = ends_[std::min(boundaries_behind(now), run_ - 1)];
    if (const std::size_t taken = std::min(boundaries_behind(now), run_ - 1); taken > 0) {
      run_ = taken;
      take_steps(ends_[taken - 1]);
      start_ = ends_[taken - 1];
      shape_.decode_context += static_cast<std::int64_t>(taken) * shape_.decode_sequences;
      shape_.decode_context_longest += static_cast<std::int64_t>(taken);
    }
    run_ = 1;
    report(next, now);
  }

  std::int64_t kv_blocks_used() const override {
    std::int64_t used = used_;
    if (!stepping_ || reserve_) return used;
    const std::size_t behind = std::min(boundaries_behind(at_.clock.now()), run_ - 1);
    for (std::size_t i = 1; i <= behind; ++i) {
      used += decoding_.blocks_needed(static_cast<std::int64_t>(i));
    }
    return used;
  }
  std::int64_t steps() const override { return steps_; }

 private:
  struct Chunk {
    std::uint32_t id;
    std::int32_t tokens;
  };
  static constexpr std::size_t kLongestRun = 64;

  /// Step boundaries of the present run that lie behind the present instant.
  std::size_t boundaries_behind(Time now) const {
    const auto begin = ends_.begin(), end = begin + static_cast<std::ptrdiff_t>(run_);
    const auto at = at_.clock.passed(at_.entity) ? std::upper_bound(begin, end, now)
                                                 : std::lower_bound(begin, end, now);
    return static_cast<std::size_t>(at - begin);
  }

  // ---- the end of a run of steps ----

  void end_steps(Time now) {
    stepping_ = false;
    take_steps(now);
    ended_.clear();
    for (std::uint32_t id; (id = decoding_.ended()) != DecodeSet::kNobody;) {
      decoding_.leave(id);
      ended_.push_back(id);
    }
    if (!chunks_.empty()) end_chunks(now);
    for (const std::uint32_t id : ended_) finish(id, now);
  }

  /// All steps of the run were taken, the last of them now.
  void take_steps(Time now) {
    report(now);
    const auto on_time = decoding_.size() - static_cast<std::int32_t>(late_.size());
    if (on_time > 0) {
      Time before = start_;
      for (std::size_t i = 0; i < run_; before = ends_[i++]) {
        at_.observer.on_token_gaps(ends_[i] - before, on_time);
      }
    }
    for (const std::uint32_t id : late_) {
      at_.observer.on_token_gaps(now - sequences_[id].last_token, 1);
    }
    if (!reserve_) {
      for (std::size_t i = 1; i < run_; ++i) {
        used_ += decoding_.blocks_needed(static_cast<std::int64_t>(i));
      }
    }
    decoding_.advance(static_cast<std::int64_t>(run_));
    steps_ += static_cast<std::int64_t>(run_);
  }

  void end_chunks(Time now) {
    bool any_done = false;
    for (const Chunk& chunk : chunks_) {
      Sequence& s = sequences_[chunk.id];
      s.computed += chunk.tokens;
      if (s.computed < s.target) continue;
      any_done = true;
      const std::int32_t generated = s.target - s.prompt + 1;
      if (generated == 1) {
        at_.requests[s.slot].record.first_token = now;
      } else {
        at_.observer.on_token_gaps(now - s.last_token, 1);
      }
      if (generated == s.output) {
        ended_.push_back(chunk.id);
      } else {
        decoding_.join(chunk.id, s.computed, generated);
      }
    }
    if (!any_done) return;
    std::erase_if(prefilling_, [&](std::uint32_t id) {
      return sequences_[id].computed == sequences_[id].target;
    });
    std::sort(ended_.begin(), ended_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return sequences_[a].admission < sequences_[b].admission;
    });
  }

  void finish(std::uint32_t id, Time now) {
    const Sequence& s = sequences_[id];
    const std::uint32_t slot = s.slot;
    used_ -= blocks_for(kv_tokens(s.prompt, s.output), block_tokens_);
    running_.remove(id);
    sequences_.give(id);
    at_.requests[slot].record.finished = now;
    at_.departures.depart(slot, now);
  }

  /// Tells of the steps from start_ to `end`, of which those until `now` are over.
  void report(Time end) { report(end, end); }
  void report(Time end, Time now) {
    StepSpan span;
    span.replica = at_.index;
    span.start = start_;
    span.end = end;
    span.steps = static_cast<std::int32_t>(run_);
    span.decode_sequences = decoding_.size();
    span.prefill_sequences = static_cast<std::int32_t>(chunks_.size());
    span.prefill_tokens = shape_.prefill_tokens;
    span.waiting = left_out_;
    span.waiting_time = waited_.take(now, waiting_.size());
    span.slots = running_.size();
    span.kv_blocks = used_;
    StepShape middle = shape_;
    middle.decode_context += static_cast<std::int64_t>(run_ / 2) * shape_.decode_sequences;
    middle.decode_context_longest += static_cast<std::int64_t>(run_ / 2);
    const StepLimits limits = at_.cost->limits(middle);
    const auto n = static_cast<std::int64_t>(run_);
    const auto all = [n](Picoseconds one) { return std::min(one, kEndOfTime / n) * n; };
    span.limits = {all(limits.compute), all(limits.memory_bandwidth), all(limits.network),
                   all(limits.host)};
    at_.observer.on_steps(clip(span, now));
  }

  // ---- the next steps ----

  void plan(Time now) {
    chunks_.clear();
    late_.clear();
    shape_ = {};
    budget_ = rules_.max_num_batched_tokens;
    bool preempted = false;
    if (!schedule_running()) preempted = walk_running(now);
    if (!preempted) admit_waiting(now);
    const std::int32_t members = decoding_.size();
    if (members == 0 && chunks_.empty()) {
      assert(running_.size() == 0 && waiting_.empty());
      return;
    }
    left_out_ = static_cast<std::int32_t>(waiting_.size());
    shape_.decode_sequences = members;
    shape_.decode_context = decoding_.computed() + members;
    shape_.decode_context_longest = members == 0 ? 0 : decoding_.longest() + 1;
    shape_.sampled += members;
    start_ = now;
    if (prefilling_.empty() && stalled_ == 0 && late_.empty() && !preempted) {
      run_ = longest_run();
      at_.cost->decode_steps(members, shape_.decode_context, shape_.decode_context_longest,
                             static_cast<int>(run_), ends_.data());
      Time end = now;
      for (std::size_t i = 0; i < run_; ++i) ends_[i] = end = time_after(end, ends_[i]);
    } else {
      run_ = 1;
      ends_[0] = time_after(now, at_.cost->step(shape_));
    }
    stepping_ = true;
    at_.clock.wake(at_.entity, ends_[run_ - 1]);
  }

  /// Steps of pure decode until a member ends or the KV blocks run out; the first has its blocks.
  /// None that waits now can join before: what kept it out (slots, blocks, budget) only gets
  /// scarcer. After a preemption that does not hold, as nobody was asked.
  std::size_t longest_run() {
    const auto limit = static_cast<std::size_t>(
        std::min<std::int64_t>(kLongestRun, decoding_.steps_to_first_end()));
    if (reserve_) return limit;
    std::int64_t free = blocks_ - used_;
    for (std::size_t i = 1; i < limit; ++i) {
      free -= decoding_.blocks_needed(static_cast<std::int64_t>(i));
      if (free < 0) return i;
    }
    return limit;
  }

  std::int32_t next_chunk(const Sequence& s, std::int32_t budget) const {
    return std::min({s.target - s.computed, budget, longest_chunk_});
  }
  std::int64_t chunk_blocks(const Sequence& s, std::int32_t chunk) const {
    if (reserve_) return 0;
    return blocks_for(s.computed + chunk, block_tokens_) - blocks_for(s.computed, block_tokens_);
  }
  void add_chunk(std::uint32_t id, std::int32_t chunk) {
    const Sequence& s = sequences_[id];
    const std::int64_t c = chunk;
    chunks_.push_back({id, chunk});
    shape_.prefill_tokens += c;
    shape_.prefill_pairs += c * s.computed + c * (c + 1) / 2;
    ++shape_.prefill_sequences;
    shape_.sampled += s.computed + chunk == s.target;
    budget_ -= chunk;
  }

  /// Gives every running sequence its tokens where budget and blocks suffice for all of them, so
  /// that their order does not matter; else changes nothing and returns false.
  bool schedule_running() {
    if (stalled_ > 0 || decoding_.size() > budget_) return false;
    const std::int32_t budget = budget_ - decoding_.size();
    std::int64_t blocks = reserve_ ? 0 : decoding_.blocks_needed(0);
    const bool one_at_the_end = prefilling_.size() == 1 && running_.last() == prefilling_.front();
    std::int64_t wanted = 0;
    for (const std::uint32_t id : prefilling_) {
      const Sequence& s = sequences_[id];
      const std::int32_t chunk = next_chunk(s, one_at_the_end ? budget : INT32_MAX);
      wanted += chunk;
      blocks += chunk_blocks(s, chunk);
    }
    if (wanted > budget || blocks > blocks_ - used_) return false;
    used_ += blocks;
    budget_ = budget;
    for (const std::uint32_t id : prefilling_) {
      const std::int32_t chunk = next_chunk(sequences_[id], budget_);
      if (chunk > 0) add_chunk(id, chunk);
    }
    return true;
  }

  /// The scheduler's own walk through the running order, for the steps in which order matters:
  /// blocks run out, or long prefills leave no budget for those behind them. True if any was
  /// preempted.
  bool walk_running(Time now) {
    bool preempted = false;
    for (std::uint32_t id = running_.first(); id != RunningOrder::kEnd; id = sequences_[id].next) {
      Sequence& s = sequences_[id];
      if (budget_ == 0) {
        if (s.state == Sequence::State::decoding) stall(id, now);
        continue;
      }
      const bool prefill = s.state == Sequence::State::prefilling;
      const std::int32_t chunk = prefill ? next_chunk(s, budget_) : 1;
      const std::int64_t blocks = prefill ? chunk_blocks(s, chunk) : token_blocks(s);
      bool lost = false;
      while (!lost && blocks > blocks_ - used_) {
        lost = running_.last() == id;
        preempt(running_.last(), now);
        preempted = true;
      }
      if (lost) break;
      used_ += blocks;
      if (prefill) {
        add_chunk(id, chunk);
        continue;
      }
      if (s.state == Sequence::State::stalled) {
        --stalled_;
        decoding_.join(id, s.computed, s.computed - s.prompt + 1);
        late_.push_back(id);
      }
      --budget_;
    }
    return preempted;
  }

  std::int64_t token_blocks(const Sequence& s) const {
    if (reserve_) return 0;
    return cached(s) % block_tokens_ == 0 ? 1 : 0;
  }
  std::int32_t cached(const Sequence& s) const {
    return s.state == Sequence::State::decoding ? decoding_.computed(s) : s.computed;
  }

  void stall(std::uint32_t id, Time now) {
    Sequence& s = sequences_[id];
    s.computed = decoding_.computed(s);
    decoding_.leave(id);
    s.state = Sequence::State::stalled;
    s.last_token = now;
    ++stalled_;
  }

  /// Takes all blocks of a running sequence and puts it back into the queue, to be computed anew.
  void preempt(std::uint32_t id, Time now) {
    Sequence& s = sequences_[id];
    const std::int32_t tokens = cached(s);
    used_ -= blocks_for(tokens, block_tokens_);
    if (s.state == Sequence::State::prefilling) {
      std::erase(prefilling_, id);
    } else {
      s.target = tokens + 1;
      if (s.state == Sequence::State::decoding) {
        decoding_.leave(id);
        s.last_token = now;
      } else {
        --stalled_;
      }
    }
    s.state = Sequence::State::preempted;
    s.computed = 0;
    running_.remove(id);
    ++at_.requests[s.slot].record.preemptions;
    waited_.change(now, waiting_.size());
    waiting_.push_preempted({s.queue_rank, s.ticket, s.slot, id});
    at_.observer.on_preemption(now, at_.index);
  }

  void admit_waiting(Time now) {
    while (!waiting_.empty() && budget_ > 0 && running_.size() < rules_.max_num_seqs) {
      const WaitingQueue::Entry entry = waiting_.front();
      const bool fresh = entry.sequence == WaitingQueue::kFresh;
      RequestRecord& record = at_.requests[entry.slot].record;
      const std::int32_t target = fresh ? record.input_tokens : sequences_[entry.sequence].target;
      if (!rules_.chunked_prefill && target > budget_) break;
      const std::int32_t chunk = std::min({target, budget_, longest_chunk_});
      const std::int64_t blocks = blocks_for(
          reserve_ ? kv_tokens(record.input_tokens, record.output_tokens) : chunk, block_tokens_);
      if (blocks + (running_.size() > 0 ? watermark_ : 0) > blocks_ - used_) break;
      waited_.change(now, waiting_.size());
      waiting_.pop();
      used_ += blocks;
      const std::uint32_t id = fresh ? new_sequence(entry, now) : entry.sequence;
      Sequence& s = sequences_[id];
      s.state = Sequence::State::prefilling;
      s.admission = next_admission_++;
      running_.insert(id);
      prefilling_.push_back(id);
      add_chunk(id, chunk);
    }
  }

  std::uint32_t new_sequence(const WaitingQueue::Entry& entry, Time now) {
    Request& request = at_.requests[entry.slot];
    request.record.started = now;
    const std::uint32_t id = sequences_.take();
    Sequence& s = sequences_[id];
    s.slot = entry.slot;
    s.prompt = s.target = request.record.input_tokens;
    s.output = request.record.output_tokens;
    s.computed = 0;
    s.rank = running_rank(at_.pool.order, request.priority);
    s.queue_rank = entry.rank;
    s.ticket = entry.ticket;
    s.last_token = kNever;
    return id;
  }

  ReplicaContext at_;
  const Batching& rules_;
  const std::int32_t longest_chunk_;  // of a prefill, in tokens
  const bool reserve_;
  const std::int32_t block_tokens_;
  const std::int64_t blocks_, watermark_;

  WaitingQueue waiting_;
  QueueArea waited_;
  SlotPool<Sequence> sequences_;
  RunningOrder running_;
  DecodeSet decoding_;
  std::vector<std::uint32_t> prefilling_;  // running, not yet decoding; by admission
  std::int32_t stalled_ = 0;               // running, left without budget
  std::int64_t used_ = 0;                  // KV blocks
  std::int64_t next_admission_ = 0;
  std::int64_t steps_ = 0;

  // The present run of steps.
  bool stepping_ = false;
  std::size_t run_ = 0;  // steps in it
  Time start_ = 0;
  std::array<Time, kLongestRun> ends_{};  // of each step
  std::int32_t left_out_ = 0;             // waiting when it was planned
  std::int32_t budget_ = 0;               // tokens left in the step being planned
  StepShape shape_;                       // of its first step
  std::vector<Chunk> chunks_;             // prefill in the step
  std::vector<std::uint32_t> late_;       // decoding again after a stall: the gap is not the step
  std::vector<std::uint32_t> ended_;
};

}  // namespace

std::unique_ptr<Replica> make_continuous_replica(const ReplicaContext& context) {
  return std::make_unique<ContinuousReplica>(context);
}

}  // namespace headway
