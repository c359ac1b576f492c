#include "calibration/calibration_run.hpp"

#include <algorithm>

namespace headway {

namespace {

constexpr double kLeastPointSeconds = 0.02;

}  // namespace

CalibrationOutcome run_calibration(MeasuringDevice& device, const std::vector<OperatorPoint>& plan,
                                   const std::vector<Sample>& found,
                                   const CalibrationLimits& limits, WallClock& clock,
                                   const CalibrationListener& listener) {
  CalibrationOutcome outcome;
  outcome.total = static_cast<std::int64_t>(plan.size());
  std::vector<const OperatorPoint*> left;
  for (const OperatorPoint& point : plan) {
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const Sample& sample) { return sample.point == point; });
    if (known)
      ++outcome.found;
    else
      left.push_back(&point);
  }

  const double begin = clock.now();
  const auto over_budget = [&] { return clock.now() - begin >= limits.budget_seconds; };
  Measurement measurement(device, clock, limits.stopping, limits.throttle, limits.timeout_seconds,
                          [&] { return listener.stopped() || over_budget(); });
  const auto ended = [&] {
    return listener.stopped() ? CalibrationEnd::interrupted : CalibrationEnd::budget;
  };
  for (std::size_t index = 0; index < left.size(); ++index) {
    if (listener.stopped() || over_budget()) {
      outcome.end = ended();
      break;
    }
    CalibrationProgress progress;
    progress.done = outcome.found + static_cast<std::int64_t>(index);
    progress.total = outcome.total;
    progress.elapsed_seconds = clock.now() - begin;
    progress.left_seconds = limits.budget_seconds - progress.elapsed_seconds;
    if (index > 0)
      progress.left_seconds =
          std::min(progress.left_seconds, progress.elapsed_seconds / static_cast<double>(index) *
                                              static_cast<double>(left.size() - index));
    progress.point = left[index];
    listener.progress(progress);
    try {
      const double share = (limits.budget_seconds - progress.elapsed_seconds) /
                           static_cast<double>(left.size() - index);
      listener.sample(measurement.measure(*left[index], std::max(kLeastPointSeconds, share)));
      ++outcome.measured;
    } catch (const PointError& error) {
      outcome.misses.push_back({*left[index], error.fault(), error.what()});
    } catch (const DeviceLost& error) {
      outcome.end = CalibrationEnd::device_lost;
      outcome.lost = error.what();
      break;
    } catch (const Measurement::Stopped&) {
      outcome.end = ended();
      break;
    }
  }
  outcome.dropped_samples = measurement.dropped();
  return outcome;
}

}  // namespace headway
