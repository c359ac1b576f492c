// Records by dense number, in blocks that never move: no copy of a million records when one more
// comes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace headway {

template <class Record>
class SlotPool {
 public:
  /// A free slot, its record as the last user left it.
  std::uint32_t take() {
    ++live_;
    if (!free_.empty()) {
      const std::uint32_t slot = free_.back();
      free_.pop_back();
      return slot;
    }
    if (size_ == blocks_.size() << kShift) {
      blocks_.push_back(std::make_unique<Record[]>(std::size_t{1} << kShift));
    }
    return size_++;
  }
  void give(std::uint32_t slot) {
    --live_;
    free_.push_back(slot);
  }
  Record& operator[](std::uint32_t slot) { return blocks_[slot >> kShift][slot & kMask]; }
  const Record& operator[](std::uint32_t slot) const {
    return blocks_[slot >> kShift][slot & kMask];
  }
  std::size_t live() const { return live_; }
  /// Slots ever taken: every live one is below.
  std::uint32_t bound() const { return size_; }

 private:
  static constexpr unsigned kShift = 8;
  static constexpr std::uint32_t kMask = (1u << kShift) - 1;
  std::vector<std::unique_ptr<Record[]>> blocks_;
  std::vector<std::uint32_t> free_;
  std::uint32_t size_ = 0;
  std::size_t live_ = 0;
};

}  // namespace headway
