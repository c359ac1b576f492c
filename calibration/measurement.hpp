// One point measured: prepared, verified, warmed up, and timed until the stopping rule is met.
#pragma once

#include <functional>

#include "calibration/device.hpp"
#include "calibration/sample.hpp"
#include "calibration/stopping_rule.hpp"
#include "calibration/wall_clock.hpp"

namespace headway {

/// How samples under a lowered clock are told and waited out.
struct ThrottleRule {
  double relative_drop = 0.03;    // a clock lower than the first one by more than this
  double wait_seconds = 0.25;     // before looking at the clock again
  double most_wait_seconds = 20;  // of one point; then it is given up
};

/// Measures points of one device, one after the other.
class Measurement {
 public:
  /// `stopped` is asked between runs: true ends the point without a sample.
  Measurement(MeasuringDevice& device, WallClock& clock, StoppingRule stopping,
              ThrottleRule throttle, double timeout_seconds, std::function<bool()> stopped);

  /// The point's sample within `most_seconds`, or the rule's where that is less: median, half width
  /// of its interval (0 where too few samples tell one) and the mean clock. Throws PointError,
  /// DeviceLost, and Stopped.
  Sample measure(const OperatorPoint& point, double most_seconds);

  /// Thrown by measure() when `stopped` said so.
  struct Stopped {};

  /// Samples that were dropped so far because the clock was low.
  std::int64_t dropped() const { return dropped_; }

 private:
  bool low(const ClockState& state) const;
  void wait_for_clock(double& waited);

  MeasuringDevice& device_;
  WallClock& clock_;
  StoppingRule stopping_;
  ThrottleRule throttle_;
  double timeout_seconds_;
  std::function<bool()> stopped_;
  double first_hz_ = 0;  // the clock at the first sample of all; 0: not yet known
  std::int64_t dropped_ = 0;
};

}  // namespace headway
