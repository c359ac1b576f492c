// What the operators of the CUDA backend share: timing with events after the cache was emptied, and
// the comparison before any timing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "calibration/cuda/cuda_gpu.hpp"
#include "calibration/device.hpp"

namespace headway {

/// An operator on one stream.
class CudaOperator : public PreparedOperator {
 public:
  explicit CudaOperator(CudaGpu& gpu) : gpu_(gpu) {}

  /// The time between two events around the run; it is enqueued while the cache is being emptied,
  /// so that the host's launches take no part.
  double run_once(double timeout_seconds) override;
  Verification verification() const override { return verification_; }

  /// Runs once and compares; throws PointError wrong_result or timed_out, DeviceLost.
  void verify(double timeout_seconds);

 protected:
  /// Enqueues one run on the card's stream.
  virtual void launch() = 0;
  /// Compares the result of the last run with a reference made on the host from what the buffers
  /// hold.
  virtual Verification compare() = 0;

  CudaGpu& gpu() { return gpu_; }
  cudaStream_t stream() const { return gpu_.stream(); }

 private:
  CudaGpu& gpu_;
  DeviceEvent begin_, end_;
  Verification verification_;
};

/// Throws PointError out_of_memory where a point's buffers are over what a point may take.
void check_device_memory(double bytes, double limit);

/// The operators; each throws PointError for shapes that it cannot run or hold in `limit` bytes.
std::unique_ptr<CudaOperator> make_cuda_gemm(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit);
std::unique_ptr<CudaOperator> make_cuda_rows(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit);
std::unique_ptr<CudaOperator> make_cuda_sampler(CudaGpu& gpu, const OperatorPoint& point,
                                                double limit);
std::unique_ptr<CudaOperator> make_cuda_copy(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit);

std::unique_ptr<CudaOperator> make_cuda_decode(CudaGpu& gpu, const OperatorPoint& point,
                                               double limit);
std::unique_ptr<CudaOperator> make_cuda_moe(CudaGpu& gpu, const OperatorPoint& point, double limit);

/// Formats of products that a compute capability (80 … 120) has in hardware.
std::vector<std::string> cuda_formats(int capability);

}  // namespace headway
