#include "calibration/cuda/cuda_operator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway {

double CudaOperator::run_once(double timeout_seconds) {
  gpu_.flush_cache();
  HEADWAY_CUDA(cudaEventRecord(begin_.get(), stream()));
  launch();
  HEADWAY_CUDA(cudaEventRecord(end_.get(), stream()));
  gpu_.wait_for(end_, timeout_seconds);
  float milliseconds = 0;
  HEADWAY_CUDA(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()));
  return std::max(1e-3 * static_cast<double>(milliseconds), 1e-9);
}

void CudaOperator::verify(double timeout_seconds) {
  launch();
  HEADWAY_CUDA(cudaEventRecord(end_.get(), stream()));
  gpu_.wait_for(end_, timeout_seconds);
  verification_ = compare();
  if (verification_.compared == 0 || !(verification_.error <= verification_.tolerance))
    throw PointError(PointFault::wrong_result,
                     fmt::format("the result differs from the reference by {:.2g} of its "
                                 "magnitude, over the tolerance of {:.2g}",
                                 verification_.error, verification_.tolerance));
}

void check_device_memory(double bytes, double limit) {
  if (bytes > limit)
    throw PointError(
        PointFault::out_of_memory,
        fmt::format("{:.0f} MB of buffers; a point may take {:.0f} MB", bytes / 1e6, limit / 1e6));
}

std::vector<std::string> cuda_formats(int capability) {
  std::vector<std::string> formats = {"bf16", "fp16", "int8"};
  if (capability >= 89) formats.emplace_back("fp8");
  if (capability >= 100) formats.emplace_back("fp4");
  return formats;
}

}  // namespace headway
