// Memory, streams and events of the card, freed by their owners.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "calibration/cuda/cuda_call.hpp"

namespace headway {

/// A buffer of device memory on the device that was current when it was made; 256-byte aligned.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Throws PointError out_of_memory, DeviceLost.
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) HEADWAY_CUDA(cudaMalloc(&data_, bytes));
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer() {
    if (data_ != nullptr && !device_is_lost()) cudaFree(data_);
  }

  void* data() const { return data_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

  /// `count` elements from the one at `first` on, on the host. Waits for the device.
  template <typename T>
  std::vector<T> read(std::int64_t first, std::int64_t count) const {
    std::vector<T> values(static_cast<std::size_t>(count));
    HEADWAY_CUDA(cudaMemcpy(values.data(), as<T>() + first, sizeof(T) * values.size(),
                            cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A buffer that starts as the host's values, complete for every stream.
template <typename T>
DeviceBuffer device_copy(const std::vector<T>& values) {
  DeviceBuffer buffer(sizeof(T) * values.size());
  if (!values.empty()) {
    HEADWAY_CUDA(cudaMemcpy(buffer.data(), values.data(), sizeof(T) * values.size(),
                            cudaMemcpyHostToDevice));
    HEADWAY_CUDA(cudaStreamSynchronize(nullptr));  // the copy itself may return before its end
  }
  return buffer;
}

/// A stream that does not wait for the default one.
class DeviceStream {
 public:
  DeviceStream() { HEADWAY_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  DeviceStream(const DeviceStream&) = delete;
  DeviceStream& operator=(const DeviceStream&) = delete;
  ~DeviceStream() {
    if (!device_is_lost()) cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event with a time.
class DeviceEvent {
 public:
  DeviceEvent() { HEADWAY_CUDA(cudaEventCreate(&event_)); }
  DeviceEvent(const DeviceEvent&) = delete;
  DeviceEvent& operator=(const DeviceEvent&) = delete;
  ~DeviceEvent() {
    if (!device_is_lost()) cudaEventDestroy(event_);
  }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace headway
