#include "models/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway {
namespace {

struct Bounded {
  const char* name;
  std::int64_t value, least, most;
};

void check_bounds(const Bounded& figure, const std::string& where) {
  if (figure.value < figure.least || figure.value > figure.most) {
    throw ArchitectureError(fmt::format("{}: {} is {}; expected {} to {}", where, figure.name,
                                        figure.value, figure.least, figure.most));
  }
}

void check_latent(const Architecture& a, const std::string& where) {
  check_bounds({"the rank of the latent of queries", a.q_lora_rank, 0, 1 << 18}, where);
  check_bounds({"the rotary part of a head", a.rope_head_dim, 1, a.head_dim - 1}, where);
  check_bounds({"the dimension of a value head", a.v_head_dim, 1, 4096}, where);
  if (a.window_layers > 0 || a.qkv_bias) {
    throw ArchitectureError(fmt::format("{}: latent attention with {} is not supported", where,
                                        a.qkv_bias ? "biases" : "a window"));
  }
}

}  // namespace

ParameterCount count_parameters(const Architecture& a) {
  const double hidden = a.hidden;
  const double q = static_cast<double>(a.heads) * a.head_dim;
  const double kv = static_cast<double>(a.kv_heads) * a.head_dim;
  const double mlp_matrices = a.gated_mlp ? 3 : 2;
  ParameterCount count;
  count.embedding = static_cast<double>(a.vocab) * hidden;
  count.lm_head = a.tied_embeddings ? 0 : count.embedding;
  count.attention = attention_weights(a, 1);
  count.dense_mlp = mlp_matrices * hidden * a.intermediate;
  count.norms_and_biases = a.norms * hidden + (a.qkv_bias ? q + 2 * kv : 0) +
                           (a.o_bias ? hidden : 0) + (a.qk_norm ? 2.0 * a.head_dim : 0) +
                           (a.latent() ? a.q_lora_rank + a.kv_lora_rank : 0);
  count.final_norm = hidden;
  if (a.experts > 0) {
    count.expert = mlp_matrices * hidden * a.moe_intermediate;
    if (a.expert_bias) count.expert += (mlp_matrices - 1) * a.moe_intermediate + hidden;
    count.shared_expert = mlp_matrices * hidden * a.shared_intermediate;
    count.router = (hidden + (a.expert_bias ? 1 : 0)) * a.experts;
  }
  const double moe_layers = a.moe_layers();
  const double common = count.embedding + count.lm_head + count.final_norm +
                        a.layers * (count.attention + count.norms_and_biases) +
                        (a.layers - moe_layers) * count.dense_mlp +
                        moe_layers * (count.router + count.shared_expert);
  count.total = common + moe_layers * a.experts * count.expert;
  count.active = common + moe_layers * a.experts_per_token * count.expert;
  return count;
}

double attention_weights(const Architecture& a, std::int32_t tensor) {
  const double hidden = a.hidden;
  const double heads = static_cast<double>(a.heads) / tensor;
  const double q = heads * a.head_dim;
  if (!a.latent()) {
    const double kv = static_cast<double>(std::max(1, a.kv_heads / tensor)) * a.head_dim;
    return hidden * (2 * q + 2 * kv);
  }
  const double queries = a.q_lora_rank > 0 ? a.q_lora_rank * (hidden + q) : hidden * q;
  const double down = hidden * (a.kv_lora_rank + a.rope_head_dim);
  const double up = a.kv_lora_rank * heads * (a.head_dim - a.rope_head_dim + a.v_head_dim);
  return queries + down + up + heads * a.v_head_dim * hidden;
}

double kv_elements_per_layer(const Architecture& a, std::int32_t tensor) {
  if (a.latent()) return a.kv_lora_rank + a.rope_head_dim;
  return 2.0 * std::max(1, a.kv_heads / tensor) * a.head_dim;
}

double kv_elements_per_token(const Architecture& a) {
  return a.layers * kv_elements_per_layer(a, 1);
}

void check_architecture(const Architecture& a, const std::string& where) {
  // The limits are about ten times the largest published models: a figure beyond is a slip.
  const Bounded figures[] = {
      {"the number of layers", a.layers, 1, 2000},
      {"the hidden size", a.hidden, 1, 1 << 18},
      {"the number of attention heads", a.heads, 1, 4096},
      {"the number of key and value heads", a.kv_heads, 1, 4096},
      {"the head dimension", a.head_dim, 1, 4096},
      {"the MLP's intermediate size", a.intermediate, a.moe_layers() == a.layers ? 0 : 1, 1 << 21},
      {"the vocabulary size", a.vocab, 1, 10'000'000},
      {"the longest context", a.max_positions, 1, 1'000'000'000},
      {"the number of experts", a.experts, 0, 10'000},
      {"the attention window", a.window, 0, 1'000'000'000},
      {"the number of layers with a window", a.window_layers, a.window > 0 ? 1 : 0,
       a.window > 0 ? a.layers : 0},
      {"the rank of the latent of keys and values", a.kv_lora_rank, 0, 1 << 18},
      {"the number of norms in a layer", a.norms, 1, 8},
  };
  for (const Bounded& figure : figures) check_bounds(figure, where);
  if (a.heads % a.kv_heads != 0) {
    throw ArchitectureError(fmt::format(
        "{}: {} key and value heads do not divide {} attention heads", where, a.kv_heads, a.heads));
  }
  if (a.latent()) check_latent(a, where);
  if (a.experts == 0) return;
  check_bounds({"the number of experts per token", a.experts_per_token, 1, a.experts}, where);
  check_bounds({"the experts' intermediate size", a.moe_intermediate, 1, 1 << 21}, where);
  check_bounds({"the shared expert's intermediate size", a.shared_intermediate, 0, 1 << 21}, where);
  check_bounds({"the number of dense layers", a.dense_layers, 0, a.layers}, where);
}

}  // namespace headway
