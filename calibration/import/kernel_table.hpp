// What a public kernel table says: its samples, and whose kernels they time on which device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/sample.hpp"
#include "models/architecture.hpp"

namespace headway {

/// One table as it was read.
struct KernelTable {
  std::string path;
  std::string engine;  // "vllm 0.24.0", in lower case; "" where any engine calls these kernels
  std::string device;  // as the driver names it, or ""
  std::string date;    // when measured, or ""
  std::vector<Sample> samples;
};

/// The model and tensor size behind a table of layer times that does not state shapes.
struct LayerModel {
  std::optional<Architecture> architecture;
  std::int32_t tensor = 0;  // GPUs; 0: not given
};

/// Reads a table of either public format; which one it is, its header line tells. Throws
/// SampleError and CalibrationFailure.
KernelTable read_kernel_table(const std::string& path, const LayerModel& model);

}  // namespace headway
