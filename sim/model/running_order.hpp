// The running batch in its order: who gets tokens first, and who is preempted last.
#pragma once

#include <cstdint>

#include "sim/model/sequence.hpp"
#include "sim/model/slot_pool.hpp"

namespace headway {

/// A list through the sequences themselves, ascending by (rank, admission).
class RunningOrder {
 public:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  explicit RunningOrder(SlotPool<Sequence>& sequences) : sequences_(sequences) {}

  std::uint32_t first() const { return first_; }
  std::uint32_t last() const { return last_; }
  std::int32_t size() const { return size_; }

  /// The sequence has the largest admission so far.
  void insert(std::uint32_t id) {
    Sequence& s = sequences_[id];
    std::uint32_t before = last_;
    while (before != kEnd && sequences_[before].rank > s.rank) before = sequences_[before].previous;
    s.previous = before;
    s.next = before == kEnd ? first_ : sequences_[before].next;
    (s.previous == kEnd ? first_ : sequences_[s.previous].next) = id;
    (s.next == kEnd ? last_ : sequences_[s.next].previous) = id;
    ++size_;
  }
  void remove(std::uint32_t id) {
    const Sequence& s = sequences_[id];
    (s.previous == kEnd ? first_ : sequences_[s.previous].next) = s.next;
    (s.next == kEnd ? last_ : sequences_[s.next].previous) = s.previous;
    --size_;
  }

 private:
  SlotPool<Sequence>& sequences_;
  std::uint32_t first_ = kEnd, last_ = kEnd;
  std::int32_t size_ = 0;
};

}  // namespace headway
