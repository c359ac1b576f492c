// Who is in the next step of a fast continuous replica, and the KV blocks for it.
#include <algorithm>

#include "sim/model/continuous_replica.hpp"
#include "sim/serving/admission.hpp"
#include "sim/serving/queue_order.hpp"

namespace headway {

void ContinuousReplica::wait(std::uint32_t slot, std::int64_t virtual_time) {
  Request& request = at_.requests[slot];
  request.place = Request::kWaits;
  request.ticket = waiting_.push(request.queued(), virtual_time, slot);
}

/// At the end of a run: who came before its last step began may be in the next one. Called again
/// at the same boundary it lets everybody in.
void ContinuousReplica::let_in() {
  const auto last = static_cast<std::int64_t>(run_) - 1;
  auto left = arrivals_.begin();
  for (; left != arrivals_.end() && left->behind < last; ++left) {
    if (left->slot == kGone) {
      --arrivals_gone_;
    } else {
      wait(left->slot, left->virtual_time);
    }
  }
  first_arrival_ += left - arrivals_.begin();
  arrivals_.erase(arrivals_.begin(), left);
  for (Arrival& arrival : arrivals_) arrival.behind = -1;
}

/// The request, which waits, leaves the queue. Who stood behind it may be in the next step.
void ContinuousReplica::leave_queue(const Request& request, Time now) {
  waited_.change(now, in_queue());
  if (request.place == Request::kArriving) {
    arrivals_[static_cast<std::size_t>(request.ticket - first_arrival_)].slot = kGone;
    ++arrivals_gone_;
    return;
  }
  const bool was_next = waiting_.front(now).ticket == request.ticket;
  waiting_.erase(request.ticket);
  if (request.place != Request::kWaits) sequences_.give(request.place);
  if (was_next || held_) end_run_after(boundaries_behind(now) + 1);
}

void ContinuousReplica::collect(std::vector<std::uint32_t>& slots) const {
  waiting_.each([&](const WaitingQueue::Entry& entry) { slots.push_back(entry.slot); });
  for (const Arrival& arrival : arrivals_) {
    if (arrival.slot != kGone) slots.push_back(arrival.slot);
  }
  for (std::uint32_t id = running_.first(); id != RunningOrder::kEnd; id = sequences_[id].next) {
    slots.push_back(sequences_[id].slot);
  }
}

std::int32_t ContinuousReplica::next_chunk(const Sequence& s, std::int32_t budget) const {
  return std::min({s.target - s.computed, budget, longest_chunk_});
}
std::int64_t ContinuousReplica::chunk_blocks(const Sequence& s, std::int32_t chunk) const {
  if (reserve_) return 0;
  return blocks_for(s.computed + chunk, block_tokens_) - blocks_for(s.computed, block_tokens_);
}
void ContinuousReplica::add_chunk(std::uint32_t id, std::int32_t chunk) {
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
bool ContinuousReplica::schedule_running() {
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
  allocate(blocks);
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
bool ContinuousReplica::walk_running(Time now) {
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
    allocate(blocks);
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

std::int64_t ContinuousReplica::token_blocks(const Sequence& s) const {
  if (reserve_) return 0;
  return cached(s) % block_tokens_ == 0 ? 1 : 0;
}
std::int32_t ContinuousReplica::cached(const Sequence& s) const {
  return s.state == Sequence::State::decoding ? decoding_.computed(s) : s.computed;
}

void ContinuousReplica::stall(std::uint32_t id, Time now) {
  Sequence& s = sequences_[id];
  s.computed = decoding_.computed(s);
  decoding_.leave(id);
  s.state = Sequence::State::stalled;
  s.last_token = now;
  ++stalled_;
}

/// Takes all blocks of a running sequence and puts it back into the queue, to be computed anew.
void ContinuousReplica::preempt(std::uint32_t id, Time now) {
  Sequence& s = sequences_[id];
  const std::int32_t tokens = cached(s);
  ledger_.lost += tokens;
  release(id, blocks_for(tokens, block_tokens_), tokens, when_preempted_);
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
  Request& request = at_.requests[s.slot];
  ++request.record.preemptions;
  waited_.change(now, in_queue());
  request.ticket = waiting_.push_preempted(
      {s.queue_rank, request.ticket, s.slot, id, request.tenant, 0, request.record.queued});
  at_.observer.on_preemption(now, at_.index);
}

/// Tokens to compute before the request's next one: its prompt, and what it had before it was
/// preempted.
inline std::int32_t ContinuousReplica::target(const WaitingQueue::Entry& entry) const {
  return entry.sequence == WaitingQueue::Entry::kFresh
             ? at_.requests[entry.slot].record.input_tokens
             : sequences_[entry.sequence].target;
}

/// Whether the budget and the blocks allow the front request; if so, what it takes. Its last token
/// is always computed, whatever the cache has.
inline bool ContinuousReplica::fits(const WaitingQueue::Entry& entry, Intake& in) const {
  const Request& request = at_.requests[entry.slot];
  const RequestRecord& record = request.record;
  const std::int32_t wanted = target(entry);
  if (caching_) in.hit = cache_.find(request.content, (wanted - 1) / block_tokens_);
  const auto found = static_cast<std::int32_t>(in.hit.blocks * block_tokens_);
  if (!rules_.chunked_prefill && wanted - found > budget_) return false;
  in.chunk = std::min({wanted - found, budget_, longest_chunk_});
  in.blocks = blocks_for(reserve_ ? kv_tokens(record.input_tokens, record.output_tokens)
                                  : std::int64_t{found} + in.chunk,
                         block_tokens_) -
              in.hit.blocks;
  in.free = in.blocks + in.hit.idle + (running_.size() > 0 ? watermark_ : 0);
  return in.free <= blocks_ - used_;
}

/// Whether those that wait are held out of the step that is being planned.
bool ContinuousReplica::holds_back(Time now) {
  PromptHold::Step step{.decodes = decoding_.size()};
  const std::int32_t slots = rules_.max_num_seqs - running_.size();
  if (!waiting_.empty() && budget_ > 0 && slots > 0) {
    if (Intake next; fits(waiting_.front(now), next)) {
      held_blocks_ = next.free;
      step.prompts = std::min<std::int64_t>(slots, static_cast<std::int64_t>(waiting_.size()));
      step.tokens = step_tokens(step.prompts);
    }
  }
  const bool out = !hold_.lets_in(step);
  held_ = out && step.prompts > 0;
  return out;
}

/// Tokens of the step that is being planned with the whole of the first `prompts` that wait, or
/// more than enough for them to be let in. Without chunks, those behind one that does not fit are
/// not counted.
std::int64_t ContinuousReplica::step_tokens(std::int64_t prompts) const {
  std::int64_t tokens = rules_.max_num_batched_tokens - budget_;
  waiting_.each_until([&](const WaitingQueue::Entry& entry) {
    if (prompts-- == 0 || tokens >= hold_.enough_tokens()) return false;
    const std::int32_t more = target(entry);
    if (!rules_.chunked_prefill && tokens + more > rules_.max_num_batched_tokens) return false;
    tokens += more;
    return true;
  });
  return tokens;
}

void ContinuousReplica::admit_waiting(Time now) {
  if (hold_.on() && holds_back(now)) return;
  while (!waiting_.empty() && budget_ > 0 && running_.size() < rules_.max_num_seqs) {
    if (!admit_next(now)) break;
  }
}

/// Admits the front request if the budget and the blocks allow it.
bool ContinuousReplica::admit_next(Time now) {
  const WaitingQueue::Entry entry = waiting_.front(now);
  Intake in;
  if (!fits(entry, in)) return false;
  waited_.change(now, in_queue());
  const WaitingQueue::Entry taken = waiting_.pop(now);
  const bool fresh = entry.sequence == WaitingQueue::Entry::kFresh;
  Request& request = at_.requests[entry.slot];
  const std::uint32_t id = fresh ? new_sequence(taken, now) : taken.sequence;
  if (caching_) cache_.take(id, request.content, in.hit);
  used_ += in.hit.idle;
  allocate(in.blocks);
  const auto found = static_cast<std::int32_t>(in.hit.blocks * block_tokens_);
  ledger_.hit += found;
  if (fresh) request.record.prefix_hit_tokens = found;
  Sequence& s = sequences_[id];
  s.state = Sequence::State::prefilling;
  s.computed = found;
  s.admission = next_admission_++;
  running_.insert(id);
  const auto behind =
      std::find_if(prefilling_.rbegin(), prefilling_.rend(),
                   [&](std::uint32_t other) { return sequences_[other].rank <= s.rank; });
  prefilling_.insert(behind.base(), id);
  add_chunk(id, in.chunk);
  make_known(chunks_.back());
  return true;
}

std::uint32_t ContinuousReplica::new_sequence(const WaitingQueue::Entry& entry, Time now) {
  Request& request = at_.requests[entry.slot];
  request.record.started = now;
  const std::uint32_t id = sequences_.take();
  Sequence& s = sequences_[id];
  s.slot = entry.slot;
  request.place = id;
  s.prompt = s.target = request.record.input_tokens;
  s.output = request.record.output_tokens;
  s.rank = running_rank(at_.pool.order, request.priority);
  s.queue_rank = entry.rank;
  s.last_token = kNever;
  return id;
}

// ---- KV blocks ----

void ContinuousReplica::allocate(std::int64_t blocks) {
  used_ += blocks;
  if (caching_) cache_.allocate(blocks);
}

/// Other requests may find what the chunk computes from the same step on.
void ContinuousReplica::make_known(const Chunk& chunk) {
  if (!caching_) return;
  const Sequence& s = sequences_[chunk.id];
  const Content& content = at_.requests[s.slot].content;
  if (s.computed >= content.shared_tokens()) return;
  cache_.add(chunk.id, content, s.computed / block_tokens_,
             (s.computed + chunk.tokens) / block_tokens_);
}

/// Gives the sequence's blocks back, which hold `computed` tokens.
void ContinuousReplica::release(std::uint32_t id, std::int64_t blocks, std::int64_t computed,
                                PrefixCache::Leave leave) {
  if (caching_) {
    const Content& content = at_.requests[sequences_[id].slot].content;
    blocks = cache_.release(id, content, blocks, computed / block_tokens_, leave);
  }
  used_ -= blocks;
}

}  // namespace headway
