// Asks a run's watcher, now and then, whether to go on.
#pragma once

#include <chrono>
#include <cstdint>

#include "sim/engine/engine.hpp"
#include "sim/model/system.hpp"

namespace headway {

class ProgressPoll {
 public:
  explicit ProgressPoll(const OnProgress& on_progress) : on_progress_(on_progress) {}

  /// Called after every event: looks at the wall clock once for 256 events and requests (one event
  /// may send a million users' requests). False: end the run.
  bool go_on(const System& system) {
    const std::int64_t work = ++events_ + system.offered();
    if (work < next_look_ || !on_progress_) return true;
    next_look_ = work + 256;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(10)) return true;
    last_ = now;
    return on_progress_(system.progress());
  }
  std::int64_t events() const { return events_; }

 private:
  const OnProgress& on_progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::int64_t events_ = 0, next_look_ = 256;
};

}  // namespace headway
