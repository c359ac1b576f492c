// What unequal contexts of a batch cost its decode attention.
#pragma once

namespace headway {

/// The share of a profile's α (Profile::skew) that counts in a batch: the longest sequence's heads
/// end last, while fewer and fewer others still run. Past one wave of work that tail does not grow
/// with the batch any more. A batch takes T(mean) + α · skew_weight · (T(longest) − T(mean)).
inline double skew_weight(double kv_heads, double sequences) {
  constexpr double kWave = 128;  // KV heads of sequences that fill a card
  const double heads = kv_heads * sequences;
  return heads <= kWave ? 1 : kWave / heads;
}

}  // namespace headway
