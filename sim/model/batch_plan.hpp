// A whole batch of an LLM without continuous batching: which requests, and the steps that serve it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/step_cost.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/admission.hpp"

namespace headway {

/// A batch padded to its longest prompt and its longest answer.
struct BatchPlan {
  std::int32_t size = 0;
  std::int32_t prompt_tokens = 0;  // of the longest prompt: every sequence is padded to it
  std::int32_t output_tokens = 0;  // of the longest answer: every sequence decodes that long

  std::int64_t kv_blocks(std::int32_t block_tokens) const {
    return size * blocks_for(kv_tokens(prompt_tokens, output_tokens), block_tokens);
  }
};

/// The step of the prefill that begins after `done` of the batch's size · prompt_tokens padded
/// tokens: whole sequences one after the other, at most `budget` tokens a step (a long prompt is
/// cut). Sets `done` to the tokens done after it.
inline StepShape batch_prefill_step(const BatchPlan& plan, std::int64_t budget,
                                    std::int64_t& done) {
  StepShape shape;
  const std::int64_t total = std::int64_t{plan.size} * plan.prompt_tokens;
  while (done < total && budget > 0) {
    const std::int64_t before = done % plan.prompt_tokens;
    const std::int64_t chunk = std::min(budget, plan.prompt_tokens - before);
    shape.prefill_tokens += chunk;
    shape.prefill_pairs += chunk * before + chunk * (chunk + 1) / 2;
    ++shape.prefill_sequences;
    shape.sampled += before + chunk == plan.prompt_tokens;
    done += chunk;
    budget -= chunk;
  }
  return shape;
}

}  // namespace headway
