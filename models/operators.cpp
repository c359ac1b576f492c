#include "models/operators.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/node_layout.hpp"

namespace headway {
namespace {

constexpr double kActivationBytes = 2;  // the residual stream and its like stay in 16 bits

/// How the weights of a product are kept, and multiplied.
struct Weights {
  double bytes = kActivationBytes;  // of each
  NumberFormat format = NumberFormat::bf16;
  bool sparse = false;
  bool expanded() const { return !sparse && bytes < headway::bytes(format); }
};

/// The sizes of one GPU's share of a layer.
struct Share {
  explicit Share(const Placement& p)
      : a(p.architecture),
        tensor(p.parallel.tensor),
        data(p.parallel.data),
        expert_group(p.parallel.stage_gpus()),
        layout(lay_out(p.parallel, p.gpu.gpus_per_node)),
        heads(a.heads / tensor),
        kv_heads(std::max(1, a.kv_heads / tensor)),
        q(std::int64_t{heads} * a.head_dim),
        kv(std::int64_t{kv_heads} * a.head_dim),
        mlp_inputs(a.gated_mlp ? 2 : 1),
        linear{weight_bytes(p.precision), compute_format(p),
               p.precision.sparsity == Sparsity::two_of_four},
        attention(a.attention_in_16_bits ? Weights() : linear) {}

  double qf() const { return static_cast<double>(q); }

  const Architecture& a;
  std::int32_t tensor, data;
  std::int32_t expert_group;  // GPUs that share out the experts
  NodeLayout layout;
  std::int32_t heads, kv_heads;
  std::int64_t q, kv;
  std::int32_t mlp_inputs;
  Weights linear, attention;
};

Operator gemm(const char* name, std::int32_t repeats, std::int64_t m, std::int64_t n,
              std::int64_t k, const Weights& kept) {
  const double rows = static_cast<double>(m);
  const double weights = static_cast<double>(n) * static_cast<double>(k);
  return {
      .kind = OperatorKind::gemm,
      .name = name,
      .repeats = repeats,
      .m = m,
      .n = n,
      .k = k,
      .flops = 2 * rows * weights,
      .memory_bytes = weights * kept.bytes + rows * static_cast<double>(n + k) * kActivationBytes,
      .network_bytes = 0,
      .format = kept.format,
      .sparse = kept.sparse,
      .weight_only = kept.expanded()};
}

/// Experts are split over the GPUs of a stage, whole (expert parallelism) or each in slices: either
/// way a GPU holds its share of the weights that the step touches, if the load is even.
Operator expert_gemm(const char* name, const Share& s, std::int32_t repeats, std::int64_t tokens,
                     std::int64_t n, std::int64_t k) {
  const double rows = static_cast<double>(tokens) * s.a.experts_per_token / s.expert_group;
  const double weights = static_cast<double>(n) * static_cast<double>(k);
  const double touched =
      experts_touched(s.a.experts, s.a.experts_per_token, static_cast<double>(tokens)) /
      s.expert_group;
  return {.kind = OperatorKind::expert_gemm,
          .name = name,
          .repeats = repeats,
          .m = tokens,
          .n = n,
          .k = k,
          .flops = 2 * rows * weights,
          .memory_bytes = touched * weights * s.linear.bytes +
                          rows * static_cast<double>(n + k) * kActivationBytes,
          .network_bytes = 0,
          .format = s.linear.format,
          .sparse = s.linear.sparse,
          .weight_only = s.linear.expanded()};
}

Operator elementwise(const char* name, std::int32_t repeats, double bytes) {
  Operator op;
  op.kind = OperatorKind::elementwise;
  op.name = name;
  op.repeats = repeats;
  op.memory_bytes = bytes;
  return op;
}

/// The least number of hops that brings something to `nodes` nodes.
std::int32_t tree_hops(std::int32_t nodes) {
  return std::bit_width(static_cast<std::uint32_t>(nodes - 1));
}

Operator transfer(OperatorKind kind, const char* name, std::int32_t repeats, std::int32_t group,
                  double bytes) {
  Operator op;
  op.kind = kind;
  op.name = name;
  op.repeats = repeats;
  op.group = group;
  op.network_bytes = bytes;
  return op;
}

/// A collective over `group` GPUs on `nodes` nodes, of which every GPU has `bytes` before or after.
/// Inside a node first, then between nodes, where every GPU has to do with its part alone, as NCCL
/// does over several adapters. A ring or its equal sends every byte (g − 1)/g times, an all-reduce
/// twice as often; a tree between nodes takes log2 n hops, an all-reduce up and down.
void list_collective(OperatorKind kind, const char* name, std::int32_t repeats, double bytes,
                     std::int32_t group, std::int32_t nodes, std::vector<Operator>& operators) {
  const double passes = kind == OperatorKind::all_reduce ? 2 : 1;
  const std::int32_t inside = group / nodes;
  if (inside > 1) {
    operators.push_back(
        transfer(kind, name, repeats, inside, bytes * passes * (inside - 1) / inside));
  }
  if (nodes > 1) {
    Operator between =
        transfer(kind, name, repeats, nodes, bytes / inside * passes * (nodes - 1) / nodes);
    between.hops = static_cast<std::int32_t>(passes) * tree_hops(nodes);
    operators.push_back(between);
  }
}

Operator projection(const char* name, const Share& s, std::int64_t tokens, std::int64_t n,
                    std::int64_t k) {
  return gemm(name, s.a.layers, tokens, n, k, s.attention);
}

void list_grouped_attention(const Share& s, std::int64_t tokens, double kv_bytes,
                            std::vector<Operator>& operators) {
  const double rows = static_cast<double>(tokens);
  operators.push_back(projection("qkv", s, tokens, s.q + 2 * s.kv, s.a.hidden));
  operators.push_back(
      elementwise("rotary_and_kv_write", s.a.layers,
                  rows * (static_cast<double>(2 * s.q + 3 * s.kv) * kActivationBytes +
                          static_cast<double>(2 * s.kv) * kv_bytes)));
  operators.push_back(projection("o", s, tokens, s.a.hidden, s.q));
}

/// Projections down to the latents are whole on every GPU. Going up from the latent of keys and
/// values costs the same multiplications in either order: keys and values of prompt tokens, or,
/// folded into queries and outputs, of decoding ones.
void list_latent_attention(const Share& s, std::int64_t tokens, double kv_bytes,
                           std::vector<Operator>& operators) {
  const Architecture& a = s.a;
  const std::int64_t cached = std::int64_t{a.kv_lora_rank} + a.rope_head_dim;
  const std::int64_t nope_and_value = std::int64_t{a.head_dim} - a.rope_head_dim + a.v_head_dim;
  operators.push_back(projection("qkv_down", s, tokens, a.q_lora_rank + cached, a.hidden));
  operators.push_back(
      projection("q", s, tokens, s.q, a.q_lora_rank > 0 ? a.q_lora_rank : a.hidden));
  operators.push_back(projection("kv_up", s, tokens, s.heads * nope_and_value, a.kv_lora_rank));
  // The norms of the latents and the rotary embedding read and write; the cache is written.
  const double touched =
      static_cast<double>(a.q_lora_rank + cached) + static_cast<double>(s.heads) * a.rope_head_dim;
  operators.push_back(
      elementwise("rotary_and_kv_write", a.layers,
                  static_cast<double>(tokens) *
                      (2 * touched * kActivationBytes + static_cast<double>(cached) * kv_bytes)));
  operators.push_back(projection("o", s, tokens, a.hidden, std::int64_t{s.heads} * a.v_head_dim));
}

void list_experts(const Share& s, std::int64_t tokens, std::vector<Operator>& operators) {
  const Architecture& a = s.a;
  const std::int32_t moe = a.moe_layers();
  const std::int64_t width = a.moe_intermediate;
  operators.push_back(
      expert_gemm("experts_gate_up", s, moe, tokens, width * s.mlp_inputs, a.hidden));
  operators.push_back(elementwise("experts_activation", moe,
                                  static_cast<double>(tokens) * a.experts_per_token *
                                      static_cast<double>(width) * (s.mlp_inputs + 1) *
                                      kActivationBytes / s.expert_group));
  operators.push_back(expert_gemm("experts_down", s, moe, tokens, a.hidden, width));
}

void list_mlp(const Share& s, std::int64_t tokens, std::vector<Operator>& operators) {
  const Architecture& a = s.a;
  const double rows = static_cast<double>(tokens);
  const std::int32_t moe = a.moe_layers(), dense = a.layers - moe;
  const auto block = [&](const char* in, const char* act, const char* out, std::int32_t layers,
                         std::int64_t width) {
    const std::int64_t slice = (width + s.tensor - 1) / s.tensor;
    operators.push_back(gemm(in, layers, tokens, slice * s.mlp_inputs, a.hidden, s.linear));
    operators.push_back(elementwise(
        act, layers, rows * static_cast<double>(slice) * (s.mlp_inputs + 1) * kActivationBytes));
    operators.push_back(gemm(out, layers, tokens, a.hidden, slice, s.linear));
  };
  if (dense > 0) block("gate_up", "activation", "down", dense, a.intermediate);
  if (moe == 0) return;
  operators.push_back(gemm("router", moe, tokens, a.experts, a.hidden, Weights()));
  if (s.data == 1) list_experts(s, tokens, operators);
  if (a.shared_intermediate > 0) {
    block("shared_gate_up", "shared_activation", "shared_down", moe, a.shared_intermediate);
  }
}

}  // namespace

double experts_touched(std::int32_t experts, std::int32_t experts_per_token, double tokens) {
  if (experts <= 0) return 0;
  const double missed = 1 - static_cast<double>(experts_per_token) / experts;
  return experts * (1 - std::pow(missed, tokens));
}

double uneven_experts_touched(std::int32_t experts, std::int32_t experts_per_token, double tokens) {
  if (experts <= 0 || tokens <= 0) return 0;
  // Weights at the middles of E equal parts of the law; a 1 - exponent of -0.2.
  constexpr double kPower = -0.2;
  const double lowest = std::pow(std::max(1.0, 0.8 * tokens), kPower);
  const auto weight = [&](std::int32_t expert) {
    return std::pow(1 - (1 - lowest) * (expert + 0.5) / experts, 1 / kPower);
  };
  double sum = 0, touched = 0;
  for (std::int32_t i = 0; i < experts; ++i) sum += weight(i);
  for (std::int32_t i = 0; i < experts; ++i) {
    const double drawn = std::min(1.0, experts_per_token * weight(i) / sum);
    touched += 1 - std::pow(1 - drawn, tokens);
  }
  return touched;
}

void list_token_operators(const Placement& placement, std::int64_t tokens,
                          std::vector<Operator>& operators) {
  operators.clear();
  if (tokens <= 0) return;
  const Share s(placement);
  const Architecture& a = s.a;
  const double rows = static_cast<double>(tokens);
  const double stream = rows * a.hidden * kActivationBytes;  // one pass over the residual stream

  operators.push_back(elementwise("embedding", 1, 2 * stream));
  // A norm adds the residual: reads two streams, writes two. In most families one before attention
  // and one before the MLP; one after the last layer.
  operators.push_back(elementwise("norm", a.norms * a.layers + 1, 4 * stream));
  const auto list_attention = a.latent() ? list_latent_attention : list_grouped_attention;
  list_attention(s, tokens, bytes(placement.precision.kv), operators);
  list_mlp(s, tokens, operators);
  // After attention and after the MLP.
  list_collective(OperatorKind::all_reduce, "all_reduce", 2 * a.layers, stream, s.tensor,
                  s.layout.tensor_nodes, operators);
  // Residual stream and block output, as vLLM sends them; every GPU its share.
  const std::int32_t inside = placement.parallel.pipeline - 1 - s.layout.sends_between;
  const double sent = 2 * stream / s.tensor;
  if (inside > 0) operators.push_back(transfer(OperatorKind::send, "send", inside, 2, sent));
  if (s.layout.sends_between > 0) {
    operators.push_back(transfer(OperatorKind::send, "send", s.layout.sends_between, 2, sent));
    operators.back().hops = 1;
  }
}

void list_expert_operators(const Placement& placement, std::int64_t tokens,
                           std::vector<Operator>& operators) {
  operators.clear();
  const Share s(placement);
  const std::int32_t moe = s.a.moe_layers();
  if (tokens <= 0 || moe == 0) return;
  list_experts(s, tokens, operators);
  if (s.data == 1) return;
  const double all = static_cast<double>(tokens) * s.a.hidden * kActivationBytes;
  list_collective(OperatorKind::all_gather, "dispatch", moe, all, s.data, s.layout.data_nodes,
                  operators);
  list_collective(OperatorKind::reduce_scatter, "combine", moe, all, s.data, s.layout.data_nodes,
                  operators);
}

void list_head_operators(const Placement& placement, std::int64_t sampled,
                         std::vector<Operator>& operators) {
  operators.clear();
  if (sampled <= 0) return;
  const Share s(placement);
  const double rows = static_cast<double>(sampled);
  const std::int64_t slice = (std::int64_t{s.a.vocab} + s.tensor - 1) / s.tensor;
  operators.push_back(gemm("lm_head", 1, sampled, slice, s.a.hidden, Weights()));
  // Logits in 32 bits: converted, reduced to a maximum or a probability, sampled: three passes.
  operators.push_back(elementwise("sampler", 1, 3 * 4 * rows * s.a.vocab));
  list_collective(OperatorKind::all_gather, "logits", 1,
                  rows * static_cast<double>(slice) * s.tensor * kActivationBytes, s.tensor,
                  s.layout.tensor_nodes, operators);
}

Operator prefill_attention(const Placement& placement, double tokens, double pairs) {
  const Share s(placement);
  Operator op;
  op.kind = OperatorKind::attention_prefill;
  op.name = "prefill_attention";
  op.repeats = s.a.layers;
  // QKᵀ and PV, 2 operations a multiply-add; a latent's keys and values come projected up.
  const double v = s.a.latent() ? static_cast<double>(s.heads) * s.a.v_head_dim : s.qf();
  op.flops = 2 * (s.qf() + v) * pairs;
  const double keys_and_values = s.a.latent() ? s.qf() + v : 2.0 * static_cast<double>(s.kv);
  op.memory_bytes = tokens * (s.qf() + v + keys_and_values) * kActivationBytes;
  return op;
}

Operator decode_attention(const Placement& placement, double context) {
  const Share s(placement);
  Operator op;
  op.kind = OperatorKind::attention_decode;
  op.name = "decode_attention";
  op.repeats = s.a.layers;
  const Architecture& a = s.a;
  // Queries meet a latent as it is cached, all heads the same one.
  const double width = a.latent()
                           ? static_cast<double>(s.heads) * (2 * a.kv_lora_rank + a.rope_head_dim)
                           : 2 * s.qf();
  op.flops = 2 * width * context;
  op.memory_bytes = kv_elements_per_layer(a, s.tensor) * bytes(placement.precision.kv) * context;
  return op;
}

}  // namespace headway
