#include "models/operators.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

constexpr double kActivationBytes = 2;  // the residual stream and its like stay in 16 bits

/// The sizes of one GPU's share of a layer.
struct Share {
  explicit Share(const Placement& p)
      : a(p.architecture),
        tensor(p.parallel.tensor),
        heads(a.heads / tensor),
        kv_heads(std::max(1, a.kv_heads / tensor)),
        q(std::int64_t{heads} * a.head_dim),
        kv(std::int64_t{kv_heads} * a.head_dim),
        mlp_inputs(a.gated_mlp ? 2 : 1),
        weight(weight_bytes(p.precision.weights)),
        compute(compute_format(p)) {}

  const Architecture& a;
  std::int32_t tensor, heads, kv_heads;
  std::int64_t q, kv;
  std::int32_t mlp_inputs;
  double weight;
  NumberFormat compute;
};

Operator gemm(const char* name, std::int32_t repeats, std::int64_t m, std::int64_t n,
              std::int64_t k, double bytes_per_weight, NumberFormat format) {
  const double rows = static_cast<double>(m);
  const double weights = static_cast<double>(n) * static_cast<double>(k);
  return {.kind = OperatorKind::gemm,
          .name = name,
          .repeats = repeats,
          .m = m,
          .n = n,
          .k = k,
          .flops = 2 * rows * weights,
          .memory_bytes =
              weights * bytes_per_weight + rows * static_cast<double>(n + k) * kActivationBytes,
          .network_bytes = 0,
          .format = format};
}

/// Experts are split over the tensor group, whole (expert parallelism) or each in slices: either
/// way a GPU holds 1/tensor of the weights that the step touches, if the load is even.
Operator expert_gemm(const char* name, const Share& s, std::int32_t repeats, std::int64_t tokens,
                     std::int64_t n, std::int64_t k) {
  const double rows = static_cast<double>(tokens) * s.a.experts_per_token / s.tensor;
  const double weights = static_cast<double>(n) * static_cast<double>(k);
  const double touched =
      experts_touched(s.a.experts, s.a.experts_per_token, static_cast<double>(tokens)) / s.tensor;
  return {.kind = OperatorKind::expert_gemm,
          .name = name,
          .repeats = repeats,
          .m = tokens,
          .n = n,
          .k = k,
          .flops = 2 * rows * weights,
          .memory_bytes =
              touched * weights * s.weight + rows * static_cast<double>(n + k) * kActivationBytes,
          .network_bytes = 0,
          .format = s.compute};
}

Operator elementwise(const char* name, std::int32_t repeats, double bytes) {
  Operator op;
  op.kind = OperatorKind::elementwise;
  op.name = name;
  op.repeats = repeats;
  op.memory_bytes = bytes;
  return op;
}

Operator transfer(OperatorKind kind, const char* name, std::int32_t repeats, double bytes) {
  Operator op;
  op.kind = kind;
  op.name = name;
  op.repeats = repeats;
  op.network_bytes = bytes;
  return op;
}

void list_mlp(const Share& s, std::int64_t tokens, std::vector<Operator>& operators) {
  const Architecture& a = s.a;
  const double rows = static_cast<double>(tokens);
  const std::int32_t moe = a.moe_layers(), dense = a.layers - moe;
  const auto block = [&](const char* in, const char* act, const char* out, std::int32_t layers,
                         std::int64_t width) {
    const std::int64_t slice = (width + s.tensor - 1) / s.tensor;
    operators.push_back(
        gemm(in, layers, tokens, slice * s.mlp_inputs, a.hidden, s.weight, s.compute));
    operators.push_back(elementwise(
        act, layers, rows * static_cast<double>(slice) * (s.mlp_inputs + 1) * kActivationBytes));
    operators.push_back(gemm(out, layers, tokens, a.hidden, slice, s.weight, s.compute));
  };
  if (dense > 0) block("gate_up", "activation", "down", dense, a.intermediate);
  if (moe == 0) return;
  operators.push_back(
      gemm("router", moe, tokens, a.experts, a.hidden, kActivationBytes, NumberFormat::bf16));
  const std::int64_t width = a.moe_intermediate;
  operators.push_back(
      expert_gemm("experts_gate_up", s, moe, tokens, width * s.mlp_inputs, a.hidden));
  operators.push_back(elementwise("experts_activation", moe,
                                  rows * a.experts_per_token * static_cast<double>(width) *
                                      (s.mlp_inputs + 1) * kActivationBytes / s.tensor));
  operators.push_back(expert_gemm("experts_down", s, moe, tokens, a.hidden, width));
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

void list_token_operators(const Placement& placement, std::int64_t tokens,
                          std::vector<Operator>& operators) {
  operators.clear();
  if (tokens <= 0) return;
  const Share s(placement);
  const Architecture& a = s.a;
  const double rows = static_cast<double>(tokens);
  const double stream = rows * a.hidden * kActivationBytes;  // one pass over the residual stream

  operators.push_back(elementwise("embedding", 1, 2 * stream));
  // A norm adds the residual: reads two streams, writes two. One before attention, one before the
  // MLP; one after the last layer.
  operators.push_back(elementwise("norm", 2 * a.layers + 1, 4 * stream));
  operators.push_back(gemm("qkv", a.layers, tokens, s.q + 2 * s.kv, a.hidden, s.weight, s.compute));
  operators.push_back(
      elementwise("rotary_and_kv_write", a.layers,
                  rows * (static_cast<double>(2 * s.q + 3 * s.kv) * kActivationBytes +
                          static_cast<double>(2 * s.kv) * bytes(placement.precision.kv))));
  operators.push_back(gemm("o", a.layers, tokens, a.hidden, s.q, s.weight, s.compute));
  list_mlp(s, tokens, operators);
  if (s.tensor > 1) {
    // A ring or its equal sends every byte 2(T − 1)/T times; after attention and after the MLP.
    operators.push_back(transfer(OperatorKind::all_reduce, "all_reduce", 2 * a.layers,
                                 stream * 2 * (s.tensor - 1) / s.tensor));
  }
  if (placement.parallel.pipeline > 1) {
    operators.push_back(
        transfer(OperatorKind::send, "send", placement.parallel.pipeline - 1, stream / s.tensor));
  }
}

void list_head_operators(const Placement& placement, std::int64_t sampled,
                         std::vector<Operator>& operators) {
  operators.clear();
  if (sampled <= 0) return;
  const Share s(placement);
  const double rows = static_cast<double>(sampled);
  const std::int64_t slice = (std::int64_t{s.a.vocab} + s.tensor - 1) / s.tensor;
  operators.push_back(
      gemm("lm_head", 1, sampled, slice, s.a.hidden, kActivationBytes, NumberFormat::bf16));
  // Logits in 32 bits: converted, reduced to a maximum or a probability, sampled: three passes.
  operators.push_back(elementwise("sampler", 1, 3 * 4 * rows * s.a.vocab));
  if (s.tensor > 1) {
    operators.push_back(
        transfer(OperatorKind::all_gather, "logits", 1,
                 rows * static_cast<double>(slice) * kActivationBytes * (s.tensor - 1)));
  }
}

Operator prefill_attention(const Placement& placement, double tokens, double pairs) {
  const Share s(placement);
  Operator op;
  op.kind = OperatorKind::attention_prefill;
  op.name = "prefill_attention";
  op.repeats = s.a.layers;
  op.flops = 4.0 * static_cast<double>(s.q) * pairs;  // QKᵀ and PV, 2 operations a multiply-add
  op.memory_bytes = tokens * static_cast<double>(2 * s.q + 2 * s.kv) * kActivationBytes;
  return op;
}

Operator decode_attention(const Placement& placement, double context) {
  const Share s(placement);
  Operator op;
  op.kind = OperatorKind::attention_decode;
  op.name = "decode_attention";
  op.repeats = s.a.layers;
  op.flops = 4.0 * static_cast<double>(s.q) * context;
  op.memory_bytes = 2.0 * static_cast<double>(s.kv) * bytes(placement.precision.kv) * context;
  return op;
}

}  // namespace headway
