// What a transformer is made of, and how many parameters and KV elements follow from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/model_error.hpp"

namespace headway {

/// A decoder-only transformer with grouped-query attention; dense, or mixture of experts.
struct Architecture {
  std::string name;    // catalogue name, or the config.json's file name
  std::string family;  // model_type of config.json: "llama", "qwen3_moe"
  std::int32_t layers = 0;
  std::int32_t hidden = 0;    // width of the residual stream
  std::int32_t heads = 0;     // query heads
  std::int32_t kv_heads = 0;  // key and value heads; divides heads
  std::int32_t head_dim = 0;
  std::int32_t intermediate = 0;  // width of the dense MLP; of dense layers in a mixed model
  std::int32_t vocab = 0;
  std::int32_t experts = 0;  // routed experts of a MoE layer, 0 = dense
  std::int32_t experts_per_token = 0;
  std::int32_t moe_intermediate = 0;     // width of one routed expert
  std::int32_t shared_intermediate = 0;  // width of the always-active expert, 0 = none
  std::int32_t dense_layers = 0;         // layers of a MoE model that have the dense MLP instead
  bool tied_embeddings = false;          // the LM head is the embedding table
  bool gated_mlp = true;                 // gate, up and down matrices (SwiGLU); else up and down
  bool qkv_bias = false;                 // biases of the q, k, v projections (qwen2)
  bool qk_norm = false;                  // norms of head_dim on queries and keys (qwen3)
  std::int64_t max_positions = 0;        // longest context
  std::string source;                    // where the figures come from

  std::int32_t moe_layers() const { return experts > 0 ? layers - dense_layers : 0; }
};

/// Elements of the weight tensors by where they sit. All are counts of parameters.
struct ParameterCount {
  double embedding = 0;         // token embedding table
  double lm_head = 0;           // 0 when tied
  double attention = 0;         // of one layer: q, k, v, o
  double dense_mlp = 0;         // of one dense layer
  double expert = 0;            // of one routed expert of one layer
  double shared_expert = 0;     // of one MoE layer
  double router = 0;            // of one MoE layer
  double norms_and_biases = 0;  // of one layer
  double final_norm = 0;
  double total = 0;   // of the model
  double active = 0;  // touched by one token: total with experts_per_token of the experts
};

ParameterCount count_parameters(const Architecture& architecture);

/// Elements of K and V of one token over all layers: 2 · layers · kv_heads · head_dim.
double kv_elements_per_token(const Architecture& architecture);

/// Throws ArchitectureError if a figure is zero, negative, absurd or at odds with another (kv_heads
/// that do not divide heads, more experts per token than experts). `where` starts the message.
void check_architecture(const Architecture& architecture, const std::string& where);

/// Reads a Hugging Face config.json of a llama, mistral, mixtral, qwen2, qwen3 or qwen3_moe model.
/// Other families throw ArchitectureError by name: an attention that this model does not describe
/// (MLA, interleaved sliding windows) gives no number rather than a wrong one. So do files that
/// cannot be read, are over 1 MB, are not JSON, or lack a field.
Architecture read_config_json(const std::string& path);

/// The same from text; `where` stands for the path in messages, its file name is the model's name.
Architecture parse_config_json(std::string_view text, const std::string& where);

}  // namespace headway
