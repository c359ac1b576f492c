// What unequal contexts cost decodes.
#pragma once

#include <algorithm>

namespace headway {

/// How often the card's places for blocks of threads are filled by decodes of `heads` KV heads ×
/// sequences, at least once, where a block reads all keys of one of them. FlashAttention-2 gives up
/// splitting keys where blocks fill 0.8 of the places, two a multiprocessor
/// (num_splits_heuristic): from `unsplit` heads on. A place takes its blocks in turn, so that the
/// longest sequence, if it is among the first, has read so many mean contexts when all others are
/// done; what is left of it a block reads alone.
inline double waves(double heads, double unsplit) {
  constexpr double kFilled = 0.8;
  return std::max(1.0, kFilled * heads / unsplit);
}

}  // namespace headway
