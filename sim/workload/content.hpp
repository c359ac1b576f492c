// What the tokens of a request say, as far as other requests may say the same: what prefix caches
// go by.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {

/// The contents of a request's prompt and answer as consecutive parts. Equal identities stand for
/// equal tokens from the first of the prompt on: an identity speaks for all that stands before it.
struct Content {
  struct Part {
    std::uint64_t identity = 0;
    std::int32_t end = 0;  // tokens of the prompt up to the part's end
    bool operator==(const Part&) const = default;
  };
  /// Parts that other requests may have at the same time, ends ascending; at most the prompt.
  std::vector<Part> shared;
  /// All behind them, prompt and answer: a conversation's, of which one turn at a time is under
  /// way, or the request's alone. 0: of the request alone, not yet named.
  std::uint64_t own = 0;
  /// A later turn reads this one's prompt and answer again.
  bool continues = false;

  /// Tokens in shared parts.
  std::int32_t shared_tokens() const { return shared.empty() ? 0 : shared.back().end; }
};

/// What an identity is made of.
enum class ContentOf : std::uint64_t { request = 1, prefix_group, conversation, trace_block };

/// The identity of number `b` of `a` (a class's index, the identity before it in a trace).
constexpr std::uint64_t content_identity(ContentOf of, std::uint64_t a, std::uint64_t b) {
  return mix64(mix64(mix64(static_cast<std::uint64_t>(of)) ^ a) + 0x9e3779b97f4a7c15ULL * (b + 1));
}

}  // namespace headway
