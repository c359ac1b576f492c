// Whether a replica takes a request into its queue at all.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

enum class Admission { accepted, queue_full, kv_capacity, model_length };

/// KV blocks of `tokens` tokens.
constexpr std::int64_t blocks_for(std::int64_t tokens, std::int32_t block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

/// The longest that a request's KV cache grows: the last output token is never written.
constexpr std::int64_t kv_tokens(std::int32_t input_tokens, std::int32_t output_tokens) {
  return std::int64_t{input_tokens} + output_tokens - 1;
}

/// Rejects what could never run (longer than the model or than the KV cache of a whole
/// data-parallel rank: waiting would be for ever) and what finds `waiting` requests at the queue's
/// limit.
Admission admit(const Pool& pool, std::int32_t input_tokens, std::int32_t output_tokens,
                std::int64_t waiting);

}  // namespace headway
