// The decoding sequences of a replica, kept so that a step of all of them costs nothing per
// sequence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/model/sequence.hpp"
#include "sim/model/slot_pool.hpp"

namespace headway {

/// Each step every member computes one token. A step counter stands for all of them: a member joins
/// with base = computed − steps, needs a new KV block in the next step when (base + steps) is a
/// multiple of the block, and ends at a step number known when it joins.
class DecodeSet {
 public:
  DecodeSet(SlotPool<Sequence>& sequences, std::int32_t block_tokens)
      : sequences_(sequences),
        block_tokens_(block_tokens),
        residues_(static_cast<std::size_t>(block_tokens), 0) {}

  std::int32_t size() const { return size_; }
  std::int64_t steps() const { return steps_; }
  /// Σ over the members of tokens in the KV cache.
  std::int64_t computed() const { return computed_; }
  /// The largest of those numbers; the set is not empty.
  std::int64_t longest() {
    if (front_.finish_step <= steps_) [[unlikely]]
      find_longest();
    return front_.base + steps_;
  }
  std::int32_t computed(const Sequence& s) const {
    return static_cast<std::int32_t>(s.base + steps_);
  }
  /// Output tokens so far of a member: the last one has no KV entry yet.
  std::int32_t generated(const Sequence& s) const { return computed(s) - s.prompt + 1; }

  /// Members that need a new block in the step `ahead` steps from now (0: the next).
  std::int32_t blocks_needed(std::int64_t ahead) const {
    std::int64_t r = phase_ + ahead % block_tokens_;
    if (r >= block_tokens_) r -= block_tokens_;
    return residues_[static_cast<std::size_t>(r == 0 ? 0 : block_tokens_ - r)];
  }
  /// Blocks that all members together need in the `count` steps from `ahead` steps from now on.
  std::int64_t blocks_needed(std::int64_t ahead, std::int64_t count) const {
    std::int64_t blocks = count / block_tokens_ * size_;
    for (std::int64_t i = count % block_tokens_; i > 0; --i) blocks += blocks_needed(ahead++);
    return blocks;
  }
  /// Steps until the first member ends; the set is not empty.
  std::int64_t steps_to_first_end() {
    drop_outdated();
    return ends_.front().step - steps_;
  }

  /// The sequence, which has `computed` tokens cached and `generated` given out, decodes from the
  /// next step on.
  void join(std::uint32_t id, std::int32_t computed, std::int32_t generated) {
    Sequence& s = sequences_[id];
    s.state = Sequence::State::decoding;
    s.base = computed - steps_;
    s.finish_step = steps_ + (s.output - generated);
    ++residues_[residue(s)];
    ++size_;
    computed_ += computed;
    ends_.push_back({s.finish_step, s.admission, id, s.version});
    std::push_heap(ends_.begin(), ends_.end(), later);
    if (s.finish_step > front_.finish_step || s.base > front_.base) {
      note_longest({s.base, s.finish_step});
    }
  }
  /// The member stops decoding (ended, preempted, stalled); its state is the caller's to set.
  void leave(std::uint32_t id) {
    Sequence& s = sequences_[id];
    --residues_[residue(s)];
    --size_;
    computed_ -= computed(s);
    if (s.finish_step > steps_) {
      left_early_ = true;
      front_ = {INT64_MAX, INT64_MIN};  // outdated, and nothing is longer
    }
    ++s.version;
  }
  /// All members took this many steps.
  void advance(std::int64_t count) {
    steps_ += count;
    phase_ = (phase_ + count) % block_tokens_;
    computed_ += count * size_;
  }
  /// A member whose last step was the latest, by admission, or kNobody.
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  std::uint32_t ended() {
    drop_outdated();
    return ends_.empty() || ends_.front().step > steps_ ? kNobody : ends_.front().id;
  }

 private:
  struct End {
    std::int64_t step, admission;
    std::uint32_t id, version;
  };
  static bool later(const End& a, const End& b) {
    return a.step != b.step ? a.step > b.step : a.admission > b.admission;
  }
  struct Longest {
    std::int64_t base, finish_step;
  };
  /// Notes a member unless another is as long and stays as long.
  void note_longest(Longest member) {
    if (left_early_) return;
    const auto first = longest_.begin() + ended_longest_;
    auto place = longest_.end();
    while (place != first && (place - 1)->base < member.base) --place;
    if (place != first && (place - 1)->finish_step >= member.finish_step) return;
    const auto stays_longer = std::find_if(place, longest_.end(), [&](const Longest& other) {
      return other.finish_step > member.finish_step;
    });
    longest_.insert(longest_.erase(place, stays_longer), member);
    front_ = longest_[static_cast<std::size_t>(ended_longest_)];
  }
  void find_longest() {
    if (left_early_) {
      left_early_ = false;
      longest_.clear();
      ended_longest_ = 0;
      for (const End& end : ends_) {
        if (!outdated(end)) note_longest({sequences_[end.id].base, end.step});
      }
    }
    while (longest_[static_cast<std::size_t>(ended_longest_)].finish_step <= steps_) {
      ++ended_longest_;
    }
    if (ended_longest_ > 32) {
      longest_.erase(longest_.begin(), longest_.begin() + ended_longest_);
      ended_longest_ = 0;
    }
    front_ = longest_[static_cast<std::size_t>(ended_longest_)];
  }
  std::size_t residue(const Sequence& s) const {
    const std::int64_t r = s.base % block_tokens_;
    return static_cast<std::size_t>(r < 0 ? r + block_tokens_ : r);
  }
  bool outdated(const End& end) const { return sequences_[end.id].version != end.version; }
  void drop_outdated() {
    while (!ends_.empty() && outdated(ends_.front())) {
      std::pop_heap(ends_.begin(), ends_.end(), later);
      ends_.pop_back();
    }
  }

  SlotPool<Sequence>& sequences_;
  std::int64_t block_tokens_;
  std::vector<std::int32_t> residues_;  // members by base modulo the block
  std::int64_t steps_ = 0, phase_ = 0;  // phase: steps modulo the block
  std::int64_t computed_ = 0;
  std::int32_t size_ = 0;
  std::vector<End> ends_;  // a heap: the earliest end in front
  // The longest member, the longest of those that end after it, and so on, behind some that have
  // ended; found anew after a member left before its end.
  std::vector<Longest> longest_;
  std::ptrdiff_t ended_longest_ = 0;
  Longest front_{INT64_MIN, INT64_MIN};  // the longest member, until it ends
  bool left_early_ = false;
};

}  // namespace headway
