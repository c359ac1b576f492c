#include "models/architecture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "models/catalog.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

constexpr const char* kLlama8b = R"({"model_type": "llama", "hidden_size": 4096,
  "intermediate_size": 14336, "max_position_embeddings": 131072, "num_attention_heads": 32,
  "num_hidden_layers": 32, "num_key_value_heads": 8, "tie_word_embeddings": false,
  "torch_dtype": "bfloat16", "vocab_size": 128256})";

constexpr const char* kQwen30bA3b = R"({"model_type": "qwen3_moe", "head_dim": 128,
  "decoder_sparse_step": 1, "mlp_only_layers": [], "hidden_size": 2048, "intermediate_size": 6144,
  "moe_intermediate_size": 768, "num_attention_heads": 32, "num_experts": 128,
  "num_experts_per_tok": 8, "num_hidden_layers": 48, "num_key_value_heads": 4,
  "max_position_embeddings": 40960, "sliding_window": null, "use_sliding_window": false,
  "tie_word_embeddings": false, "vocab_size": 151936})";

std::string error_of(const std::string& json) {
  try {
    parse_config_json(json, "dir/config.json");
  } catch (const ArchitectureError& error) {
    return error.what();
  }
  return "accepted";
}

std::string with(std::string json, const std::string& from, const std::string& to) {
  const auto at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(Llama, Of8BCountsToTheLastParameter) {
  // safetensors index of Llama-3.1-8B: 16,060,522,496 bytes of bf16.
  const Architecture a = parse_config_json(kLlama8b, "models/llama.json");
  EXPECT_EQ(a.name, "llama");
  EXPECT_EQ(a.head_dim, 128);
  EXPECT_EQ(2 * count_parameters(a).total, 16'060'522'496.0);
  EXPECT_EQ(kv_elements_per_token(a) * 2, 131072);
}

TEST(ConfigJson, OfAMixtureNamesItsExpertsEitherWay) {
  const Architecture a = parse_config_json(kQwen30bA3b, "x.json");
  EXPECT_EQ(a.experts, 128);
  EXPECT_EQ(a.experts_per_token, 8);
  EXPECT_EQ(a.moe_intermediate, 768);
  EXPECT_EQ(a.dense_layers, 0);
  EXPECT_NEAR(count_parameters(a).total, 30.5e9, 0.05e9);
  EXPECT_NEAR(count_parameters(a).active, 3.35e9, 0.05e9);
  EXPECT_EQ(parse_config_json(with(kQwen30bA3b, "num_experts", "num_local_experts"), "x").experts,
            128);
  const std::string mixed =
      with(with(kQwen30bA3b, "\"decoder_sparse_step\": 1", "\"decoder_sparse_step\": 2"), "[]",
           "[1, 99]");
  // Layers 2, 4, … 48 are sparse but for index 1, the second.
  EXPECT_EQ(parse_config_json(mixed, "x").dense_layers, 24 + 1);
}

TEST(ConfigJson, WithoutKvHeadsHasOneForEachHead) {
  const std::string json = with(kLlama8b, "\"num_key_value_heads\": 8,", "");
  EXPECT_EQ(parse_config_json(json, "x").kv_heads, 32);
}

TEST(ConfigJson, ThatIsWrongSaysWhere) {
  EXPECT_THAT(error_of(std::string(kLlama8b).substr(0, 200)), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(""), HasSubstr("dir/config.json: this is not a JSON object"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("\"model_type\" is missing"));
  EXPECT_THAT(error_of(with(kLlama8b, "\"vocab_size\": 128256", "\"vocab\": 1")),
              HasSubstr("\"vocab_size\" is missing"));
  EXPECT_THAT(error_of(with(kLlama8b, "attention_heads\": 32", "attention_heads\": 0")),
              HasSubstr("attention heads is 0; expected 1 to 4096"));
  EXPECT_THAT(error_of(with(kLlama8b, "key_value_heads\": 8", "key_value_heads\": 0")),
              HasSubstr("key and value heads is 0"));
  EXPECT_THAT(error_of(with(kLlama8b, "key_value_heads\": 8", "key_value_heads\": 5")),
              HasSubstr("5 key and value heads do not divide 32"));
  EXPECT_THAT(error_of(with(kLlama8b, "hidden_layers\": 32", "hidden_layers\": 1e300")),
              HasSubstr("expected a whole number"));
  EXPECT_THAT(error_of(with(kLlama8b, "hidden_layers\": 32", "hidden_layers\": 2000000000")),
              HasSubstr("layers is 2000000000; expected 1 to 2000"));
  EXPECT_THAT(error_of(with(kLlama8b, "hidden_layers\": 32", "hidden_layers\": -1")),
              HasSubstr("layers is -1"));
  EXPECT_THAT(error_of(with(kLlama8b, "\"hidden_size\": 4096", "\"hidden_size\": \"4096\"")),
              HasSubstr("\"hidden_size\" is \"4096\"; expected a whole number"));
  EXPECT_THAT(error_of(with(kLlama8b, "\"hidden_size\": 4096", "\"hidden_size\": 4097")),
              HasSubstr("no multiple of the 32 attention heads"));
  EXPECT_THAT(error_of(with(kQwen30bA3b, "per_tok\": 8", "per_tok\": 129")),
              HasSubstr("experts per token is 129; expected 1 to 128"));
  EXPECT_THAT(error_of(std::string(500'000, '[')), HasSubstr("not a JSON object"));
}

TEST(ConfigJson, OfAnAttentionThatIsNotDescribedIsRefused) {
  EXPECT_THAT(
      error_of(R"({"model_type": "glm_moe_dsa", "index_topk": 2048})"),
      HasSubstr("\"glm_moe_dsa\" are not supported (sparse attention); expected one of llama"));
  EXPECT_THAT(error_of(R"({"model_type": "mamba"})"),
              HasSubstr("\"mamba\" are not supported; expected one of llama, mistral"));
  EXPECT_THAT(error_of(with(kLlama8b, "{", "{\"index_topk\": 64, ")),
              HasSubstr("sparse attention (\"index_topk\") is not supported"));
  const std::string window = with(kLlama8b, "{", "{\"sliding_window\": 4096, ");
  EXPECT_THAT(error_of(window), HasSubstr("sliding window of 4096 tokens is not supported"));
}

TEST(ConfigJson, ThatIsNoFileOrTooLargeIsNamed) {
  EXPECT_THROW(read_config_json("/nowhere/config.json"), ArchitectureError);
  EXPECT_THROW(read_config_json("/"), ArchitectureError);
  const std::string path = testing::TempDir() + "large_config.json";
  std::ofstream(path) << std::string(1'100'000, ' ') << kLlama8b;
  EXPECT_THROW(read_config_json(path), ArchitectureError);
  std::ofstream(path) << kLlama8b;
  EXPECT_EQ(read_config_json(path).layers, 32);
  std::filesystem::remove(path);
}

TEST(ConfigJson, AsPublishedGivesThePublishedCounts) {
  const char* named = std::getenv("HEADWAY_DATA");
  const std::filesystem::path data =
      named != nullptr ? named : HEADWAY_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::is_directory(data / "models")) {
    GTEST_SKIP() << "HEADWAY_DATA is absent: " << data;
  }
  const struct {
    const char* file;
    double billions;
  } published[] = {{"llama-3.1-8b-instruct", 8.03},
                   {"llama-3.1-70b-instruct", 70.6},
                   {"Qwen--Qwen3-8B", 8.19},
                   {"Qwen--Qwen3-32B", 32.8},
                   {"mixtral-8x7b-v0.1", 46.7},
                   {"Llama-2-7b-hf", 6.74},
                   {"Llama-2-70b-hf", 68.98},
                   {"qwen2.5-7b-instruct", 7.62},
                   {"Qwen--Qwen3-30B-A3B", 30.5},
                   {"Qwen--Qwen3-235B-A22B", 235.1},
                   {"mistralai--Mixtral-8x22B-v0.1", 140.6},
                   {"meta-llama--Meta-Llama-3.1-405B", 405.9},
                   {"mistral-nemo-instruct-2407", 12.25},
                   {"CodeLlama-34b-Instruct-hf", 33.74},
                   {"yi-34b", 34.39},
                   {"qwen3-14b", 14.77},
                   {"deepseek-v2-lite", 15.71},
                   {"deepseek-ai--DeepSeek-V3", 671.03},
                   {"deepseek-ai--DeepSeek-R1", 671.03},
                   {"moonshotai--Kimi-K2-Instruct", 1026.4},
                   {"openai--gpt-oss-120b", 116.83},
                   {"meta-llama--Llama-4-Scout-17B-16E-Instruct", 107.77},
                   {"llama-4-scout-17b-16e-instruct-fp8-dynamic", 107.77}};
  for (const auto& model : published) {
    const std::string path = data / "models" / (std::string(model.file) + ".json");
    const double total = count_parameters(load_model(path)).total / 1e9;
    EXPECT_NEAR(total / model.billions, 1, 0.002) << path;
  }
  EXPECT_THROW(load_model(data / "models/glm-5.2-fp8.json"), ArchitectureError);
}

}  // namespace
}  // namespace headway
