// A batch of decoding sequences with its paged cache, ready to run.
#pragma once

#include <cstdint>
#include <vector>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/cuda/cuda_gpu.hpp"
#include "calibration/cuda/decode_kernel.hpp"
#include "calibration/cuda/device_matrix.hpp"
#include "calibration/sample.hpp"

namespace headway {

/// Of attention's results: weights and results are rounded to bf16 once each.
constexpr double kAttentionTolerance = 2e-2;

/// Buffers and launch of attention_decode, or of the decodes of attention_mixed.
class PagedDecode {
 public:
  /// Allocates and fills. Pages lie in memory in an order that is not that of the sequences. Throws
  /// PointError unsupported, out_of_memory.
  PagedDecode(CudaGpu& gpu, const OperatorPoint& point);

  /// Bytes that the buffers of a point will take, roughly.
  static double buffer_bytes(const OperatorPoint& point);

  void launch() const { launch_decode(gpu_.stream(), arguments_); }

  /// Adds outputs of some sequences and heads, each with what the keys and values in the cache
  /// give in double.
  void compare(Comparison& comparison) const;

  double flops() const;         // 4 · keys · heads · head_dim
  double memory_bytes() const;  // of the keys and values that are read

 private:
  // Keys that the sequence's query sees.
  std::int64_t seen(std::int64_t context) const;
  void lay_pages();
  std::vector<float> rows_of(const DeviceMatrix& cache, std::int64_t sequence,
                             std::int64_t kv_head) const;

  CudaGpu& gpu_;
  std::vector<std::int64_t> contexts_;
  std::vector<std::int32_t> table_;
  DecodeArguments arguments_;
  DeviceMatrix q_, k_, v_, out_;
  DeviceBuffer device_table_, device_contexts_, partial_, logarithm_;
};

}  // namespace headway
