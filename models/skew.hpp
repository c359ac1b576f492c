// What unequal contexts cost the decodes of a mixed batch.
#pragma once

namespace headway {

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
