#include "sim/validation/trtllm_tuning.hpp"

#include <algorithm>
#include <cmath>

#include "models/catalog.hpp"
#include "models/placement.hpp"

namespace headway {
namespace {

double rounded_up(double value, double step) {
  return step * std::ceil(value / step);
}

}  // namespace

TrtllmLimits limits_for(double requests_that_fit, double input_tokens, double output_tokens,
                        std::int32_t pipeline) {
  const double sequences = std::min(requests_that_fit, 4096.) / pipeline;
  const double tokens = std::min(sequences * (1 + input_tokens / output_tokens), 32768.);
  const double batch = sequences < 256    ? std::max(64., rounded_up(sequences, 32))
                       : sequences < 1024 ? rounded_up(sequences, 128)
                                          : rounded_up(sequences, 256);
  const double budget = tokens < 4096   ? std::max(2048., rounded_up(tokens, 256))
                        : tokens < 8192 ? rounded_up(tokens, 512)
                                        : rounded_up(tokens, 1024);
  return {static_cast<std::int32_t>(batch), static_cast<std::int32_t>(budget)};
}

TrtllmLimits tuned_limits(const Recipe& recipe, double input_tokens, double output_tokens) {
  Placement placement;
  placement.architecture = load_model(recipe.model);
  placement.gpu = load_gpu(recipe.gpu);
  placement.engine = load_engine(recipe.engine);
  placement.precision = {recipe.weights, recipe.activations, recipe.kv};
  placement.parallel = {recipe.tensor, recipe.pipeline, recipe.expert};
  placement.max_num_seqs = 1;
  placement.max_num_batched_tokens = 1;
  const MemoryPlan plan = plan_memory(placement);
  constexpr double kShareOfFree = 0.95;
  const double free = placement.gpu.memory_bytes - plan.weight_bytes;
  const double fit = std::max(
      1., kShareOfFree * free / (plan.kv_bytes_per_token * (input_tokens + output_tokens)));
  return limits_for(fit, input_tokens, output_tokens, recipe.pipeline);
}

}  // namespace headway
