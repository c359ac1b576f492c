#include <algorithm>
#include <iterator>
#include <list>
#include <optional>
#include <vector>

#include "sim/model/arrival_check.hpp"
#include "sim/model/queue_area.hpp"
#include "sim/model/reference_kv.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/token_ledger.hpp"
#include "sim/serving/fair_share.hpp"
#include "sim/serving/prompt_hold.hpp"
#include "sim/serving/queue_order.hpp"

namespace headway {
namespace {

/// Continuous batching with every sequence spelled out and every step an event. It shares the
/// policies, the step cost and the draws with the fast replica, and nothing else.
class ReferenceReplica final : public Replica {
 public:
  explicit ReferenceReplica(const ReplicaContext& context)
      : Replica(context),
        kv_(context.pool.kv.block_tokens, context.pool.kv.blocks),
        longest_wait_(longest_wait(context.pool)),
        hold_(context.pool),
        share_(context.tenants) {}

  Outcome enqueue(std::uint32_t slot, Time now) override {
    Request& request = at_.requests[slot];
    const Outcome outcome =
        admission_outcome(at_.pool, request.record, static_cast<std::int64_t>(in_queue()));
    if (outcome != Outcome::completed) return outcome;
    request.record.queued = now;
    Sequence s;
    s.slot = slot;
    s.prompt = request.record.input_tokens;
    s.output = request.record.output_tokens;
    s.queue_rank = queue_rank(at_.pool.order, request.queued(), share_.virtual_time());
    s.running_rank = running_rank(at_.pool.order, request.priority);
    s.ticket = next_ticket_++;
    waited_.change(now, in_queue());
    const bool ahead = stepping_ && at_.pool.placement.schedules_ahead();
    (ahead ? arrivals_ : waiting_).push_back(s);
    if (!stepping_) wake_up(now);
    return outcome;
  }

  bool cancel(std::uint32_t slot, Time now) override {
    const auto is_it = [&](const Sequence& s) { return s.slot == slot; };
    for (std::list<Sequence>* queue : {&waiting_, &arrivals_, &scheduled_around_}) {
      const auto found = std::find_if(queue->begin(), queue->end(), is_it);
      if (found == queue->end()) continue;
      waited_.change(now, in_queue());
      queue->erase(found);
      return true;
    }
    std::find_if(running_.begin(), running_.end(), is_it)->cancelled = true;
    return false;
  }

  void on_wake(Time now) override {
    if (stepping_) end_step(now);
    begin_step(now);
  }

  void settle(Time now) override {
    std::int64_t held = 0;
    for (const Sequence& s : running_) held += s.computed;
    ledger_.check(held);
    if (!stepping_) return tell_waking(now);
    span_.waiting_time = waited_.take(now, in_queue());
    at_.observer.on_steps(clip(span_, now));
  }

  std::int64_t waiting() const override { return static_cast<std::int64_t>(in_queue()); }
  std::int64_t kv_blocks_used() const override { return at_.pool.kv.blocks - kv_.free(); }
  std::int64_t steps() const override { return steps_; }

 private:
  static constexpr std::int64_t kNotYet = -1;

  /// An idle engine takes a while to notice the first request; who comes meanwhile waits with it.
  void wake_up(Time now) {
    if (!waking_up_) {
      asked_ = now;
      const double seconds = at_.pool.placement.engine.idle_overhead_seconds;
      at_.clock.wake(at_.entity, time_after(now, to_picoseconds(seconds)));
    }
    waking_up_ = true;
  }
  struct Sequence {
    std::uint32_t slot = 0;
    std::int32_t prompt = 0, output = 0;
    std::int32_t computed = 0;   // tokens in the KV cache
    std::int32_t generated = 0;  // output tokens given out
    std::int32_t scheduled = 0;  // tokens in the present step
    bool prefill = true;         // until all known tokens were computed once since admission
    bool cancelled = false;      // leaves at the end of the present step
    std::vector<ReferenceKv::Block> blocks;
    std::int64_t queue_rank = 0, running_rank = 0, ticket = 0, admission = kNotYet;
    Time last_token = kNever;
  };

  void collect(std::vector<std::uint32_t>& slots) const override {
    for (const std::list<Sequence>* queue : {&waiting_, &arrivals_, &scheduled_around_}) {
      for (const Sequence& s : *queue) slots.push_back(s.slot);
    }
    for (const Sequence& s : running_) slots.push_back(s.slot);
  }

  const Content& content(const Sequence& s) const { return at_.requests[s.slot].content; }

  void give_back(Sequence& s, bool finished) {
    const Kv& rules = at_.pool.kv;
    const bool none =
        !rules.prefix_caching || (!finished && rules.on_preemption == Kv::OnPreemption::drop);
    kv_.give_back(s.blocks, content(s), finished && !content(s).continues, none);
    s.blocks.clear();
  }
  void allocate(Sequence& s, std::int64_t blocks) {
    while (static_cast<std::int64_t>(s.blocks.size()) < blocks) s.blocks.push_back(kv_.allocate());
  }
  /// The blocks that the sequence fills in the step being planned are known from now on.
  void make_known(const Sequence& s) {
    if (!at_.pool.kv.prefix_caching) return;
    const std::int64_t size = at_.pool.kv.block_tokens;
    for (std::int64_t b = s.computed / size; b < (s.computed + s.scheduled) / size; ++b) {
      kv_.full(s.blocks[static_cast<std::size_t>(b)], content(s), b);
    }
  }

  void end_step(Time now) {
    stepping_ = false;
    ++steps_;
    span_.waiting_time = waited_.take(now, in_queue());
    at_.observer.on_steps(span_);
    for (Sequence& s : running_) {
      s.computed += s.scheduled;
      ledger_.computed += s.scheduled;
      if (s.scheduled == 0 || s.computed < s.prompt + s.generated) continue;
      s.prefill = false;
      ++s.generated;
      if (s.generated == 1) {
        at_.requests[s.slot].record.first_token = now;
      } else {
        at_.observer.on_token_gaps(now - s.last_token, 1);
      }
      s.last_token = now;
    }
    std::vector<Sequence> ended;
    const auto leaves = [](const Sequence& s) { return s.generated == s.output || s.cancelled; };
    std::copy_if(running_.begin(), running_.end(), std::back_inserter(ended), leaves);
    std::erase_if(running_, leaves);
    std::sort(ended.begin(), ended.end(),
              [](const Sequence& a, const Sequence& b) { return a.admission < b.admission; });
    for (Sequence& s : ended) {
      (s.generated == s.output ? ledger_.delivered : ledger_.lost) += s.computed;
      give_back(s, true);
      at_.requests[s.slot].record.finished = now;
      at_.departures.depart(s.slot, now);
    }
  }

  std::size_t in_queue() const {
    return waiting_.size() + arrivals_.size() + scheduled_around_.size();
  }

  void tell_waking(Time now) {
    if (!waking_up_ || now == asked_) return;
    at_.observer.on_steps(waking_span(at_, asked_, now, waited_.take(now, in_queue()), in_queue()));
  }

  void begin_step(Time now) {
    tell_waking(now);
    waking_up_ = false;
    // An asynchronous engine scheduled this step when the last one began: who came since then has
    // to wait for the next.
    waiting_.splice(waiting_.end(), scheduled_around_);
    scheduled_around_.splice(scheduled_around_.end(), arrivals_);
    for (Sequence& s : running_) s.scheduled = 0;
    const Batching& rules = at_.pool.batching;
    std::int32_t budget = rules.max_num_batched_tokens;
    bool preempted = false;
    for (std::size_t i = 0; i < running_.size() && budget > 0; ++i) {
      const std::int32_t tokens = step_tokens(running_[i], budget);
      const auto had = static_cast<std::int64_t>(running_[i].blocks.size());
      const std::int64_t blocks =
          std::max(had, blocks_for(running_[i].computed + tokens, at_.pool.kv.block_tokens));
      while (i < running_.size() && blocks - had > kv_.free()) {
        preempt_last(now);
        preempted = true;
      }
      if (i == running_.size()) break;
      allocate(running_[i], blocks);
      running_[i].scheduled = tokens;
      budget -= tokens;
    }
    for (const Sequence& s : running_) make_known(s);
    if (!preempted) admit(now, budget);
    if (running_.empty()) {  // nothing to run meanwhile: no step ahead
      waiting_.splice(waiting_.end(), scheduled_around_);
      admit(now, budget);
    }
    if (running_.empty()) return;
    span_ = {};
    span_.replica = at_.index;
    span_.start = now;
    const StepShape shape = step_shape();
    span_.decode_sequences = shape.decode_sequences;
    span_.prefill_sequences = shape.prefill_sequences;
    span_.prefill_tokens = shape.prefill_tokens;
    span_.waiting = static_cast<std::int32_t>(in_queue());
    span_.slots = static_cast<std::int32_t>(running_.size());
    span_.kv_blocks = kv_blocks_used();
    span_.limits = at_.cost->limits(shape);
    stepping_ = true;
    span_.end = time_after(now, at_.cost->step(shape));
    at_.clock.wake(at_.entity, span_.end);
  }

  std::int32_t step_tokens(const Sequence& s, std::int32_t budget) const {
    const std::int32_t tokens = std::min(s.prompt + s.generated - s.computed, budget);
    const Batching& rules = at_.pool.batching;
    const bool limited = rules.chunked_prefill && rules.long_prefill_token_threshold > 0;
    return limited ? std::min(tokens, rules.long_prefill_token_threshold) : tokens;
  }

  void preempt_last(Time now) {
    Sequence s = running_.back();
    running_.pop_back();
    give_back(s, false);
    ledger_.lost += s.computed;
    s.computed = 0;
    s.scheduled = 0;
    s.prefill = true;
    ++at_.requests[s.slot].record.preemptions;
    waited_.change(now, in_queue());
    waiting_.push_front(s);
    at_.observer.on_preemption(now, at_.index);
  }

  /// Under `fair`, those that have not run start where their tenant's account says.
  std::int64_t rank(const Sequence& s) const {
    if (at_.pool.order != QueueOrder::fair || s.admission != kNotYet) return s.queue_rank;
    return share_.start(at_.requests[s.slot].tenant, s.queue_rank);
  }
  using Place = std::list<Sequence>::iterator;
  Place lowest_rank() {
    return std::min_element(waiting_.begin(), waiting_.end(),
                            [this](const Sequence& a, const Sequence& b) {
                              const std::int64_t of_a = rank(a), of_b = rank(b);
                              return of_a != of_b ? of_a < of_b : a.ticket < b.ticket;
                            });
  }
  Place next_waiting(Time now) {
    if (at_.pool.order == QueueOrder::fcfs) return waiting_.begin();
    if (longest_wait_ != kNever) {
      const auto oldest = std::min_element(
          waiting_.begin(), waiting_.end(),
          [](const Sequence& a, const Sequence& b) { return a.ticket < b.ticket; });
      const Time since = at_.requests[oldest->slot].record.queued;
      if (time_after(since, longest_wait_) <= now) return oldest;
    }
    return lowest_rank();
  }
  /// The tenant pays for a request when it is admitted for the first time.
  void charge(Sequence& s, Place place) {
    if (at_.pool.order != QueueOrder::fair || s.admission != kNotYet) return;
    const Request& request = at_.requests[s.slot];
    const bool in_turn = place == lowest_rank();
    const std::int64_t arrived = s.queue_rank;
    s.queue_rank = rank(s);
    share_.admit(request.tenant, arrived, request.queued().tokens(), in_turn);
  }

  /// What the sequence, which waits, would have at its admission: its tokens in the step, the
  /// blocks that the cache has for it (not yet held), and, returned, the blocks that it needs; or
  /// nothing, where budget or free blocks do not allow it.
  std::optional<std::int64_t> intake(Sequence& s, std::int32_t budget) const {
    const Kv& kv = at_.pool.kv;
    const std::int32_t target = s.prompt + s.generated;
    if (kv.prefix_caching) s.blocks = kv_.find(content(s), (target - 1) / kv.block_tokens);
    const auto found = static_cast<std::int64_t>(s.blocks.size());
    s.computed = static_cast<std::int32_t>(found * kv.block_tokens);
    if (!at_.pool.batching.chunked_prefill && target - s.computed > budget) return std::nullopt;
    s.scheduled = step_tokens(s, budget);
    const std::int64_t blocks = blocks_for(
        kv.reserve_all ? kv_tokens(s.prompt, s.output) : std::int64_t{s.computed} + s.scheduled,
        kv.block_tokens);
    const std::int64_t idle = std::count_if(s.blocks.begin(), s.blocks.end(),
                                            [&](auto block) { return kv_.idle(block); });
    const auto watermark = static_cast<std::int64_t>(kv.watermark * static_cast<double>(kv.blocks));
    if (blocks - found + idle + (running_.empty() ? 0 : watermark) > kv_.free())
      return std::nullopt;
    return blocks;
  }

  /// Whether those that wait are held out of the step, which has `budget` tokens left.
  bool holds_back(Time now, std::int32_t budget) {
    const Batching& rules = at_.pool.batching;
    PromptHold::Step step;
    step.decodes = static_cast<std::int32_t>(
        std::count_if(running_.begin(), running_.end(),
                      [](const Sequence& s) { return s.scheduled > 0 && !s.prefill; }));
    const std::size_t slots = static_cast<std::size_t>(rules.max_num_seqs) - running_.size();
    if (!waiting_.empty() && budget > 0 && slots > 0) {
      Sequence first = *next_waiting(now);
      if (intake(first, budget)) {
        step.prompts = static_cast<std::int64_t>(std::min(slots, waiting_.size()));
      }
    }
    std::vector<Sequence> in_line(waiting_.begin(), waiting_.end());
    if (at_.pool.order != QueueOrder::fcfs) {
      std::sort(in_line.begin(), in_line.end(),
                [](const Sequence& a, const Sequence& b) { return a.ticket < b.ticket; });
    }
    in_line.resize(static_cast<std::size_t>(step.prompts));
    step.tokens = rules.max_num_batched_tokens - budget;
    for (const Sequence& s : in_line) {
      const std::int32_t more = s.prompt + s.generated;
      if (!rules.chunked_prefill && step.tokens + more > rules.max_num_batched_tokens) break;
      step.tokens += more;
    }
    return !hold_.lets_in(step);
  }

  void admit(Time now, std::int32_t budget) {
    if (hold_.on() && holds_back(now, budget)) return;
    while (!waiting_.empty() && budget > 0 &&
           static_cast<std::int32_t>(running_.size()) < at_.pool.batching.max_num_seqs) {
      const auto next = next_waiting(now);
      Sequence s = *next;
      const std::optional<std::int64_t> blocks = intake(s, budget);
      if (!blocks) break;
      const auto found = static_cast<std::int64_t>(s.blocks.size());
      waited_.change(now, in_queue());
      charge(s, next);
      waiting_.erase(next);
      budget -= s.scheduled;
      RequestRecord& record = at_.requests[s.slot].record;
      if (record.started == kNever) {
        record.started = now;
        record.prefix_hit_tokens = s.computed;
      }
      ledger_.hit += s.computed;
      for (const auto block : s.blocks) kv_.hold(block);
      kv_.forget_own(content(s), found);
      allocate(s, *blocks);
      make_known(s);
      s.admission = next_admission_++;
      const auto place = std::find_if(running_.begin(), running_.end(), [&](const Sequence& other) {
        return other.running_rank > s.running_rank;
      });
      running_.insert(place, s);
    }
  }

  StepShape step_shape() const {
    StepShape shape;
    for (const Sequence& s : running_) {
      if (s.scheduled == 0) continue;
      if (s.prefill) {
        const std::int64_t tokens = s.scheduled;
        shape.prefill_tokens += tokens;
        shape.prefill_pairs += tokens * s.computed + tokens * (tokens + 1) / 2;
        ++shape.prefill_sequences;
        shape.sampled += s.computed + s.scheduled == s.prompt + s.generated;
      } else {
        ++shape.decode_sequences;
        shape.decode_context += s.computed + 1;
        shape.decode_context_longest =
            std::max<std::int64_t>(shape.decode_context_longest, s.computed + 1);
        ++shape.sampled;
      }
    }
    return shape;
  }

  ReferenceKv kv_;
  const Time longest_wait_;
  PromptHold hold_;
  FairShare share_;
  TokenLedger ledger_;
  std::list<Sequence> waiting_;
  std::list<Sequence> arrivals_;          // of an asynchronous engine: since the present step began
  std::list<Sequence> scheduled_around_;  // … since the step before it began
  QueueArea waited_;
  std::vector<Sequence> running_;  // ascending by (running_rank, admission)
  bool stepping_ = false;
  bool waking_up_ = false;
  Time asked_ = 0;  // if so: since when
  StepSpan span_;
  std::int64_t next_ticket_ = 0, next_admission_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Replica> make_reference_replica(const ReplicaContext& context) {
  return std::make_unique<ReferenceReplica>(context);
}

}  // namespace headway
