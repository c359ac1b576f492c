#include "models/fullest_rank.hpp"

#include <algorithm>

#include "models/even_share.hpp"
#include "models/fixed_point.hpp"

namespace headway {

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
