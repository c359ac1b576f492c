// What to measure for a model: about 350 points a precision and tensor size, most valuable first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/sample.hpp"
#include "models/architecture.hpp"

namespace headway {

/// What the replicas will be asked, by vLLM's names, and what the device can do.
struct PlanLimits {
  std::int64_t max_num_seqs = 256;             // largest decode batch, 1 or more
  std::int64_t max_num_batched_tokens = 8192;  // largest step, 16 or more
  std::int64_t max_model_len = 16384;          // longest context; at most the model's
  double memory_bytes = 1e18;                  // of one point's buffers: larger points are left out
  std::int32_t gpus = 1;  // collectives are planned where a tensor group fits on them
};

struct PlanRequest {
  Architecture architecture;
  std::vector<std::int32_t> tensor = {1};
  std::vector<std::string> precisions = {"bf16"};  // of weights: number formats (models/precision)
  std::vector<std::string> kv = {};  // of the KV cache; empty: bf16, and fp8 beside fp8 weights
  PlanLimits limits;
};

/// Points by share: matrix products 180 (over the model's shapes), decodes 50, half of them beside
/// a prompt chunk, up to the largest batch; prompts 16; unequal contexts 10; norms, activations and
/// their like 30; LM head and sampler 18; experts 28; all-reduce 14. Values lie on common axes, so
/// that a profile has them as grids. Each operator's points stand in order of refinement: the ends
/// of an axis first, then the middle, then the quarters; the list takes from all operators in
/// proportion, so that a list that is cut short covers everything more coarsely. No point is there
/// twice. Throws SampleError for a tensor size that does not divide the heads, an unknown precision
/// or a limit below its least.
std::vector<OperatorPoint> make_plan(const PlanRequest& request);

}  // namespace headway
