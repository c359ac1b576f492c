// A sequence in the running batch of the fast continuous replica.
#pragma once

#include <cstdint>

#include "models/units.hpp"

namespace headway {

/// Decoding sequences are not touched step by step: while one decodes, its computed tokens are
/// `base + steps taken by the replica`, and its end is known as a step number.
struct Sequence {
  enum class State : std::uint8_t {
    prefilling,  // `computed` of `target` tokens are in the KV cache
    decoding,    // one token a step; `base` and `finish_step` say where it stands
    stalled,     // would decode, but the token budget went to others; `computed` as it stood
    preempted    // back in the queue, without KV blocks
  };
  std::uint32_t slot = 0;                // the request
  std::uint32_t previous = 0, next = 0;  // in the running order
  std::int32_t prompt = 0, output = 0;
  std::int32_t target = 0;       // prefilling: prompt and the tokens generated before a preemption
  std::int32_t computed = 0;     // prefilling, stalled
  std::int64_t base = 0;         // decoding
  std::int64_t finish_step = 0;  // decoding
  std::int64_t rank = 0;         // running_rank(): the place in the running order …
  std::int64_t admission = 0;    // … then by admission
  std::int64_t queue_rank = 0;   // its place in the waiting queue if preempted
  Time last_token = kNever;      // kept only where the gap is not the step itself
  State state = State::prefilling;
  std::uint32_t version = 0;  // changes when it stops decoding: outdates its entry in the heap
};

}  // namespace headway
