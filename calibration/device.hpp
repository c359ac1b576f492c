// What measures: a device that prepares operators of given shapes, proves that their results are
// right, and times single runs. Backends: calibration/cpu, calibration/cuda; tests script their
// own.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "calibration/calibration_error.hpp"
#include "calibration/sample.hpp"

namespace headway {

/// Who measures: goes into the header of the samples file.
struct DeviceIdentity {
  std::string gpu;     // catalogue name where the backend knows it, "cpu", or ""
  std::string device;  // as the driver names it: "NVIDIA H100 80GB HBM3"
  std::string engine;  // whose kernels: "headway-cpu 0.1.0", "headway-cuda 0.1.0"
  std::string driver;  // versions of driver and libraries, free text
};

/// State of the multiprocessors' clock at one moment.
struct ClockState {
  double hz = 0;           // 0: not known
  bool throttled = false;  // the driver says that temperature or power holds the clock down
};

/// Why a point has no time.
enum class PointFault {
  unsupported,    // a shape, format or operator that the backend has no kernel for
  out_of_memory,  // its buffers do not fit
  wrong_result,   // the kernel's result differs from the reference
  timed_out,      // a run did not end in time
  throttled       // the clock stayed low
};

/// "unsupported", "out of memory", "wrong result", "timed out", "throttled".
const char* point_fault_name(PointFault fault);

/// One point cannot be measured; the others can.
class PointError : public std::runtime_error {
 public:
  PointError(PointFault fault, const std::string& text) : std::runtime_error(text), fault_(fault) {}
  PointFault fault() const { return fault_; }

 private:
  PointFault fault_;
};

/// The device answers no more: nothing further can be measured in this process.
class DeviceLost : public CalibrationFailure {
 public:
  using CalibrationFailure::CalibrationFailure;
};

/// How a result compared with a reference that was computed apart.
struct Verification {
  double error = 0;      // largest difference, relative to the largest magnitude of the reference
  double tolerance = 0;  // of that error, by the format's precision
  std::int64_t compared = 0;  // outputs compared: all, or a sample of large results
};

/// An operator with its buffers, ready to run.
class PreparedOperator {
 public:
  virtual ~PreparedOperator() = default;

  /// Seconds of one run, > 0, with caches as cold as between the layers of a model: the backend
  /// flushes them before, outside the time. Throws PointError timed_out for a run over
  /// `timeout_seconds`, DeviceLost.
  virtual double run_once(double timeout_seconds) = 0;

  /// What the comparison with the reference came to, before any timing.
  virtual Verification verification() const = 0;

  /// Floating-point operations and bytes moved by one run, for rates; 0: not counted.
  virtual double flops() const { return 0; }
  virtual double memory_bytes() const { return 0; }
};

/// A device. Used from one thread.
class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;

  virtual const DeviceIdentity& identity() const = 0;

  /// Formats of products and KV caches that it has kernels for: "bf16", "fp8".
  virtual std::vector<std::string> formats() const = 0;
  virtual std::vector<std::string> kv_formats() const = 0;

  /// Devices that collectives may run over, itself included; 1: none.
  virtual std::int32_t gpus() const { return 1; }

  /// Bytes that the buffers of one point may take.
  virtual double memory_limit_bytes() const = 0;

  /// Throws DeviceLost.
  virtual ClockState clock() = 0;

  /// Allocates and fills the buffers of a point, runs it once and compares the result with a
  /// reference. Throws PointError: unsupported, out_of_memory, wrong_result, timed_out; DeviceLost.
  virtual std::unique_ptr<PreparedOperator> prepare(const OperatorPoint& point) = 0;
};

/// Opens "cpu", "cuda:0", …, "cuda". Throws SampleError for any other name; CalibrationFailure "no
/// CUDA device: …" where there is none, and where this build has no CUDA backend.
std::unique_ptr<MeasuringDevice> open_device(const std::string& name);

}  // namespace headway
