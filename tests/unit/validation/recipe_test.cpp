// What a row leaves unsaid: names, engine versions, batch limits, the split over GPUs.
#include "sim/validation/recipe.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "models/catalog.hpp"
#include "sim/validation/catalogue_match.hpp"
#include "sim/validation/row_scenario.hpp"
#include "sim/validation/trtllm_tuning.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

TEST(CatalogueMatch, NamesOfPublicTablesAreEntriesOfTheCatalogue) {
  const std::pair<const char*, const char*> models[] = {
      {"Llama-3.1-8B-Instruct", "llama-3.1-8b"},
      {"LLaMA v3.1 8B", "llama-3.1-8b"},
      {"Meta-Llama-3-8B", "llama-3.1-8b"},
      {"Llama-2-70b-hf", "llama-2-70b"},
      {"CodeLlama-34b-Instruct-hf", "codellama-34b"},
      {"Mistral 7B", "mistral-7b-v0.3"},
      {"Mixtral-8x7B-v0.1", "mixtral-8x7b"},
      {"gpt-oss-120b", "gpt-oss-120b"},
      {"Qwen3-32B", "qwen3-32b"},
      {"DeciLM-7B", ""}};
  for (const auto& [name, entry] : models) EXPECT_EQ(catalogue_model(name), entry) << name;
  const std::pair<const char*, const char*> gpus[] = {{"RTXPRO6000", "rtx-pro-6000-96gb"},
                                                      {"H100-SXM", "h100-sxm-80gb"},
                                                      {"H200-141GB", "h200-sxm-141gb"},
                                                      {"B200-SXM", "b200-sxm-180gb"},
                                                      {"L40S", "l40s-48gb"},
                                                      {"A100-SXM4-80GB", "a100-sxm-80gb"},
                                                      {"A100-SXM-40GB", "a100-sxm-40gb"},
                                                      {"TPU", ""}};
  for (const auto& [name, entry] : gpus) EXPECT_EQ(catalogue_gpu(name), entry) << name;
}

TEST(CatalogueMatch, TheEngineIsTheOneOfTheNearestVersion) {
  const std::vector<std::string> entries = {"vllm-0.11", "vllm-0.15", "vllm-0.19", "trtllm-1.0"};
  EXPECT_EQ(nearest_engine("vllm", "0.11.2", entries), "vllm-0.11");
  EXPECT_EQ(nearest_engine("vllm", "0.14.0", entries), "vllm-0.15");
  EXPECT_EQ(nearest_engine("vllm", "0.15.1", entries), "vllm-0.15");
  EXPECT_EQ(nearest_engine("vllm", "0.18.0", entries), "vllm-0.19");
  EXPECT_EQ(nearest_engine("vllm", "", entries), "vllm-0.11");
  EXPECT_EQ(nearest_engine("trtllm", "1.2.0rc2.post2", entries), "trtllm-1.0");
  EXPECT_EQ(nearest_engine("trtllm", "gpt-oss-dev", entries), "trtllm-1.0");
  EXPECT_EQ(nearest_engine("sglang", "0.5", entries), "");
}

TEST(CatalogueMatch, GptOssIsPublishedInMxfp4) {
  EXPECT_EQ(weight_format("fp4", "gpt-oss-120b"), NumberFormat::mxfp4);
  EXPECT_EQ(weight_format("fp4", "llama-3.1-70b"), NumberFormat::fp4);
  EXPECT_EQ(weight_format("FP8", "llama-3.1-70b"), NumberFormat::fp8);
  EXPECT_FALSE(weight_format("fp7", "llama-3.1-70b").has_value());
}

TEST(Recipe, WhatTheRowSaysIsKept) {
  MeasuredRow row = example_row();
  row.max_num_seqs = 96;
  row.max_num_batched_tokens = 4096;
  const Recipe recipe = recipe_of(row);
  EXPECT_EQ(recipe.not_run, "");
  EXPECT_EQ(recipe.model, "llama-3.1-8b");
  EXPECT_EQ(recipe.engine, "vllm-0.11");
  EXPECT_EQ(recipe.max_num_seqs, 96);
  EXPECT_EQ(recipe.max_num_batched_tokens, 4096);
  EXPECT_EQ(recipe.requests, 600);
}

TEST(Recipe, UnstatedLimitsAreTheEnginesDefaultsForTheCard) {
  MeasuredRow row = example_row();
  EXPECT_EQ(recipe_of(row).max_num_seqs, 1024);
  EXPECT_EQ(recipe_of(row).max_num_batched_tokens, 8192);
  row.gpu = "A100-SXM4-80GB";
  EXPECT_EQ(recipe_of(row).max_num_seqs, 256);
  EXPECT_EQ(recipe_of(row).max_num_batched_tokens, 2048);
}

TEST(Recipe, WhatCannotBeRunSaysWhy) {
  MeasuredRow row = example_row();
  row.note = "EAGLE speculative decoding, k not stated";
  EXPECT_THAT(recipe_of(row).not_run, HasSubstr("speculative"));
  row = example_row();
  row.model = "GPT-9";
  EXPECT_THAT(recipe_of(row).not_run, HasSubstr("no model GPT-9"));
  row = example_row();
  row.gpu = "TPU";
  EXPECT_THAT(recipe_of(row).not_run, HasSubstr("no GPU TPU"));
  row = example_row();
  row.precision = "fp7";
  EXPECT_THAT(recipe_of(row).not_run, HasSubstr("no number format fp7"));
}

// By Little's law the client's cap is what saturated stages hold in flight: 172.96 req/s · 2.459 s
// = 425 over a stage whose queue takes 5.3 s of its 88 s to build up and 1.3 s to drain.
TEST(Recipe, TheClientOfInferencePerfHolds440RequestsInFlight) {
  MeasuredRow row = example_row();
  row.group = "inference-perf";
  EXPECT_EQ(recipe_of(row).client_in_flight, 440);
  EXPECT_NEAR(172.96 * 2.459 / (1 - (5.3 + 1.3) / 2 / 88), 440, 6);
  ASSERT_TRUE(recipe_of(row).prompts.has_value());
  EXPECT_EQ(recipe_of(row).prompts->groups, 100);
  EXPECT_EQ(recipe_of(row).prompts->tokens, 203);
  row.prefix_caching = false;
  EXPECT_FALSE(recipe_of(row).prompts.has_value());
}

TEST(Recipe, ANoteTellsHowManyPromptsComeAgain) {
  MeasuredRow row = example_row();
  row.note = "inference-perf shared-prefix client: 11 system prompts x 4 users, system 100 + …";
  ASSERT_TRUE(recipe_of(row).prompts.has_value());
  EXPECT_EQ(recipe_of(row).prompts->groups, 44);
  row.note = "inference-perf shared-prefix client: many system prompts";
  EXPECT_FALSE(recipe_of(row).prompts.has_value());
}

MeasuredRow inferencex_row(std::int32_t tensor, std::int32_t expert, const std::string& note) {
  MeasuredRow row = example_row();
  row.group = "inferencex";
  row.engine_version = "0.18.0";
  row.gpu = "H200-SXM";
  row.model = "gpt-oss-120b";
  row.precision = "fp4";
  row.loop = Loop::closed;
  row.requests = 0;
  row.concurrency = 8;
  row.tensor = tensor;
  row.expert = expert;
  row.note = note;
  return row;
}

TEST(Recipe, InferenceXSendsTenPromptsAUserOfUpToAFifthLess) {
  const Recipe recipe = recipe_of(inferencex_row(2, 1, "attention_dp=1 moe_tp=2; "));
  EXPECT_EQ(recipe.requests, 80);
  EXPECT_DOUBLE_EQ(recipe.shortest, 0.8);
  EXPECT_EQ(recipe.max_num_seqs, 8);
  EXPECT_EQ(recipe.kv, NumberFormat::bf16);
  MeasuredRow blackwell = inferencex_row(2, 1, "attention_dp=1 moe_tp=2; ");
  blackwell.gpu = "B200-SXM";
  EXPECT_EQ(recipe_of(blackwell).kv, NumberFormat::fp8);
  EXPECT_EQ(recipe_of(blackwell).max_num_seqs, 512);
  MeasuredRow crowd = inferencex_row(2, 1, "attention_dp=1 moe_tp=2; ");
  crowd.concurrency = 512;
  EXPECT_NE(recipe_of(crowd).unscored, "");
}

// Measured TPOT at 8 users on H200: 6.05 ms for TP 4, 6.04 ms for the row that says tp 16, ep 4.
TEST(Recipe, InferenceXCountsTheExpertsSplitTwice) {
  Recipe recipe = recipe_of(inferencex_row(16, 4, "attention_dp=1 moe_tp=4; "));
  EXPECT_EQ(recipe.tensor, 4);
  EXPECT_EQ(recipe.expert, 4);
  recipe = recipe_of(inferencex_row(4, 2, "attention_dp=1 moe_tp=2; "));
  EXPECT_EQ(recipe.tensor, 2);
  recipe = recipe_of(inferencex_row(8, 8, "attention_dp=1 moe_tp=1; "));
  EXPECT_EQ(recipe.tensor, 8);
}

TEST(Recipe, AnInferenceXRowThatCannotBeSaysSoInItsOwnWords) {
  EXPECT_EQ(recipe_of(inferencex_row(2, 4, "moe_tp=4; ")).not_run, "tp 2 is no multiple of ep 4");
  EXPECT_EQ(recipe_of(inferencex_row(6, 4, "moe_tp=4; ")).not_run, "tp 6 is no multiple of ep 4");
  EXPECT_EQ(recipe_of(inferencex_row(8, 4, "attention_dp=2 moe_tp=4; ")).not_run,
            "attention_dp 2 is no multiple of ep 4");
  EXPECT_EQ(recipe_of(inferencex_row(8, 4, "attention_dp=1 moe_tp=4; ")).not_run, "");
  MeasuredRow open = inferencex_row(8, 1, "");
  open.loop = Loop::open_constant;
  open.concurrency = 0;
  EXPECT_THAT(recipe_of(open).not_run, HasSubstr("concurrency and max_num_seqs are empty"));
  open.max_num_seqs = 64;
  EXPECT_EQ(recipe_of(open).not_run, "");
}

TEST(Recipe, InferenceXNamesTheRanksOfDataParallelAttention) {
  Recipe recipe = recipe_of(inferencex_row(1, 4, "attention_dp=4 moe_tp=1; "));
  EXPECT_EQ(recipe.data, 4);
  EXPECT_EQ(recipe.expert, 4);
  EXPECT_EQ(recipe.not_run, "");
  recipe = recipe_of(inferencex_row(1, 1, "attention_dp=4 moe_tp=4; "));
  EXPECT_EQ(recipe.data, 4);
  EXPECT_EQ(recipe.expert, 1);
  recipe = recipe_of(inferencex_row(1, 2, "attention_dp=4 moe_tp=2; "));  // of two GPUs
  EXPECT_EQ(recipe.data, 2);
}

// Measured TPOT of TP 2 at 4, 8 and 16 users on H200: 5.85, 6.83, 8.90 ms where the row says ep 1;
// 5.90, 6.84, 8.70 where it says ep 2.
TEST(Recipe, InferenceXSplitsExpertsOnTensorRtLlmOnHopper) {
  MeasuredRow row = inferencex_row(2, 1, "attention_dp=1 moe_tp=2; ");
  row.engine = "trtllm";
  EXPECT_EQ(recipe_of(row).tensor, 2);
  EXPECT_EQ(recipe_of(row).expert, 2);
  row.gpu = "B200-SXM";
  EXPECT_EQ(recipe_of(row).expert, 1);
  row.engine = "vllm";
  row.gpu = "H200-SXM";
  EXPECT_EQ(recipe_of(row).expert, 1);
}

TEST(Recipe, InferenceXTokenizesItsPromptsInOneProcess) {
  MeasuredRow row = inferencex_row(2, 1, "attention_dp=1 moe_tp=2; ");
  for (const auto& [engine, batch] : {std::pair("vllm", 32), std::pair("trtllm", 1)}) {
    row.engine = engine;
    EXPECT_THAT(
        scenario_text(row, recipe_of(row), 0, ""),
        HasSubstr(fmt::format(
            "front: {{tokenizer: {{servers: 1, time: 1.4 ms, per_token: 2.5 us, batch: {}}}}}",
            batch)));
  }
}

MeasuredRow llama_on_trtllm(std::int32_t tensor, double input, double output) {
  MeasuredRow row = inferencex_row(tensor, 1, "");
  row.engine = "trtllm";
  row.engine_version = "1.2.0rc2";
  row.model = "Llama-3.1-70B";
  row.precision = "fp8";
  row.input_tokens = input;
  row.output_tokens = output;
  return row;
}

TEST(Recipe, InferenceXHoldsPromptsOfLlamaBackOnFewerThanEightGpus) {
  const Recipe held = recipe_of(llama_on_trtllm(4, 1024, 1024));
  EXPECT_EQ(held.batch_wait_timeout_iters, 20);
  EXPECT_DOUBLE_EQ(held.batch_wait_max_tokens_ratio, 0.9);
  EXPECT_EQ(held.max_num_batched_tokens, 2048);
  EXPECT_EQ(held.max_model_len, 2048);
  EXPECT_FALSE(held.chunked_prefill);
  EXPECT_TRUE(held.reserve_all);
  EXPECT_FALSE(held.balance_ranks);
  EXPECT_EQ(recipe_of(llama_on_trtllm(8, 1024, 1024)).batch_wait_timeout_iters, 0);
  EXPECT_EQ(recipe_of(llama_on_trtllm(8, 1024, 1024)).max_num_batched_tokens, 2048);
  EXPECT_EQ(recipe_of(llama_on_trtllm(4, 1024, 8192)).batch_wait_timeout_iters, 0);
  EXPECT_EQ(recipe_of(llama_on_trtllm(4, 8192, 1024)).max_num_batched_tokens, 9416);
}

TEST(Recipe, InferenceXBalancesRanksOnTensorRtLlm) {
  MeasuredRow row = inferencex_row(1, 4, "attention_dp=4 moe_tp=1; ");
  EXPECT_FALSE(recipe_of(row).balance_ranks) << "vLLM has no such rule";
  row.engine = "trtllm";
  EXPECT_TRUE(recipe_of(row).balance_ranks);
  EXPECT_EQ(recipe_of(row).max_num_batched_tokens, 20000);
  row.note = "attention_dp=1 moe_tp=1; ";
  EXPECT_FALSE(recipe_of(row).balance_ranks);
}

TEST(TrtllmTuning, LimitsAreRoundedUpInStepsThatGrow) {
  const auto limits = [](double fit, double input, double output) {
    const TrtllmLimits made = limits_for(fit, input, output, 1);
    return std::pair(made.max_num_seqs, made.max_num_batched_tokens);
  };
  EXPECT_EQ(limits(10, 128, 128), std::pair(64, 2048));       // both at their least
  EXPECT_EQ(limits(200, 2048, 128), std::pair(224, 3584));    // 200 · 17 = 3,400
  EXPECT_EQ(limits(300, 128, 128), std::pair(384, 2048));     // steps of 128
  EXPECT_EQ(limits(1500, 2048, 512), std::pair(1536, 7680));  // 1,500 · 5 = 7,500
  EXPECT_EQ(limits(9000, 128, 2048), std::pair(4096, 4608));  // at most 4,096; · 1.0625 = 4,352
  EXPECT_EQ(limits(4096, 20000, 2000), std::pair(4096, 32768));
}

}  // namespace
}  // namespace headway
