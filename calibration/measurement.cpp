#include "calibration/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace headway {

Measurement::Measurement(MeasuringDevice& device, WallClock& clock, StoppingRule stopping,
                         ThrottleRule throttle, double timeout_seconds,
                         std::function<bool()> stopped)
    : device_(device),
      clock_(clock),
      stopping_(stopping),
      throttle_(throttle),
      timeout_seconds_(timeout_seconds),
      stopped_(std::move(stopped)) {}

bool Measurement::low(const ClockState& state) const {
  return state.throttled ||
         (state.hz > 0 && first_hz_ > 0 && state.hz < (1 - throttle_.relative_drop) * first_hz_);
}

void Measurement::wait_for_clock(double& waited) {
  do {
    if (stopped_()) throw Stopped{};
    if (waited >= throttle_.most_wait_seconds)
      throw PointError(PointFault::throttled,
                       fmt::format("the clock stayed low for {:.0f} s (first sample: {:.0f} MHz)",
                                   waited, first_hz_ / 1e6));
    clock_.wait(throttle_.wait_seconds);
    waited += throttle_.wait_seconds;
  } while (low(device_.clock()));
}

Sample Measurement::measure(const OperatorPoint& point, double most_seconds) {
  const std::unique_ptr<PreparedOperator> prepared = device_.prepare(point);
  StoppingRule stopping = stopping_;
  stopping.most_seconds = std::min(stopping.most_seconds, most_seconds);
  const double begin = clock_.now();
  for (std::int32_t run = 0; run < stopping.warm_up_runs; ++run) {
    if (stopped_()) throw Stopped{};
    prepared->run_once(timeout_seconds_);
  }
  std::vector<double> seconds;
  double clocks = 0, waited = 0;
  while (!stopping.done(seconds, clock_.now() - begin - waited)) {
    if (stopped_()) throw Stopped{};
    const double run = prepared->run_once(timeout_seconds_);
    const ClockState state = device_.clock();
    if (first_hz_ <= 0 && !state.throttled) first_hz_ = state.hz;
    if (low(state)) {
      ++dropped_;
      wait_for_clock(waited);
      prepared->run_once(timeout_seconds_);  // warm again
      continue;
    }
    seconds.push_back(run);
    clocks += state.hz;
  }
  Sample sample;
  sample.point = point;
  sample.repeats = static_cast<std::int32_t>(seconds.size());
  sample.clock_hz = clocks / static_cast<double>(seconds.size());
  const MedianInterval interval = median_interval(std::move(seconds));
  sample.seconds = interval.median;
  sample.spread_seconds = interval.known ? interval.half_width() : 0;
  return sample;
}

}  // namespace headway
