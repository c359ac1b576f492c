// Attention with prompts: alone, or beside decodes in one batch.
#pragma once

#include <memory>

#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/cudnn_descriptor.hpp"

namespace headway {

/// attention_prefill and attention_mixed. A cache in fp8 is widened to bf16 first, as part of the
/// time. Throws PointError unsupported, out_of_memory.
std::unique_ptr<CudaOperator> make_cudnn_attention(CudaGpu& gpu, const CudnnLibrary& library,
                                                   const OperatorPoint& point, double limit);

}  // namespace headway
