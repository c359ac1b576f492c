#include "calibration/cuda/cudnn_descriptor.hpp"

#include <array>
#include <string>

#include "calibration/cuda/cuda_call.hpp"

namespace headway {

void check_cudnn(cudnnStatus_t status, const char* expression, const char* file, int line) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> words{};
  cudnnGetLastErrorString(words.data(), words.size());
  std::string text = cudnnGetErrorString(status);
  if (words.front() != '\0') text += ": " + std::string(words.data());
  library_failed(
      status == CUDNN_STATUS_ALLOC_FAILED ? PointFault::out_of_memory : PointFault::unsupported,
      text, expression, file, line);
}

CudnnLibrary::CudnnLibrary(cudaStream_t stream) {
  HEADWAY_CUDNN(cudnnCreate(&handle_));
  HEADWAY_CUDNN(cudnnSetStream(handle_, stream));
}

CudnnLibrary::~CudnnLibrary() {
  if (!device_is_lost()) cudnnDestroy(handle_);
}

}  // namespace headway
