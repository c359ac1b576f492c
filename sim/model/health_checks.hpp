// Whether the router believes that a replica takes requests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/scenario/traffic.hpp"

namespace headway {

/// All replicas are looked at at each multiple of the interval, by an entity of the clock. What is
/// announced, a replica that drains or that is ready at the start, is known at once; a replica that
/// fails, or is ready later, when so many looks in a row have found it so. Until then the router
/// sends requests to a replica that is gone, or none to one that is there.
///
/// Nothing is looked at while everything is as it is believed to be.
class HealthChecks {
 public:
  HealthChecks(const HealthCheck& rules, std::uint32_t replicas, Clock& clock, Entity entity)
      : rules_(rules),
        interval_(to_picoseconds(rules.interval_seconds)),
        clock_(clock),
        entity_(entity),
        replicas_(interval_ > 0 ? replicas : 0) {}

  /// Whether there are any; else all is known at once.
  bool given() const { return interval_ > 0; }

  /// The replica takes requests from now on, or no more. Whether what the router believes changes
  /// at once.
  bool tell(std::uint32_t replica, bool up, bool announced, Time now) {
    State& state = replicas_[replica];
    state.up = up;
    if (announced) {
      state.in_a_row = 0;
      return std::exchange(state.believed, up) != up;
    }
    if (state.up != state.believed && !state.watched) {
      state.watched = true;
      if (watched_.empty()) look_again(now);
      watched_.push_back(replica);
    }
    return false;
  }

  /// The look that is due: the replicas of which the router believes otherwise from now on,
  /// ascending.
  std::vector<std::uint32_t> look(Time now) {
    std::vector<std::uint32_t> learned;
    std::erase_if(watched_, [&](std::uint32_t replica) {
      State& state = replicas_[replica];
      const bool differs = state.up != state.believed;
      state.in_a_row = differs ? state.in_a_row + 1 : 0;
      const bool learns =
          differs && state.in_a_row >= (state.up ? rules_.successes : rules_.failures);
      if (learns) {
        state.believed = state.up;
        state.in_a_row = 0;
        learned.push_back(replica);
      }
      state.watched = differs && !learns;
      return !state.watched;
    });
    if (!watched_.empty()) look_again(now);
    std::sort(learned.begin(), learned.end());
    return learned;
  }
  bool believed(std::uint32_t replica) const { return replicas_[replica].believed; }

 private:
  struct State {
    bool up = false, believed = false, watched = false;
    std::int32_t in_a_row = 0;  // looks that found it other than it is believed to be
  };
  void look_again(Time now) { clock_.wake(entity_, time_after(now, interval_ - now % interval_)); }

  const HealthCheck rules_;
  const Time interval_;
  Clock& clock_;
  const Entity entity_;
  std::vector<State> replicas_;
  std::vector<std::uint32_t> watched_;  // they are, or were, other than believed
};

}  // namespace headway
