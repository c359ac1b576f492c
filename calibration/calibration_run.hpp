// A plan measured under a time budget, most valuable points first.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "calibration/device.hpp"
#include "calibration/measurement.hpp"
#include "calibration/sample.hpp"
#include "calibration/wall_clock.hpp"

namespace headway {

struct CalibrationLimits {
  double budget_seconds = std::numeric_limits<double>::infinity();
  double timeout_seconds = 10;  // of a single run
  StoppingRule stopping;
  ThrottleRule throttle;
};

/// How far a run is, before each point.
struct CalibrationProgress {
  std::int64_t done = 0, total = 0;  // points, those found when resuming included
  double elapsed_seconds = 0;
  double left_seconds = 0;  // by the points so far, at most what is left of the budget
  const OperatorPoint* point = nullptr;
};

/// Points that have no time, and why.
struct CalibrationMiss {
  OperatorPoint point;
  PointFault fault = PointFault::unsupported;
  std::string text;
};

enum class CalibrationEnd {
  finished,     // every point of the plan was tried
  budget,       // the time was up
  interrupted,  // the user ended it
  device_lost   // the device answers no more
};

struct CalibrationOutcome {
  std::int64_t total = 0;     // points of the plan
  std::int64_t found = 0;     // of them, measured before
  std::int64_t measured = 0;  // now
  std::int64_t dropped_samples = 0;
  std::vector<CalibrationMiss> misses;
  CalibrationEnd end = CalibrationEnd::finished;
  std::string lost;  // what the lost device said
};

/// What a run tells while it goes on.
struct CalibrationListener {
  std::function<void(const Sample&)> sample;
  std::function<void(const CalibrationProgress&)> progress;
  std::function<bool()> stopped;  // true: end as soon as possible
};

/// Measures the points of the plan that are not among `found`, each within its share of the budget,
/// 20 ms at least. Samples are told one by one, so that
/// they are on the disk whatever comes next. The budget is looked at between runs, too.
CalibrationOutcome run_calibration(MeasuringDevice& device, const std::vector<OperatorPoint>& plan,
                                   const std::vector<Sample>& found,
                                   const CalibrationLimits& limits, WallClock& clock,
                                   const CalibrationListener& listener);

}  // namespace headway
