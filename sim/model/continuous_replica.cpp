#include "sim/model/continuous_replica.hpp"

#include <algorithm>
#include <cassert>

#include "sim/model/arrival_check.hpp"

namespace headway {

ContinuousReplica::ContinuousReplica(const ReplicaContext& context)
    : Replica(context),
      rules_(context.pool.batching),
      waking_(to_picoseconds(context.pool.placement.engine.idle_overhead_seconds)),
      longest_chunk_(rules_.chunked_prefill && rules_.long_prefill_token_threshold > 0
                         ? rules_.long_prefill_token_threshold
                         : INT32_MAX),
      reserve_(context.pool.kv.reserve_all),
      caching_(context.pool.kv.prefix_caching),
      ahead_(context.pool.placement.schedules_ahead()),
      when_preempted_(context.pool.kv.on_preemption == Kv::OnPreemption::keep
                          ? PrefixCache::Leave::preempted
                          : PrefixCache::Leave::dropped),
      block_tokens_(context.pool.kv.block_tokens),
      blocks_(context.pool.kv.blocks),
      watermark_(static_cast<std::int64_t>(context.pool.kv.watermark *
                                           static_cast<double>(context.pool.kv.blocks))),
      waiting_(context.pool, context.tenants),
      running_(sequences_),
      decoding_(sequences_, context.pool.kv.block_tokens),
      hold_(context.pool),
      cache_(context.pool.kv.block_tokens, context.pool.kv.blocks) {}

Outcome ContinuousReplica::enqueue(std::uint32_t slot, Time now) {
  Request& request = at_.requests[slot];
  RequestRecord& record = request.record;
  const Outcome outcome =
      admission_outcome(at_.pool, record, static_cast<std::int64_t>(in_queue()));
  if (outcome != Outcome::completed) return outcome;
  record.queued = now;
  waited_.change(now, in_queue());
  const bool may_join = waiting_.empty() || at_.pool.order != QueueOrder::fcfs || held_;
  if (!stepping_) {
    wait(slot, waiting_.virtual_time());
    if (wakes_ == kNever) {
      start_ = now;
      wakes_ = time_after(now, waking_);
    }
    at_.clock.wake(at_.entity, wakes_);
    return outcome;
  }
  const std::size_t behind = boundaries_behind(now);
  if (ahead_) {
    request.place = Request::kArriving;
    request.ticket = first_arrival_ + static_cast<std::int64_t>(arrivals_.size());
    arrivals_.push_back({slot, static_cast<std::int64_t>(behind), waiting_.virtual_time()});
  } else {
    wait(slot, waiting_.virtual_time());
  }
  if (may_join && running_.size() < rules_.max_num_seqs) {
    end_run_after(behind + (ahead_ ? 2 : 1));  // steps until it can be in one
  }
  return outcome;
}

bool ContinuousReplica::cancel(std::uint32_t slot, Time now) {
  const Request& request = at_.requests[slot];
  const bool waits = request.place == Request::kWaits || request.place == Request::kArriving ||
                     sequences_[request.place].state == Sequence::State::preempted;
  if (waits) {
    leave_queue(request, now);
  } else {
    cancelled_.push_back(request.place);
    end_run_after(boundaries_behind(now) + 1);
  }
  return waits;
}

/// Cuts the present run of steps short.
void ContinuousReplica::end_run_after(std::size_t steps) {
  if (!stepping_ || run_ <= steps) return;
  run_ = steps;
  at_.clock.wake(at_.entity, ends_[run_ - 1]);
}

void ContinuousReplica::on_wake(Time now) {
  if (stepping_) end_steps(now);
  plan(now);
}

void ContinuousReplica::settle(Time now) {
  std::int64_t held = decoding_.computed();
  for (std::uint32_t id = running_.first(); id != RunningOrder::kEnd; id = sequences_[id].next) {
    if (sequences_[id].state != Sequence::State::decoding) held += sequences_[id].computed;
  }
  ledger_.check(held);
  if (!stepping_) return report_waking(now);
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

std::int64_t ContinuousReplica::kv_blocks_used() const {
  std::int64_t used = used_;
  if (!stepping_ || reserve_) return used;
  const std::size_t behind = std::min(boundaries_behind(at_.clock.now()), run_ - 1);
  used += decoding_.blocks_needed(1, static_cast<std::int64_t>(behind));
  return used;
}

/// Step boundaries of the present run that lie behind the present instant.
std::size_t ContinuousReplica::boundaries_behind(Time now) const {
  const auto begin = ends_.begin(), end = begin + static_cast<std::ptrdiff_t>(run_);
  const auto at = at_.clock.passed(at_.entity) ? std::upper_bound(begin, end, now)
                                               : std::lower_bound(begin, end, now);
  return static_cast<std::size_t>(at - begin);
}

// ---- the end of a run of steps ----

void ContinuousReplica::end_steps(Time now) {
  stepping_ = false;
  take_steps(now);
  ended_.clear();
  for (std::uint32_t id; (id = decoding_.ended()) != DecodeSet::kNobody;) {
    decoding_.leave(id);
    ended_.push_back(id);
  }
  if (!chunks_.empty()) end_chunks(now);
  if (!cancelled_.empty()) end_cancelled();
  for (const std::uint32_t id : ended_) finish(id, now);
}

/// All steps of the run were taken, the last of them now.
void ContinuousReplica::take_steps(Time now) {
  report(now, now);
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
  if (!reserve_) allocate(decoding_.blocks_needed(1, static_cast<std::int64_t>(run_) - 1));
  decoding_.advance(static_cast<std::int64_t>(run_));
  steps_ += static_cast<std::int64_t>(run_);
  if (hold_.on()) hold_.pass(static_cast<std::int64_t>(run_) - 1);
  ledger_.computed += static_cast<std::int64_t>(run_) * decoding_.size();
}

void ContinuousReplica::end_chunks(Time now) {
  bool any_done = false;
  for (const Chunk& chunk : chunks_) {
    Sequence& s = sequences_[chunk.id];
    s.computed += chunk.tokens;
    ledger_.computed += chunk.tokens;
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
  std::erase_if(prefilling_,
                [&](std::uint32_t id) { return sequences_[id].computed == sequences_[id].target; });
  by_admission(ended_);
}

/// Those whose clients have gone leave like those that have their last token.
void ContinuousReplica::end_cancelled() {
  for (const std::uint32_t id : cancelled_) {
    const Sequence& s = sequences_[id];
    if (cached(s) == kv_tokens(s.prompt, s.output)) continue;  // it has
    if (s.state == Sequence::State::prefilling) {
      std::erase(prefilling_, id);
    } else if (s.state == Sequence::State::decoding) {
      decoding_.leave(id);
    } else {
      --stalled_;
    }
    ended_.push_back(id);
  }
  cancelled_.clear();
  by_admission(ended_);
}

void ContinuousReplica::by_admission(std::vector<std::uint32_t>& ids) const {
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sequences_[a].admission < sequences_[b].admission;
  });
}

void ContinuousReplica::finish(std::uint32_t id, Time now) {
  const Sequence& s = sequences_[id];
  const std::uint32_t slot = s.slot;
  const std::int64_t most = kv_tokens(s.prompt, s.output), tokens = cached(s);
  (tokens == most ? ledger_.delivered : ledger_.lost) += tokens;
  release(id, blocks_for(reserve_ ? most : tokens, block_tokens_), tokens,
          PrefixCache::Leave::finished);
  running_.remove(id);
  sequences_.give(id);
  at_.requests[slot].record.finished = now;
  at_.departures.depart(slot, now);
}

/// Tells of the steps from start_ to `end`, of which those until `now` are over.
void ContinuousReplica::report(Time end, Time now) {
  StepSpan span;
  span.replica = at_.index;
  span.start = start_;
  span.end = end;
  span.steps = static_cast<std::int32_t>(run_);
  span.decode_sequences = decoding_.size();
  span.prefill_sequences = static_cast<std::int32_t>(chunks_.size());
  span.prefill_tokens = shape_.prefill_tokens;
  span.waiting = left_out_;
  span.waiting_time = waited_.take(now, in_queue());
  span.slots = running_.size();
  span.kv_blocks = used_;
  if (alone_) {
    span.limits = *alone_;
  } else {
    StepShape middle = shape_;
    middle.decode_context += static_cast<std::int64_t>(run_ / 2) * shape_.decode_sequences;
    middle.decode_context_longest += static_cast<std::int64_t>(run_ / 2);
    span.limits = at_.cost->limits(middle) * static_cast<std::int64_t>(run_);
  }
  at_.observer.on_steps(clip(span, now));
}

/// Until now it woke up, if it did: its host's time, in which requests wait.
void ContinuousReplica::report_waking(Time now) {
  if (wakes_ == kNever || now == start_) return;
  at_.observer.on_steps(waking_span(at_, start_, now, waited_.take(now, in_queue()), in_queue()));
}

// ---- the next steps ----

void ContinuousReplica::plan(Time now) {
  report_waking(now);
  wakes_ = kNever;
  chunks_.clear();
  late_.clear();
  shape_ = {};
  held_ = false;
  budget_ = rules_.max_num_batched_tokens;
  let_in();
  bool preempted = false;
  if (!schedule_running()) preempted = walk_running(now);
  for (const Chunk& chunk : chunks_) make_known(chunk);
  if (!preempted) admit_waiting(now);
  if (running_.size() == 0 && !arrivals_.empty()) {  // nothing to run meanwhile: no step ahead
    let_in();
    admit_waiting(now);
  }
  const std::int32_t members = decoding_.size();
  if (members == 0 && chunks_.empty()) {
    assert(running_.size() == 0 && in_queue() == 0);
    return;
  }
  left_out_ = static_cast<std::int32_t>(in_queue());
  shape_.decode_sequences = members;
  shape_.decode_context = decoding_.computed() + members;
  shape_.decode_context_longest = members == 0 ? 0 : decoding_.longest() + 1;
  shape_.sampled += members;
  start_ = now;
  if (prefilling_.empty() && stalled_ == 0 && late_.empty() && !preempted && arrivals_.empty()) {
    run_ = longest_run();
    alone_.reset();
    at_.cost->decode_steps(members, shape_.decode_context, shape_.decode_context_longest,
                           static_cast<int>(run_), ends_.data());
    Time end = now;
    for (std::size_t i = 0; i < run_; ++i) ends_[i] = end = time_after(end, ends_[i]);
    if (const Time at = front_changes(now); at != kNever) run_ = boundaries_until(at);
  } else {
    run_ = 1;
    alone_ = at_.cost->limits(shape_);
    ends_[0] = time_after(now, alone_->total());
  }
  stepping_ = true;
  at_.clock.wake(at_.entity, ends_[run_ - 1]);
}

/// Steps of pure decode until a member ends or the KV blocks run out; the first has its blocks.
/// None that waits now can join before: what kept it out (slots, blocks, budget) only gets
/// scarcer, as long as the cache still has what it had; and who is held back is so for so many
/// steps, as long as there would be blocks for the first of them. After a preemption that does not
/// hold, as nobody was asked.
std::size_t ContinuousReplica::longest_run() {
  std::int64_t steps_at_most = std::min<std::int64_t>(kLongestRun, decoding_.steps_to_first_end());
  if (hold_.on()) steps_at_most = std::min(steps_at_most, hold_.alike());
  const auto limit = static_cast<std::size_t>(steps_at_most);
  if (reserve_) return limit;
  std::int64_t free = blocks_ - used_ - (held_ ? held_blocks_ : 0);
  if (caching_ && !waiting_.empty()) free = std::min(free, cache_.unknown_first());
  const auto steps = static_cast<std::int64_t>(limit);
  if (free >= (steps / block_tokens_ + 1) * decoding_.size()) return limit;
  for (std::size_t i = 1; i < limit; ++i) {
    free -= decoding_.blocks_needed(static_cast<std::int64_t>(i));
    if (free < 0) return i;
  }
  return limit;
}

/// When another that waits is the next, and there is a slot for it; kNever if that will not be.
Time ContinuousReplica::front_changes(Time now) const {
  return running_.size() < rules_.max_num_seqs ? waiting_.front_changes(now) : kNever;
}

/// Steps of the planned run up to the first end at or after `at`, at most all of them.
std::size_t ContinuousReplica::boundaries_until(Time at) const {
  const auto last = ends_.begin() + static_cast<std::ptrdiff_t>(run_) - 1;
  return static_cast<std::size_t>(std::lower_bound(ends_.begin(), last, at) - ends_.begin()) + 1;
}

std::unique_ptr<Replica> make_continuous_replica(const ReplicaContext& context) {
  return std::make_unique<ContinuousReplica>(context);
}

}  // namespace headway
