#include "calibration/cuda/cudnn_descriptor.hpp"

#include <array>

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

CudnnDescriptor cudnn_card(std::int32_t device_index) {
  CudnnDescriptor card(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  card.set(CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, device_index).finalize();
  return card;
}

CudnnDescriptor cudnn_card(const std::string& json) {
  CudnnDescriptor card(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  card.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
           std::vector<char>(json.begin(), json.end()))
      .finalize();
  return card;
}

CudnnLibrary::CudnnLibrary(std::int32_t device_index, cudaStream_t stream)
    : card_(cudnn_card(device_index)) {
  HEADWAY_CUDNN(cudnnCreate(&handle_));
  HEADWAY_CUDNN(cudnnSetStream(handle_, stream));
}

CudnnLibrary::~CudnnLibrary() {
  if (!device_is_lost()) cudnnDestroy(handle_);
}

}  // namespace headway
