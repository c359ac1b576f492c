#include "models/bounds.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

constexpr std::int32_t kBatchSizes[] = {1, 8, 32, 64, 128, 256};

double at_least_one(double tokens) {
  return tokens >= 1 ? std::min(tokens, 1e9) : 1;
}

/// The shape of an average step in which r requests finish.
StepShape mixed_step(double r, double input, double output) {
  const double decoding = r * (output - 1);
  StepShape shape;
  shape.prefill_tokens = std::llround(r * input);
  shape.prefill_pairs = std::llround(r * input * (input + 1) / 2);
  shape.prefill_sequences = static_cast<std::int32_t>(std::lround(r));
  shape.decode_sequences = static_cast<std::int32_t>(std::lround(decoding));
  shape.decode_context = std::llround(decoding * (input + output / 2));
  if (shape.decode_sequences > 0) {
    shape.decode_context_longest = shape.decode_context / shape.decode_sequences;
  }
  shape.sampled = static_cast<std::int32_t>(std::lround(decoding + r));
  return shape;
}

}  // namespace

std::vector<PlainBatch> plain_batches(const Placement& placement, const MemoryPlan& plan,
                                      const StepCost& cost, std::int64_t context) {
  context = std::clamp<std::int64_t>(context, 1, 1'000'000'000);
  const std::int64_t blocks = (context + placement.block_tokens - 1) / placement.block_tokens;
  std::vector<PlainBatch> batches;
  for (const std::int32_t size : kBatchSizes) {
    StepShape shape;
    shape.decode_sequences = size;
    shape.decode_context = size * context;
    shape.decode_context_longest = context;
    shape.sampled = size;
    PlainBatch batch;
    batch.sequences = size;
    batch.step_seconds = to_seconds(cost.step(shape));
    batch.tokens_per_second = size / batch.step_seconds;
    batch.fits = size <= std::int64_t{placement.max_num_seqs} * placement.parallel.data &&
                 size * blocks <= plan.kv_blocks;
    batch.limits = cost.limits(shape);
    batches.push_back(batch);
  }
  return batches;
}

ThroughputBound throughput_bound(const Placement& placement, const MemoryPlan& plan,
                                 const StepCost& cost, double input_tokens, double output_tokens) {
  const double input = at_least_one(input_tokens), output = at_least_one(output_tokens);
  const double kv_tokens = static_cast<double>(plan.kv_blocks) * placement.block_tokens;
  ThroughputBound bound;
  if (kv_tokens < input + output) {
    bound.limited_by = "KV blocks";
    return bound;
  }
  // A request that prefills holds its prompt for the step; one that decodes, its mean context.
  const double ranks = placement.parallel.data;
  const double budgets = ranks * placement.parallel.pipeline;  // a micro-batch has one of its own
  const double tokens_held = input + (output - 1) * (input + output / 2);
  const struct {
    double requests_per_step;
    const char* name;
  } limits[] = {{kv_tokens / tokens_held, "KV blocks"},
                {ranks * placement.max_num_seqs / output, "max_num_seqs"},
                {budgets * placement.max_num_batched_tokens / (input + output - 1),
                 "max_num_batched_tokens"}};
  const auto& least = *std::min_element(
      std::begin(limits), std::end(limits),
      [](const auto& a, const auto& b) { return a.requests_per_step < b.requests_per_step; });
  const double r = least.requests_per_step;
  bound.limited_by = least.name;
  bound.sequences = r * (output - 1);
  bound.step_seconds = to_seconds(cost.step(mixed_step(r, input, output)));
  bound.requests_per_second = r / bound.step_seconds;
  bound.output_tokens_per_second = bound.requests_per_second * output;
  return bound;
}

}  // namespace headway
