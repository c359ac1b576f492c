// Real time, behind an interface that tests replace.
#pragma once

namespace headway {

class WallClock {
 public:
  virtual ~WallClock() = default;
  /// Seconds since some fixed moment; never goes back.
  virtual double now() const = 0;
  /// Waits that many seconds; returns early on a signal.
  virtual void wait(double seconds) = 0;
};

/// The machine's monotonic clock.
WallClock& system_clock();

}  // namespace headway
