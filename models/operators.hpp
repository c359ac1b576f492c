// The operators of one engine step with their shapes: what a GPU of a replica multiplies, reads and
// sends. Counts are those of one GPU; all GPUs of a tensor group do the same at the same time. With
// data-parallel attention every rank, a tensor group of its own, has tokens of its own up to the
// experts, which all ranks share out.
#pragma once

#include <cstdint>
#include <vector>

#include "models/placement.hpp"

namespace headway {

enum class OperatorKind {
  gemm,               // m tokens × [k → n], weights of n·k read once
  expert_gemm,        // the same over the experts that the tokens touch
  attention_prefill,  // queries of prompt chunks against the keys before them
  attention_decode,   // one query a sequence against its KV cache
  elementwise,        // norms, activation, rotary embedding, KV write, sampling
  all_reduce,         // sum over the tensor group
  all_gather,         // logits of the tensor group; all ranks' tokens to their experts
  reduce_scatter,     // the experts' sums back to the ranks
  send                // activations to the next pipeline stage
};

struct Operator {
  OperatorKind kind = OperatorKind::gemm;
  const char* name = "";  // "qkv", "kv_up", "o", "gate_up", "down", "experts_gate_up", "lm_head", …
  std::int32_t repeats = 1;                  // times in one step, over all layers
  std::int64_t m = 0, n = 0, k = 0;          // gemm and expert_gemm
  double flops = 0;                          // of one repeat, on one GPU
  double memory_bytes = 0;                   // read and written, of one repeat, on one GPU
  double network_bytes = 0;                  // sent by one GPU, of one repeat
  std::int32_t group = 1;                    // GPUs of a collective, or nodes between which it is
  std::int32_t hops = 0;                     // one after the other between nodes, 0: inside one
  NumberFormat format = NumberFormat::bf16;  // what the matrix units multiply
  bool sparse = false;       // the weights are 2:4 sparse; flops count their zeros too
  bool weight_only = false;  // the weights are in fewer bits than what is multiplied
};

/// Experts of a layer that `tokens` tokens touch, each drawing k of E at random:
/// E · (1 − (1 − k/E)^tokens). Real routers are less even, so they touch fewer.
double experts_touched(std::int32_t experts, std::int32_t experts_per_token, double tokens);

/// The same where some experts are preferred: weights spread by a power law of exponent 1.2 from 1
/// to 0.8 · tokens, each token drawing by them. It is the uneven router of the public kernel tables
/// (aiconfigurator, collector/helper.py, power_law 1.2), which round it to whole tokens an expert
/// and so touch more above E/k tokens (gpt-oss: 88 instead of 81 of 128 at 64).
double uneven_experts_touched(std::int32_t experts, std::int32_t experts_per_token, double tokens);

/// Replaces `operators` by those that depend on the number of tokens in the step alone:
/// projections, MLP or experts, norms, all-reduces, sends between pipeline stages. With
/// data-parallel attention `tokens` are those of one rank, and the experts are left out.
void list_token_operators(const Placement& placement, std::int64_t tokens,
                          std::vector<Operator>& operators);

/// Replaces `operators` by the routed experts' for `tokens` tokens of all ranks; with data-parallel
/// attention also what brings the tokens there and the sums back: an all-gather and a
/// reduce-scatter over the ranks, vLLM's default (--all2all-backend allgather_reducescatter).
void list_expert_operators(const Placement& placement, std::int64_t tokens,
                           std::vector<Operator>& operators);

/// Replaces `operators` by those that depend on the sequences that sample a token: LM head,
/// sampler.
void list_head_operators(const Placement& placement, std::int64_t sampled,
                         std::vector<Operator>& operators);

/// Attention of one layer over prompt chunks of `tokens` tokens and `pairs` (query, key) pairs.
Operator prefill_attention(const Placement& placement, double tokens, double pairs);

/// Attention of one layer for decoding sequences whose contexts sum to `context` tokens.
Operator decode_attention(const Placement& placement, double context);

}  // namespace headway
