// Attention with prompts: alone, or beside decodes in one batch.
#pragma once

#include <map>
#include <memory>

#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/cudnn_descriptor.hpp"
#include "calibration/cuda/cudnn_prefill.hpp"

namespace headway {

/// cuDNN on a card, with the kernels that it has compiled: a second or so each.
class CudnnAttentions {
 public:
  /// Throws PointError unsupported where the library cannot start.
  explicit CudnnAttentions(CudaGpu& gpu) : gpu_(gpu), library_(gpu.stream()) {}

  /// attention_prefill and attention_mixed, which live no longer than this. A cache in fp8 is
  /// widened to bf16 first, as part of the time. Throws PointError unsupported, out_of_memory.
  std::unique_ptr<CudaOperator> make(const OperatorPoint& point, double limit);

 private:
  const CudnnPrefill& compiled(const PrefillShape& shape);

  CudaGpu& gpu_;
  CudnnLibrary library_;
  std::map<PrefillShape, CudnnPrefill> compiled_;
};

}  // namespace headway
