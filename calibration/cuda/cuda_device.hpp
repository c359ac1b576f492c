// A CUDA card as a device that measures: cuBLASLt products, cuDNN attention of prompts, paged
// decode attention and grouped expert products of our own, NCCL collectives.
#pragma once

#include <memory>

#include "calibration/device.hpp"

namespace headway {

/// Opens the card of that number, 0 or more. Throws CalibrationFailure "no CUDA device: …" where
/// there is no driver, no such card, or one of a compute capability below 8.0.
std::unique_ptr<MeasuringDevice> open_cuda_device(int index);

}  // namespace headway
