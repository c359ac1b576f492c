// The fast continuous-batching replica: its state, and what its two halves have in common.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/model/decode_set.hpp"
#include "sim/model/queue_area.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/running_order.hpp"
#include "sim/model/token_ledger.hpp"
#include "sim/serving/prefix_cache.hpp"
#include "sim/serving/prompt_hold.hpp"
#include "sim/serving/waiting_queue.hpp"

namespace headway {

/// Continuous batching in the order of vLLM's V1 scheduler: running sequences first, each its one
/// token or its next prefill chunk, within the token budget; when KV blocks run out the last
/// running one is preempted and recomputed; if none was, waiting requests are admitted, less what
/// the prefix cache has of them. Runs of pure decode that nothing can join are one event.
class ContinuousReplica final : public Replica {
 public:
  explicit ContinuousReplica(const ReplicaContext& context);

  Outcome enqueue(std::uint32_t slot, Time now) override;
  bool cancel(std::uint32_t slot, Time now) override;
  void on_wake(Time now) override;
  void settle(Time now) override;
  std::int64_t waiting() const override { return static_cast<std::int64_t>(in_queue()); }
  std::int64_t kv_blocks_used() const override;
  std::int64_t steps() const override { return steps_; }

 private:
  struct Chunk {
    std::uint32_t id;
    std::int32_t tokens;
  };
  /// A request that came while an asynchronous engine had the next step already scheduled.
  struct Arrival {
    std::uint32_t slot;   // kGone: cancelled
    std::int64_t behind;  // boundaries of the present run that were behind it; −1: came before
    std::int64_t virtual_time;  // of its arrival
  };
  /// What a waiting request would take at its admission.
  struct Intake {
    PrefixCache::Hit hit;
    std::int32_t chunk = 0;   // tokens in its first step
    std::int64_t blocks = 0;  // new ones
    std::int64_t free = 0;    // KV blocks that must be free for it
  };
  static constexpr std::uint32_t kGone = UINT32_MAX;
  static constexpr std::size_t kLongestRun = 64;

  // The end of a run of steps (continuous_replica.cpp).
  std::size_t boundaries_behind(Time now) const;
  void end_steps(Time now);
  void take_steps(Time now);
  void end_chunks(Time now);
  void end_cancelled();
  void by_admission(std::vector<std::uint32_t>& ids) const;
  void finish(std::uint32_t id, Time now);
  void report(Time end, Time now);
  void report_waking(Time now);

  // The next steps (continuous_replica.cpp).
  void plan(Time now);
  std::size_t longest_run();
  Time front_changes(Time now) const;
  std::size_t boundaries_until(Time at) const;

  // The queue's door (continuous_schedule.cpp).
  void wait(std::uint32_t slot, std::int64_t virtual_time);
  void let_in();
  void collect(std::vector<std::uint32_t>& slots) const override;
  void leave_queue(const Request& request, Time now);
  void end_run_after(std::size_t steps);
  std::size_t in_queue() const {
    return waiting_.size() + arrivals_.size() - static_cast<std::size_t>(arrivals_gone_);
  }

  // Who is in the next step (continuous_schedule.cpp).
  bool schedule_running();
  bool walk_running(Time now);
  bool holds_back(Time now);
  std::int64_t step_tokens(std::int64_t prompts) const;
  void admit_waiting(Time now);
  bool fits(const WaitingQueue::Entry& entry, Intake& in) const;
  std::int32_t target(const WaitingQueue::Entry& entry) const;
  bool admit_next(Time now);
  std::uint32_t new_sequence(const WaitingQueue::Entry& entry, Time now);
  std::int32_t next_chunk(const Sequence& s, std::int32_t budget) const;
  std::int64_t chunk_blocks(const Sequence& s, std::int32_t chunk) const;
  std::int64_t token_blocks(const Sequence& s) const;
  std::int32_t cached(const Sequence& s) const;
  void add_chunk(std::uint32_t id, std::int32_t chunk);
  void stall(std::uint32_t id, Time now);
  void preempt(std::uint32_t id, Time now);

  // KV blocks (continuous_schedule.cpp).
  void allocate(std::int64_t blocks);
  void make_known(const Chunk& chunk);
  void release(std::uint32_t id, std::int64_t blocks, std::int64_t computed,
               PrefixCache::Leave leave);

  const Batching& rules_;
  const Time waking_;                 // of an idle engine, until its first step
  const std::int32_t longest_chunk_;  // of a prefill, in tokens
  const bool reserve_, caching_;
  const bool ahead_;  // an asynchronous engine: a step is scheduled while the one before it runs
  const PrefixCache::Leave when_preempted_;
  const std::int32_t block_tokens_;
  const std::int64_t blocks_, watermark_;

  WaitingQueue waiting_;
  std::vector<Arrival> arrivals_;   // in order; not yet in waiting_
  std::int64_t first_arrival_ = 0;  // ticket of the first of them; the others' follow
  std::int64_t arrivals_gone_ = 0;  // of them: cancelled
  QueueArea waited_;
  SlotPool<Sequence> sequences_;
  RunningOrder running_;
  DecodeSet decoding_;
  std::vector<std::uint32_t> prefilling_;  // running, not yet decoding; in the running order
  std::int32_t stalled_ = 0;               // running, left without budget
  std::int64_t used_ = 0;                  // KV blocks that sequences hold
  std::int64_t next_admission_ = 0;
  std::int64_t steps_ = 0;
  PromptHold hold_;

  Time wakes_ = kNever;  // idle, and asked at start_: when the first step begins

  // The present run of steps.
  bool stepping_ = false;
  std::size_t run_ = 0;  // steps in it
  Time start_ = 0;
  std::array<Time, kLongestRun> ends_{};  // of each step
  std::int32_t left_out_ = 0;             // waiting when it was planned
  std::int32_t budget_ = 0;               // tokens left in the step being planned
  StepShape shape_;                       // of its first step
  std::optional<StepLimits> alone_;       // of a step that was planned alone
  bool held_ = false;                     // prompts that could have been in it were held back
  std::int64_t held_blocks_ = 0;     // if so: KV blocks that must be free for the first of them
  std::vector<Chunk> chunks_;        // prefill in the step, in the running order
  std::vector<std::uint32_t> late_;  // decoding again after a stall: the gap is not the step
  std::vector<std::uint32_t> ended_;
  std::vector<std::uint32_t> cancelled_;  // running until the end of the present step

  PrefixCache cache_;  // of all blocks, where caching_
  TokenLedger ledger_;
};

}  // namespace headway
