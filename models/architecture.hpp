// What a transformer is made of, and how many parameters and KV elements follow from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/model_error.hpp"
#include "models/quantization_config.hpp"

namespace headway {

/// A decoder-only transformer; dense, or mixture of experts. Its attention is grouped-query
/// attention, or multi-head latent attention (MLA; DeepSeek-V2, arXiv 2405.04434), where the keys
/// and values of all heads are projected up from one latent a token, the only thing that is cached.
struct Architecture {
  std::string name;    // catalogue name, or the config.json's file name
  std::string family;  // model_type of config.json: "llama", "qwen3_moe"
  std::int32_t layers = 0;
  std::int32_t hidden = 0;    // width of the residual stream
  std::int32_t heads = 0;     // query heads
  std::int32_t kv_heads = 0;  // key and value heads; divides heads
  std::int32_t head_dim = 0;  // width of a query or key head, and of a value head but for MLA

  std::int32_t kv_lora_rank = 0;   // width of MLA's latent of keys and values, 0 = no MLA
  std::int32_t q_lora_rank = 0;    // width of MLA's latent of queries, 0 = projected directly
  std::int32_t rope_head_dim = 0;  // the part of MLA's head_dim with the position; cached too
  std::int32_t v_head_dim = 0;     // width of MLA's value heads

  // Local attention: a sliding window or a chunk. Keys and values of all tokens stay cached.
  std::int32_t window = 0;  // tokens that a local layer attends to at most, 0 = none is local
  std::int32_t window_layers = 0;  // layers with local attention

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
  bool o_bias = false;                   // bias of the output projection (gpt_oss)
  bool expert_bias = false;              // biases of experts and router (gpt_oss)
  bool qk_norm = false;                  // norms of head_dim on queries and keys (qwen3)
  std::int32_t norms = 2;                // norms of width hidden in a layer (gemma has 4)
  bool attention_in_16_bits = false;     // checkpoints in fewer bits leave attention as it is
  std::optional<CheckpointFormat> checkpoint;  // of a config.json that is quantised
  std::int64_t max_positions = 0;              // longest context
  std::string source;                          // where the figures come from

  std::int32_t moe_layers() const { return experts > 0 ? layers - dense_layers : 0; }
  bool latent() const { return kv_lora_rank > 0; }
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

/// Weights of one layer's attention on one of `tensor` GPUs that share its heads. A KV head that is
/// on several GPUs counts on each, and so do MLA's projections down to the latents.
double attention_weights(const Architecture& architecture, std::int32_t tensor);

/// Elements that one GPU of `tensor` caches of one token in one layer: 2 · kv_heads / tensor ·
/// head_dim, at least one head; with MLA the latent and the rotary key, whole on every GPU.
double kv_elements_per_layer(const Architecture& architecture, std::int32_t tensor);

/// The same on one GPU over all layers.
double kv_elements_per_token(const Architecture& architecture);

/// Throws ArchitectureError if a figure is zero, negative, absurd or at odds with another (kv_heads
/// that do not divide heads, more experts per token than experts). `where` starts the message.
void check_architecture(const Architecture& architecture, const std::string& where);

/// Reads a Hugging Face config.json of a llama, mistral, mixtral, qwen2, qwen3, qwen3_moe, gpt_oss,
/// gemma2, gemma3, llama4, deepseek_v2, deepseek_v3, kimi_k2 or glm4_moe model; of one that also
/// sees, its text part. Other families throw ArchitectureError by name: an attention that this
/// model does not describe (sparse, linear) gives no number rather than a wrong one. So do files
/// that cannot be read, are over 1 MB, are not JSON, or lack a field. Layers that predict further
/// tokens (num_nextn_predict_layers) are left out, as engines do unless told to speculate. A
/// quantization_config gives `checkpoint`.
Architecture read_config_json(const std::string& path);

/// The same from text; `where` stands for the path in messages, its file name is the model's name.
Architecture parse_config_json(std::string_view text, const std::string& where);

}  // namespace headway
