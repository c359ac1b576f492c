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

/// The α of decodes inside a mixed batch, where a kernel does not split a sequence's keys over the
/// card: the longest one keeps its few blocks of threads busy alone. From LLMServingSim's fit of
/// vLLM 0.19 on an RTX PRO 6000 (skew_fit.csv of Llama-3.1-8B, 8 KV heads, chunks of 16 to 511
/// tokens): 0.93, 0.39, 0.26, 0.11, 0.05, 0.03 at 4, 8, 16, 32, 64, 128 sequences.
inline double mixed_skew(double kv_heads, double sequences) {
  constexpr double kAlone = 28;  // KV heads of sequences that run side by side
  const double heads = kv_heads * sequences;
  return heads <= kAlone ? 1 : kAlone / heads;
}

}  // namespace headway
