// The batch limits that TensorRT-LLM's benchmark chooses when it builds an engine.
#pragma once

#include <cstdint>

#include "sim/validation/recipe.hpp"

namespace headway {

struct TrtllmLimits {
  std::int32_t max_num_seqs = 0, max_num_batched_tokens = 0;
};

/// The rule of trtllm-bench build: from the requests that fit into 95 % of the memory left by the
/// weights, at most 4,096; batch sizes rounded up to steps of 32, 128 and 256, tokens to steps of
/// 256, 512 and 1,024 (NVIDIA/TensorRT-LLM, tensorrt_llm/bench/build/tuning.py). `recipe` names
/// model, GPU, engine, formats and split. Throws PlacementError.
TrtllmLimits tuned_limits(const Recipe& recipe, double input_tokens, double output_tokens);

/// The limits for a number of requests that fit, > 0.
TrtllmLimits limits_for(double requests_that_fit, double input_tokens, double output_tokens,
                        std::int32_t pipeline);

}  // namespace headway
