// The replicas of a router's set that can be picked now.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headway {

/// Ascending numbers: equal histories give equal orders.
class Available {
 public:
  void set(std::uint32_t replica, bool available) {
    const auto place = std::lower_bound(replicas_.begin(), replicas_.end(), replica);
    const bool is = place != replicas_.end() && *place == replica;
    if (available && !is) replicas_.insert(place, replica);
    if (!available && is) replicas_.erase(place);
  }
  bool empty() const { return replicas_.empty(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(replicas_.size()); }
  std::uint32_t operator[](std::size_t index) const { return replicas_[index]; }
  auto begin() const { return replicas_.begin(); }
  auto end() const { return replicas_.end(); }

 private:
  std::vector<std::uint32_t> replicas_;
};

}  // namespace headway
