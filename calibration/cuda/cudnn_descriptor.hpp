// Descriptors of cuDNN's graph interface, freed by their owners.
#pragma once

#include <cudnn_graph.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace headway {

/// Throws PointError unsupported (out_of_memory where the library says so) with the library's
/// words, DeviceLost where the device is.
void check_cudnn(cudnnStatus_t status, const char* expression, const char* file, int line);

#define HEADWAY_CUDNN(expression) \
  ::headway::check_cudnn((expression), #expression, __FILE__, __LINE__)

class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type) {
    HEADWAY_CUDNN(cudnnBackendCreateDescriptor(type, &descriptor_));
  }
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~CudnnDescriptor() {
    if (descriptor_ != nullptr) cudnnBackendDestroyDescriptor(descriptor_);
  }
  cudnnBackendDescriptor_t get() const { return descriptor_; }

  /// Sets an attribute to one value, to an array, or to another descriptor.
  template <typename T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       const T& value) {
    HEADWAY_CUDNN(cudnnBackendSetAttribute(descriptor_, name, type, 1, &value));
    return *this;
  }
  template <typename T>
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                       const std::vector<T>& values) {
    HEADWAY_CUDNN(cudnnBackendSetAttribute(
        descriptor_, name, type, static_cast<std::int64_t>(values.size()), values.data()));
    return *this;
  }
  CudnnDescriptor& set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    const cudnnBackendDescriptor_t value = other.get();
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value);
  }
  CudnnDescriptor& finalize() {
    HEADWAY_CUDNN(cudnnBackendFinalize(descriptor_));
    return *this;
  }

 private:
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

/// The library opened on the current card, with the stream that it works on.
class CudnnLibrary {
 public:
  /// Throws PointError unsupported where the library cannot start.
  explicit CudnnLibrary(cudaStream_t stream);
  CudnnLibrary(const CudnnLibrary&) = delete;
  CudnnLibrary& operator=(const CudnnLibrary&) = delete;
  ~CudnnLibrary();
  cudnnHandle_t handle() const { return handle_; }

 private:
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace headway
