#include "calibration/cuda/cuda_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "calibration/cuda/row_kernels.hpp"

namespace headway {

namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;  // 32 MiB is what cuBLAS asks for
constexpr double kLeastPatience = 30;  // seconds, before a run that does not end loses the device

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// Makes the card the current one of the thread; what is allocated next is on it.
int chosen(int index) {
  const cudaError_t status = cudaSetDevice(index);
  if (status != cudaSuccess)
    throw CalibrationFailure(
        fmt::format("no CUDA device: {} cannot be opened: {}", index, cudaGetErrorString(status)));
  return index;
}

}  // namespace

CudaGpu::CudaGpu(int index) : index_(chosen(index)) {
  HEADWAY_CUDA(cudaGetDeviceProperties(&properties_, index));
  // Several times the cache; and enough to keep the card busy while the host launches what is
  // timed.
  constexpr std::size_t kLeastFlush = std::size_t{256} << 20;
  flushed_ =
      DeviceBuffer(std::max(4 * static_cast<std::size_t>(properties_.l2CacheSize), kLeastFlush));
  workspace_ = DeviceBuffer(kWorkspaceBytes);
  HEADWAY_CUDA(cudaMemset(flushed_.data(), 0, flushed_.bytes()));
  if (const cublasStatus_t status = cublasLtCreate(&cublas_); status != CUBLAS_STATUS_SUCCESS)
    throw CalibrationFailure(
        fmt::format("no CUDA device: cuBLASLt cannot start: {}", cublasLtGetStatusString(status)));
}

CudaGpu::~CudaGpu() {
  if (!device_is_lost()) cublasLtDestroy(cublas_);
}

void CudaGpu::flush_cache() {
  launch_read_over(stream(), flushed_.data(), static_cast<std::int64_t>(flushed_.bytes()),
                   workspace_.data());
}

void CudaGpu::wait_for(const DeviceEvent& event, double timeout_seconds) const {
  const auto begin = SteadyClock::now();
  const double patience = std::max(kLeastPatience, 3 * timeout_seconds);
  cudaError_t status = cudaErrorNotReady;
  while ((status = cudaEventQuery(event.get())) == cudaErrorNotReady) {
    cudaGetLastError();
    const double waited = seconds_since(begin);
    if (waited > patience) lose_device(fmt::format("a run did not end within {:.0f} s", patience));
    if (waited > 1e-3) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  HEADWAY_CUDA(status);
  if (seconds_since(begin) > timeout_seconds)
    throw PointError(PointFault::timed_out, "a run took too long");
}

}  // namespace headway
