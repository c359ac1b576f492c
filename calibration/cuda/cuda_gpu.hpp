// An opened card: what its operators share.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "calibration/cuda/device_memory.hpp"

namespace headway {

class CudaGpu {
 public:
  /// Opens the card of that number. Throws CalibrationFailure where that is not possible.
  explicit CudaGpu(int index);
  CudaGpu(const CudaGpu&) = delete;
  CudaGpu& operator=(const CudaGpu&) = delete;
  ~CudaGpu();

  int index() const { return index_; }
  const cudaDeviceProp& properties() const { return properties_; }
  /// Compute capability: 80, 89, 90, 100, 120.
  int capability() const { return 10 * properties_.major + properties_.minor; }
  std::int64_t multiprocessors() const { return properties_.multiProcessorCount; }

  /// The stream of everything that is timed.
  cudaStream_t stream() const { return stream_.get(); }

  /// Enqueues what empties the last cache level.
  void flush_cache();

  /// Waits until the event has come, or throws: PointError timed_out where it comes, but after
  /// `timeout_seconds`; DeviceLost where it never comes.
  void wait_for(const DeviceEvent& event, double timeout_seconds) const;

  cublasLtHandle_t cublas() const { return cublas_; }
  /// Scratch memory of libraries.
  const DeviceBuffer& workspace() const { return workspace_; }

 private:
  int index_ = 0;
  cudaDeviceProp properties_{};
  DeviceStream stream_;
  DeviceBuffer flushed_, workspace_;
  cublasLtHandle_t cublas_ = nullptr;
};

}  // namespace headway
