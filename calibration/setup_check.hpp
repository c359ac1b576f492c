// Proves that a device can be measured: every operator right, and the rates that bound them all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/device.hpp"
#include "calibration/wall_clock.hpp"

namespace headway {

/// One operator of the check.
struct CheckedOperator {
  OperatorPoint point;
  bool passed = false, supported = true;
  double seconds = 0;                                 // median of a few runs
  double flops_per_second = 0, bytes_per_second = 0;  // 0: not counted
  Verification verification;
  std::string fault;  // why it did not pass, or is not supported
};

struct SetupCheck {
  std::vector<CheckedOperator> operators;
  double copy_bytes_per_second = 0;  // read and written; of the largest copy
  double gemm_flops_per_second = 0;  // of the largest product
  bool passed() const;               // all that are supported are right, and some are
};

/// Checks each operator in the sizes of one layer of an 8-billion-parameter model, within a minute
/// on anything faster than one core. Throws DeviceLost.
SetupCheck check_setup(MeasuringDevice& device, const std::function<bool()>& stopped);

/// The check as a table for people.
std::string setup_text(const MeasuringDevice& device, const SetupCheck& check);

}  // namespace headway
