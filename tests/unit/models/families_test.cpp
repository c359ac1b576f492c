#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "models/architecture.hpp"
#include "models/catalog.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

constexpr const char* kDeepSeekV3 = R"({"model_type": "deepseek_v3", "hidden_size": 7168,
  "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
  "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
  "v_head_dim": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048,
  "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
  "first_k_dense_replace": 3, "moe_layer_freq": 1, "num_nextn_predict_layers": 1,
  "vocab_size": 129280, "max_position_embeddings": 163840})";

constexpr const char* kGptOss = R"({"model_type": "gpt_oss", "attention_bias": true, "head_dim": 64,
  "hidden_size": 2880, "intermediate_size": 2880, "num_attention_heads": 64,
  "num_key_value_heads": 8, "num_hidden_layers": 36, "num_local_experts": 128,
  "num_experts_per_tok": 4, "sliding_window": 128, "vocab_size": 201088,
  "max_position_embeddings": 131072, "quantization_config": {"quant_method": "mxfp4",
  "modules_to_not_convert": ["model.layers.*.self_attn", "lm_head"]}})";

constexpr const char* kGemma3 = R"({"model_type": "gemma3", "text_config": {"hidden_size": 3840,
  "intermediate_size": 15360, "num_attention_heads": 16, "num_hidden_layers": 48,
  "num_key_value_heads": 8, "sliding_window": 1024}, "vision_config": {"hidden_size": 1152}})";

constexpr const char* kLlama4 = R"({"model_type": "llama4", "text_config": {"head_dim": 128,
  "attention_chunk_size": 8192, "hidden_size": 5120, "intermediate_size": 8192,
  "intermediate_size_mlp": 16384, "interleave_moe_layer_step": 2, "num_attention_heads": 40,
  "num_key_value_heads": 8, "num_hidden_layers": 48, "num_local_experts": 128,
  "num_experts_per_tok": 1, "vocab_size": 202048, "max_position_embeddings": 1048576}})";

std::string with(std::string json, const std::string& from, const std::string& to) {
  const auto at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

std::string error_of(const std::string& json) {
  try {
    parse_config_json(json, "dir/config.json");
  } catch (const ArchitectureError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Catalogue, HasThePublishedParameterCounts) {
  // Model cards and reports, in billions: of all parameters, and of those active for one token
  // where that is another number. Gemma 3 and Llama 4 without the part that sees.
  const struct {
    const char* name;
    double total, active, tolerance;
  } published[] = {{"llama-2-7b", 6.74, 0, 0.002},
                   {"llama-2-13b", 13.02, 0, 0.002},
                   {"llama-2-70b", 68.98, 0, 0.002},
                   {"codellama-34b", 33.74, 0, 0.002},
                   {"llama-3.1-8b", 8.03, 0, 0.002},
                   {"llama-3.1-70b", 70.55, 0, 0.002},
                   {"llama-3.1-405b", 405.85, 0, 0.002},
                   {"yi-34b", 34.39, 0, 0.002},
                   {"mistral-7b-v0.3", 7.25, 0, 0.002},
                   {"mistral-nemo-12b", 12.25, 0, 0.002},
                   {"mixtral-8x7b", 46.70, 12.88, 0.002},
                   {"mixtral-8x22b", 140.6, 39.15, 0.002},
                   {"qwen2.5-7b", 7.62, 0, 0.002},
                   {"qwen2.5-72b", 72.7, 0, 0.002},
                   {"qwq-32b", 32.76, 0, 0.002},
                   {"qwen3-8b", 8.19, 0, 0.002},
                   {"qwen3-14b", 14.77, 0, 0.002},
                   {"qwen3-32b", 32.76, 0, 0.002},
                   {"qwen3-30b-a3b", 30.53, 3.35, 0.002},
                   {"qwen3-235b-a22b", 235.1, 22.2, 0.002},
                   {"gpt-oss-20b", 20.91, 0, 0.002},
                   {"gpt-oss-120b", 116.83, 0, 0.002},
                   {"deepseek-v2-lite", 15.71, 0, 0.002},
                   {"deepseek-v3", 671, 37.5, 0.002},
                   {"deepseek-r1", 671, 37.5, 0.002},
                   {"kimi-k2", 1026, 32.9, 0.002},
                   {"llama-4-scout", 107.77, 17.17, 0.002},
                   {"gemma-2-9b", 9.24, 0, 0.002},
                   {"gemma-3-12b", 1.012 + 10.759, 0, 0.002},
                   {"gemma-3-27b", 1.416 + 25.600, 0, 0.002},
                   {"glm-4.5-air", 106, 0, 0.01}};
  std::size_t names = 0;
  for (const auto& model : published) {
    const ParameterCount count = count_parameters(load_model(model.name));
    EXPECT_NEAR(count.total / 1e9 / model.total, 1, model.tolerance) << model.name;
    if (model.active > 0) {
      EXPECT_NEAR(count.active / 1e9 / model.active, 1, 0.004) << model.name;
    }
    ++names;
  }
  EXPECT_EQ(names, model_names().size());
}

TEST(DeepSeekV3, HasLatentAttentionSharedAndRoutedExpertsAndThreeDenseLayers) {
  const Architecture a = parse_config_json(kDeepSeekV3, "x.json");
  EXPECT_EQ(a.head_dim, 192);
  EXPECT_EQ(a.dense_layers, 3);
  EXPECT_EQ(a.shared_intermediate, 2048);
  const double attention = 7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * (512 + 64) +
                           512.0 * 128 * (128 + 128) + 128.0 * 128 * 7168;
  EXPECT_EQ(count_parameters(a).attention, attention);
  EXPECT_NEAR(count_parameters(a).total, 671.0e9, 0.1e9);
  // The latent and the rotary key, once for all heads: 70,272 bytes a token in 16 bits.
  EXPECT_EQ(2 * kv_elements_per_token(a), (512 + 64) * 61 * 2);
  const Architecture direct =
      parse_config_json(with(kDeepSeekV3, "\"q_lora_rank\": 1536", "\"q_lora_rank\": null"), "x");
  EXPECT_EQ(count_parameters(direct).attention,
            attention - 7168.0 * 1536 - 1536.0 * 128 * 192 + 7168.0 * 128 * 192);
}

TEST(DeepSeekV3, WithFiguresAtOddsIsRefused) {
  EXPECT_THAT(error_of(with(kDeepSeekV3, "\"v_head_dim\": 128,", "")),
              HasSubstr("\"v_head_dim\" is missing"));
  EXPECT_THAT(error_of(with(kDeepSeekV3, "rope_head_dim\": 64", "rope_head_dim\": 0")),
              HasSubstr("the rotary part of a head is 0"));
  EXPECT_THAT(error_of(with(kDeepSeekV3, "v_head_dim\": 128", "v_head_dim\": 2000000000")),
              HasSubstr("the dimension of a value head is 2000000000"));
  EXPECT_THAT(error_of(with(kDeepSeekV3, "{", "{\"attention_bias\": true, ")),
              HasSubstr("latent attention with biases is not supported"));
  EXPECT_THAT(error_of(with(kDeepSeekV3, "{", "{\"sliding_window\": 64, ")),
              HasSubstr("a sliding window of 64 tokens is not supported"));
  EXPECT_THAT(error_of(with(kDeepSeekV3, "experts\": 256", "experts\": null")),
              HasSubstr("\"n_routed_experts\" is missing"));
}

TEST(GptOss, SlidesAWindowInEveryOtherLayerAndLeavesAttentionInSixteenBits) {
  const Architecture a = parse_config_json(kGptOss, "x.json");
  EXPECT_EQ(a.window, 128);
  EXPECT_EQ(a.window_layers, 18);
  EXPECT_TRUE(a.qkv_bias && a.o_bias && a.expert_bias && a.attention_in_16_bits);
  EXPECT_NEAR(count_parameters(a).total, 116.83e9, 0.01e9);  // model card
  EXPECT_EQ(parse_config_json(with(kGptOss, "\"sliding_window\": 128,", ""), "x").window, 128);
  const std::string listed =
      with(with(kGptOss, "\"num_hidden_layers\": 36", "\"num_hidden_layers\": 3"), "{",
           R"({"layer_types": ["sliding_attention", "full_attention", "full_attention"], )");
  EXPECT_EQ(parse_config_json(listed, "x").window_layers, 1);
}

TEST(LayerTypes, ThatAreUnknownOrTooFewAreRefused) {
  EXPECT_THAT(error_of(with(kGptOss, "{", R"({"layer_types": ["full_attention"], )")),
              HasSubstr("expected a list of 36 layers"));
  std::string list = "\"linear_attention\"";
  for (int i = 1; i < 36; ++i) list += ", \"full_attention\"";
  EXPECT_THAT(error_of(with(kGptOss, "{", "{\"layer_types\": [" + list + "], ")),
              HasSubstr("has \"linear_attention\", which is not supported"));
}

TEST(Mistral, SlidesItsWindowInEveryLayer) {
  const std::string mistral = R"({"model_type": "mistral", "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
    "num_hidden_layers": 32, "vocab_size": 32000, "max_position_embeddings": 32768,
    "sliding_window": 4096})";
  EXPECT_EQ(parse_config_json(mistral, "x").window_layers, 32);
  EXPECT_EQ(parse_config_json(with(mistral, ": 4096}", ": 32768}"), "x").window_layers, 0);
  EXPECT_EQ(parse_config_json(with(mistral, ": 4096}", ": null}"), "x").window_layers, 0);
}

TEST(Qwen, SlidesAWindowOnlyWhereSwitchedOnAndFromAGivenLayer) {
  const std::string qwen = R"({"model_type": "qwen2", "hidden_size": 3584,
    "intermediate_size": 18944, "num_attention_heads": 28, "num_key_value_heads": 4,
    "num_hidden_layers": 28, "vocab_size": 152064, "max_position_embeddings": 32768,
    "sliding_window": 4096, "max_window_layers": 20, "use_sliding_window": false})";
  EXPECT_EQ(parse_config_json(qwen, "x").window_layers, 0);
  EXPECT_EQ(parse_config_json(with(qwen, "false", "true"), "x").window_layers, 8);
}

TEST(Gemma3, IsReadFromItsTextPartAndTheDefaultsOfItsFamily) {
  const Architecture a = parse_config_json(kGemma3, "x.json");
  EXPECT_EQ(a.head_dim, 256);
  EXPECT_EQ(a.window, 1024);
  EXPECT_EQ(a.window_layers, 40);  // all but every sixth of 48
  EXPECT_TRUE(a.tied_embeddings);
  // Gemma 3 report (arXiv 2503.19786), table 1: 1,012 M of embedding, 10,759 M of the rest.
  EXPECT_NEAR(count_parameters(a).embedding, 1012e6, 6e6);
  EXPECT_NEAR(count_parameters(a).total - count_parameters(a).embedding, 10'759e6, 1e6);
  EXPECT_THAT(error_of(R"({"model_type": "gemma3", "text_config": 3})"),
              HasSubstr("\"text_config\" is no object"));
}

TEST(Llama4, InterleavesLayersOfExpertsAndOfAWiderMlp) {
  const Architecture a = parse_config_json(kLlama4, "x.json");
  EXPECT_EQ(a.dense_layers, 24);
  EXPECT_EQ(a.intermediate, 16384);
  EXPECT_EQ(a.shared_intermediate, 8192);
  EXPECT_EQ(a.window_layers, 36);  // of four, the last sees everything
  // Maverick's model card: 400 B with 17 B active.
  EXPECT_NEAR(count_parameters(a).total, 400e9, 4e9);
  EXPECT_NEAR(count_parameters(a).active, 17e9, 0.5e9);
}

}  // namespace
}  // namespace headway
