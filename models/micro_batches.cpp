#include "models/micro_batches.hpp"

#include <algorithm>

#include "models/even_share.hpp"
#include "models/fixed_point.hpp"

namespace headway {

MicroBatches micro_batches(const StepShape& step, std::int32_t stages, std::int64_t most_tokens) {
  const std::int64_t tokens = bounded(step.prefill_tokens);
  const std::int64_t chunks = std::max(tokens > 0 ? 1 : 0, step.prefill_sequences);
  const std::int64_t decodes = std::max(0, step.decode_sequences);
  const std::int64_t pieces = std::max(chunks, largest_part(tokens, most_tokens));

  MicroBatches batches;
  batches.count = std::clamp<std::int64_t>(decodes + pieces, 1, stages);
  const auto even = [&batches](std::int64_t count) {
    return static_cast<std::int32_t>(largest_part(count, batches.count));
  };
  StepShape& fullest = batches.fullest = step;
  fullest.decode_sequences = even(decodes);
  fullest.sampled =
      fullest.decode_sequences + even(std::max<std::int64_t>(0, step.sampled - decodes));
  fullest.decode_context = part_of(step.decode_context, fullest.decode_sequences, decodes);
  if (tokens == 0) return batches;
  const std::int64_t carried = largest_part(chunks, batches.count);
  const std::int64_t room = most_tokens - fullest.decode_sequences;
  fullest.prefill_sequences = static_cast<std::int32_t>(carried);
  fullest.prefill_tokens = std::min(part_of(tokens, carried, chunks),
                                    std::max(largest_part(tokens, batches.count), room));
  fullest.prefill_pairs = part_of(step.prefill_pairs, fullest.prefill_tokens, tokens);
  if (tokens + decodes < stages * most_tokens) {
    const double chunk = static_cast<double>(tokens) / static_cast<double>(chunks);
    const double full_pieces = chunk / static_cast<double>(most_tokens);
    batches.drain = (std::clamp<double>(full_pieces, 1, stages) - 1) / stages;
  }
  return batches;
}

double round_seconds(const MicroBatches& batches, std::int32_t stages, std::int32_t layers,
                     double layers_seconds, double head_seconds, double stage_seconds) {
  const double one_layer = layers_seconds / layers;
  const std::int32_t last = layers / stages;
  const std::int32_t longest = (layers + stages - 1) / stages;
  const double slowest =
      std::max(longest * one_layer, last * one_layer + head_seconds) + stage_seconds;
  const double passed = layers_seconds * (1 + batches.drain) + head_seconds + stage_seconds;
  return std::max(passed, static_cast<double>(batches.count) * slowest);
}

}  // namespace headway
