// Deadlines of requests: many timers behind one entity of the clock.
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/model/clock.hpp"

namespace headway {

/// Timers are not taken back: whoever set one looks, when it is due, whether it still means
/// something.
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
    timers_.push(timer);
    if (timers_.top().at == timer.at) clock_.wake(entity_, timer.at);
  }
  /// Takes the next timer that is due at `now`, in order of (time, life, kind); false, with the
  /// clock set for the next one, when there is none.
  bool take_due(Time now, Timer& due) {
    if (timers_.empty() || timers_.top().at > now) {
      clock_.wake(entity_, timers_.empty() ? kNever : timers_.top().at);
      return false;
    }
    due = timers_.top();
    timers_.pop();
    return true;
  }

 private:
  Clock& clock_;
  const Entity entity_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace headway
