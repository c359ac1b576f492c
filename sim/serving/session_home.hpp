// The replica that a conversation belongs to.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/available.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// Consistent hashing: each conversation has an order of its own over all replicas of the set, and
/// its home is the first of them that is available. So when a replica comes or goes, only the
/// conversations move whose home it becomes or was, and those of one that went spread over all.
/// (Rendezvous hashing, Thaler and Ravishankar 1998, but that the order is drawn place by place:
/// where most replicas are available, few have to be looked at.)
class SessionHome {
 public:
  /// Over these replicas, ascending, of which none is available yet.
  explicit SessionHome(std::vector<std::uint32_t> replicas)
      : replicas_(std::move(replicas)), is_(replicas_.back() - replicas_.front() + 1, false) {}

  void set(std::uint32_t replica, bool available) {
    available_.set(replica, available);
    is_[replica - replicas_.front()] = available;
  }
  /// At least one is available.
  std::uint32_t of(std::uint64_t conversation) const {
    for (std::uint64_t place = 1; place <= kDrawn; ++place) {
      const std::uint64_t bits = mix64(conversation + place * 0x9e3779b97f4a7c15ULL);
      const auto index =
          static_cast<std::size_t>((static_cast<unsigned __int128>(bits) * replicas_.size()) >> 64);
      if (is_[replicas_[index] - replicas_.front()]) return replicas_[index];
    }
    // Few of many are available: the rest of the order is by a hash of both.
    std::uint32_t home = available_[0];
    std::uint64_t largest = 0;
    for (const std::uint32_t replica : available_) {
      const std::uint64_t bits = mix64(conversation ^ mix64(replica + 0xd1b54a32d192ed03ULL));
      if (bits < largest) continue;
      largest = bits;
      home = replica;
    }
    return home;
  }
  bool empty() const { return available_.empty(); }

 private:
  static constexpr std::uint64_t kDrawn = 256;  // of the order; half a microsecond
  std::vector<std::uint32_t> replicas_;
  Available available_;
  std::vector<bool> is_;  // available; by replica, from the first of the set on
};

}  // namespace headway
