// Deadlines of requests: many timers behind one entity of the clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "sim/model/clock.hpp"

namespace headway {

/// Timers are not taken back: whoever set one looks, when it is due, whether it still means
/// something, and has those forgotten that do not once they are many.
class Timers {
 public:
  enum class Kind : std::uint8_t { queue, first_token, total, hang_up, retry };
  struct Timer {
    Time at = 0;
    std::uint64_t life = 0;  // of the attempt that it was set for
    std::uint32_t slot = 0;
    Kind kind = Kind::queue;
    bool operator>(const Timer& other) const {
      return std::tie(at, life, kind) > std::tie(other.at, other.life, other.kind);
    }
  };

  Timers(Clock& clock, Entity entity) : clock_(clock), entity_(entity) {}

  /// At now() or later.
  void set(const Timer& timer) {
    timers_.push_back(timer);
    std::push_heap(timers_.begin(), timers_.end(), std::greater<>());
    if (timers_.front().at == timer.at) clock_.wake(entity_, timer.at);
  }
  /// Takes the next timer that is due at `now`, in order of (time, life, kind); false, with the
  /// clock set for the next one, when there is none.
  bool take_due(Time now, Timer& due) {
    if (timers_.empty() || timers_.front().at > now) {
      clock_.wake(entity_, timers_.empty() ? kNever : timers_.front().at);
      return false;
    }
    due = timers_.front();
    std::pop_heap(timers_.begin(), timers_.end(), std::greater<>());
    timers_.pop_back();
    return true;
  }
  /// There are far more than so many requests can have set: most of them mean nothing any more.
  bool too_many(std::size_t requests) const {
    constexpr std::size_t kFew = 1024, kOfARequest = 4;
    return timers_.size() > kFew + 4 * kOfARequest * requests;
  }
  /// Takes those away for which `means_nothing(timer)`; the others come as they would have.
  template <class MeansNothing>
  void forget(MeansNothing means_nothing) {
    std::erase_if(timers_, means_nothing);
    std::make_heap(timers_.begin(), timers_.end(), std::greater<>());
  }

 private:
  Clock& clock_;
  const Entity entity_;
  std::vector<Timer> timers_;  // a heap, the next one first
};

}  // namespace headway
