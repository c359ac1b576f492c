// A device that does what a test wrote down, and a clock that only its runs and waits move.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "calibration/device.hpp"
#include "calibration/wall_clock.hpp"

namespace headway {

class ScriptedClock : public WallClock {
 public:
  double now() const override { return seconds; }
  void wait(double time) override {
    seconds += time;
    waited += time;
  }
  double seconds = 1000;
  double waited = 0;
};

class ScriptedDevice : public MeasuringDevice {
 public:
  explicit ScriptedDevice(ScriptedClock& clock) : clock_(clock) {
    identity_ = {"cpu", "scripted", "scripted 1", "none"};
  }

  /// Seconds of the run that has this number, from 0, counted over all points; may throw.
  std::function<double(const OperatorPoint&, std::int64_t run)> seconds =
      [](const OperatorPoint&, std::int64_t) { return 1e-3; };
  /// State of the clock after that many runs; may throw.
  std::function<ClockState(std::int64_t runs)> state = [](std::int64_t) { return ClockState{1e9}; };
  /// What preparing throws.
  std::function<void(const OperatorPoint&)> preparing = [](const OperatorPoint&) {};
  std::int64_t runs = 0;
  std::int64_t prepared = 0;

  const DeviceIdentity& identity() const override { return identity_; }
  std::vector<std::string> formats() const override { return {"bf16"}; }
  std::vector<std::string> kv_formats() const override { return {"bf16"}; }
  double memory_limit_bytes() const override { return 1e9; }
  ClockState clock() override { return state(runs); }
  std::unique_ptr<PreparedOperator> prepare(const OperatorPoint& point) override {
    ++prepared;
    preparing(point);
    return std::make_unique<Prepared>(*this, point);
  }

 private:
  class Prepared : public PreparedOperator {
   public:
    Prepared(ScriptedDevice& device, OperatorPoint point)
        : device_(device), point_(std::move(point)) {}
    double run_once(double timeout_seconds) override {
      const double time = device_.seconds(point_, device_.runs++);
      device_.clock_.seconds += time;
      if (time > timeout_seconds) throw PointError(PointFault::timed_out, "it hangs");
      return time;
    }
    Verification verification() const override { return {0, 1e-3, 1}; }

   private:
    ScriptedDevice& device_;
    OperatorPoint point_;
  };

  ScriptedClock& clock_;
  DeviceIdentity identity_;
};

inline OperatorPoint copy_of(std::int64_t bytes) {
  OperatorPoint point;
  point.op = "copy";
  point.bytes = bytes;
  return point;
}

}  // namespace headway
