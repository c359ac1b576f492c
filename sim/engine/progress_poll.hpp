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

  /// Called after every event: looks at the wall clock every 256th time. False: end the run.
  bool go_on(const System& system) {
    if (++events_ % 256 != 0 || !on_progress_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(10)) return true;
    last_ = now;
    return on_progress_(system.progress());
  }
  std::int64_t events() const { return events_; }

 private:
  const OnProgress& on_progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::int64_t events_ = 0;
};

}  // namespace headway
