#include "calibration/cuda/cuda_call.hpp"

#include <fmt/format.h>

#include <atomic>
#include <string_view>

namespace headway {

namespace {

std::atomic<bool> lost = false;

std::string place_text(const std::string& what, const char* expression, const char* file,
                       int line) {
  std::string_view name = file;
  name.remove_prefix(name.find_last_of('/') + 1);
  return fmt::format("{} in {} ({}:{})", what, expression, name, line);
}

}  // namespace

CudaConsequence consequence_of(cudaError_t status) {
  switch (status) {
    case cudaSuccess:
      return CudaConsequence::fine;
    case cudaErrorMemoryAllocation:
      return CudaConsequence::out_of_memory;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorNotSupported:
    case cudaErrorUnsupportedPtxVersion:
      return CudaConsequence::unsupported;
    default:
      return CudaConsequence::device_lost;
  }
}

bool device_is_lost() {
  return lost;
}

void lose_device(const std::string& text) {
  lost = true;
  throw DeviceLost(text);
}

void check_cuda(cudaError_t status, const char* expression, const char* file, int line) {
  const CudaConsequence consequence = consequence_of(status);
  if (consequence == CudaConsequence::fine) return;
  const std::string text =
      place_text(fmt::format("{}: {}", cudaGetErrorName(status), cudaGetErrorString(status)),
                 expression, file, line);
  if (consequence == CudaConsequence::device_lost) lose_device(text);
  cudaGetLastError();
  throw PointError(consequence == CudaConsequence::out_of_memory ? PointFault::out_of_memory
                                                                 : PointFault::unsupported,
                   text);
}

void library_failed(PointFault fault, const std::string& status, const char* expression,
                    const char* file, int line) {
  const std::string text = place_text(status, expression, file, line);
  const cudaError_t error = cudaGetLastError();
  if (consequence_of(error) == CudaConsequence::device_lost)
    lose_device(fmt::format("{}; {}", cudaGetErrorString(error), text));
  throw PointError(fault, text);
}

}  // namespace headway
