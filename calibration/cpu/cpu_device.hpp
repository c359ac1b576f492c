// The machine's own CPU as a device: one core, weights and KV caches in bf16, products in float.
#pragma once

#include <memory>

#include "calibration/device.hpp"

namespace headway {

/// Opens it. Operators: all but latent attention and collectives; format "bf16". A point may take
/// 2 GiB, or a quarter of the memory where that is less.
std::unique_ptr<MeasuringDevice> open_cpu_device();

}  // namespace headway
