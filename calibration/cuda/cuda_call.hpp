// Every call of CUDA and its libraries is checked: what went wrong, in which expression and where,
// and whether one point or the whole device is concerned.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "calibration/device.hpp"

namespace headway {

/// What a status of the CUDA runtime means for a calibration.
enum class CudaConsequence {
  fine,
  out_of_memory,  // the point's buffers do not fit; others may
  unsupported,    // no kernel for this card or this launch; others may run
  device_lost     // the context is broken: nothing runs any more in this process
};
CudaConsequence consequence_of(cudaError_t status);

/// Throws PointError or DeviceLost, by the consequence, with the driver's words, the expression and
/// its place. Clears the runtime's last error where the device goes on.
void check_cuda(cudaError_t status, const char* expression, const char* file, int line);

/// For the libraries over the runtime: throws PointError with the fault given, unless the runtime
/// says that the device is lost.
[[noreturn]] void library_failed(PointFault fault, const std::string& status,
                                 const char* expression, const char* file, int line);

/// After a device was lost nothing is freed: the driver would wait for ever.
bool device_is_lost();
/// Sets that, and throws DeviceLost.
[[noreturn]] void lose_device(const std::string& text);

}  // namespace headway

#define HEADWAY_CUDA(expression) \
  ::headway::check_cuda((expression), #expression, __FILE__, __LINE__)
