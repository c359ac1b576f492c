#include "models/quantization_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/architecture.hpp"

namespace headway {
namespace {

using testing::HasSubstr;
using enum NumberFormat;

CheckpointFormat read(const char* text) {
  return read_quantization_config(nlohmann::json::parse(text));
}

void expect_formats(const char* text, NumberFormat weights, std::optional<NumberFormat> activations,
                    std::optional<NumberFormat> kv = {}) {
  const CheckpointFormat format = read(text);
  EXPECT_EQ(format.unknown, "") << text;
  EXPECT_EQ(format.weights, weights) << text;
  EXPECT_EQ(format.activations, activations) << text;
  EXPECT_EQ(format.kv, kv) << text;
}

TEST(QuantizationConfig, OfEveryPublishedMethodGivesItsFormats) {
  expect_formats(R"({"quant_method": "fp8", "activation_scheme": "dynamic",
                     "weight_block_size": [128, 128]})",
                 fp8, {});
  expect_formats(R"({"quant_method": "fbgemm_fp8"})", fp8, {});
  expect_formats(R"({"quant_method": "awq", "bits": 4, "group_size": 128})", int4, bf16);
  expect_formats(R"({"quant_method": "gptq", "bits": 4, "desc_act": false})", int4, bf16);
  expect_formats(R"({"quant_method": "gptq", "bits": 8})", int8, bf16);
  expect_formats(R"({"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]})", mxfp4, {});
  expect_formats(R"({"quant_method": "modelopt", "quant_algo": "FP8",
                     "kv_cache_quant_algo": "FP8"})",
                 fp8, {}, fp8);
  expect_formats(R"({"quant_method": "modelopt", "quantization": {"quant_algo": "NVFP4"}})", fp4,
                 {});
}

TEST(QuantizationConfig, OfCompressedTensorsIsReadByScheme) {
  const auto group = [](const char* weights, const char* inputs) {
    return std::string(R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": )") +
           R"({"weights": )" + weights + R"(, "input_activations": )" + inputs + "}}}";
  };
  const char* const fp8_scheme = R"({"num_bits": 8, "type": "float", "strategy": "channel"})";
  const char* const int8_scheme = R"({"num_bits": 8, "type": "int"})";
  expect_formats(group(fp8_scheme, fp8_scheme).c_str(), fp8, fp8);
  expect_formats(group(int8_scheme, int8_scheme).c_str(), int8, int8);
  expect_formats(group(fp8_scheme, "null").c_str(), fp8, bf16);
  expect_formats(group(R"({"num_bits": 4, "type": "int", "group_size": 128})", "null").c_str(),
                 int4, bf16);
  const char* const nvfp4 = R"({"num_bits": 4, "type": "float", "group_size": 16})";
  expect_formats(group(nvfp4, nvfp4).c_str(), fp4, fp4);
  EXPECT_THAT(read(group(R"({"num_bits": 3, "type": "int"})", "null").c_str()).unknown,
              HasSubstr("weights of 3 bits"));
}

TEST(QuantizationConfig, OfCompressedTensorsTellsSparsityBesideFormats) {
  const CheckpointFormat alone = read(R"({"quant_method": "compressed-tensors", "config_groups": {},
      "sparsity_config": {"format": "sparse-24-bitmask", "sparsity_structure": "2:4"}})");
  EXPECT_EQ(alone.unknown, "");
  EXPECT_EQ(alone.weights, bf16);
  EXPECT_EQ(alone.sparsity, Sparsity::two_of_four);
  const CheckpointFormat both = read(R"({"quant_method": "compressed-tensors",
      "config_groups": {"a": {"weights": {"num_bits": 8, "type": "float"},
                              "input_activations": {"num_bits": 8, "type": "float"}}},
      "sparsity_config": {"format": "dense", "sparsity_structure": "2:4"}})");
  EXPECT_EQ(both.unknown, "");
  EXPECT_EQ(both.weights, fp8);
  EXPECT_EQ(both.sparsity, Sparsity::two_of_four);
  for (const char* other : {R"({"sparsity_structure": "unstructured"})", "7", "{}", "[\"2:4\"]"}) {
    const std::string text =
        std::string(R"({"quant_method": "compressed-tensors", "config_groups": {"a": {"weights":
            {"num_bits": 8}}}, "sparsity_config": )") +
        other + "}";
    EXPECT_EQ(read(text.c_str()).sparsity, Sparsity::none) << other;
  }
}

TEST(QuantizationConfig, OfAnUnknownMethodSaysSoByName) {
  EXPECT_THAT(read(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})").unknown,
              HasSubstr("quant_method \"bitsandbytes\"; expected one of fp8,"));
  EXPECT_THAT(read(R"({"quant_method": "gptq", "bits": 3})").unknown, HasSubstr("gptq of 3 bits"));
  EXPECT_THAT(read(R"({"quant_method": "modelopt", "quant_algo": "W4A8_AWQ"})").unknown,
              HasSubstr("quant_algo \"w4a8_awq\""));
  for (const char* hostile :
       {"{}", R"({"quant_method": 7})", R"({"quant_method": ["fp8"]})",
        R"({"quant_method": "awq", "bits": "4"})",
        R"({"quant_method": "compressed-tensors", "config_groups": []})",
        R"({"quant_method": "compressed-tensors", "config_groups": {"a": 1}})",
        R"({"quant_method": "modelopt", "quantization": 3})"})
    EXPECT_NE(read(hostile).unknown, "") << hostile;
}

TEST(QuantizationConfig, ComesWithTheArchitecture) {
  const Architecture a = parse_config_json(
      R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
          "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
          "vocab_size": 128256, "max_position_embeddings": 131072,
          "quantization_config": {"quant_method": "fp8", "activation_scheme": "static"}})",
      "config.json");
  ASSERT_TRUE(a.checkpoint);
  EXPECT_EQ(a.checkpoint->method, "fp8");
  EXPECT_EQ(a.checkpoint->weights, fp8);
}

}  // namespace
}  // namespace headway
