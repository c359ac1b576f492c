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
  double gemm_flops_per_second = 0;  // of the fastest product
  bool passed() const;               // all that are supported are right, and some are
};

/// Checks each operator in the sizes of one layer of an 8-billion-parameter model, within a minute
/// on anything faster than one core. Throws DeviceLost.
SetupCheck check_setup(MeasuringDevice& device, const std::function<bool()>& stopped);

/// A rate that bounds others, with what it is to be seen beside.
struct CheckedRate {
  std::string name;          // "copy", "products in fp8", "decode attention with a bf16 cache"
  double measured = 0;       // bytes or operations per second: the best of the check's points
  double ceiling = 0;        // 0: not known
  std::string ceiling_name;  // "data sheet", "copy"
  bool bytes = false;
};

/// Rates of copies and of products in each format beside the data sheet's, where the catalogue has
/// the device; of decode attention with each format of cache beside the rate of copies.
std::vector<CheckedRate> checked_rates(const MeasuringDevice& device, const SetupCheck& check);

/// The check as a table for people.
std::string setup_text(const MeasuringDevice& device, const SetupCheck& check);

}  // namespace headway
