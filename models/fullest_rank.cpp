#include "models/fullest_rank.hpp"

#include <algorithm>

#include "models/fixed_point.hpp"

namespace headway {
namespace {

/// The largest of `parts` equal parts, rounded up.
std::int64_t largest_part(std::int64_t count, std::int64_t parts) {
  return (count + parts - 1) / parts;
}

/// `whole` · `share` / `all`, rounded down; 0 of nothing.
std::int64_t part_of(std::int64_t whole, std::int64_t share, std::int64_t all) {
  return all > 0 ? static_cast<std::int64_t>(Fixed{bounded(whole)} * share / all) : 0;
}

}  // namespace

StepShape fullest_rank(const StepShape& step, std::int32_t ranks, std::int64_t most_tokens) {
  const auto even = [ranks](std::int32_t sequences) {
    return static_cast<std::int32_t>(largest_part(std::max(0, sequences), ranks));
  };
  StepShape rank = step;
  rank.decode_sequences = even(step.decode_sequences);
  rank.sampled = rank.decode_sequences + even(step.sampled - step.decode_sequences);
  rank.decode_context = part_of(step.decode_context, rank.decode_sequences, step.decode_sequences);
  const std::int64_t tokens = bounded(step.prefill_tokens);
  rank.prefill_sequences = even(step.prefill_sequences);
  const std::int64_t whole_chunks =
      rank.prefill_sequences > 0 ? part_of(tokens, rank.prefill_sequences, step.prefill_sequences)
                                 : tokens;
  const std::int64_t room = most_tokens - rank.decode_sequences;
  rank.prefill_tokens = std::min(whole_chunks, std::max(largest_part(tokens, ranks), room));
  rank.prefill_pairs = part_of(step.prefill_pairs, rank.prefill_tokens, tokens);
  return rank;
}

}  // namespace headway
