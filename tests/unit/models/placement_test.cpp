#include "models/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

std::string error_of(const Placement& placement) {
  try {
    plan_memory(placement);
  } catch (const PlacementError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MemoryPlan, Of8BOnAnH100HoldsThePublishedWeightsAndLeavesTheRestToTheKvCache) {
  const MemoryPlan plan = plan_memory(place("llama-3.1-8b", "h100"));
  EXPECT_NEAR(plan.weight_bytes, 16'060'522'496.0, 1);
  EXPECT_EQ(plan.kv_bytes_per_token, 131072);
  EXPECT_NEAR(plan.available_bytes, 0.9 * 79.18 * 1024 * 1024 * 1024, 1);
  EXPECT_NEAR(plan.weight_bytes + plan.activation_bytes + plan.overhead_bytes + plan.kv_bytes,
              plan.available_bytes, 1);
  EXPECT_EQ(plan.kv_blocks, static_cast<std::int64_t>(plan.kv_bytes / (131072.0 * 16)));
}

TEST(MemoryPlan, Of8BOnAnRtx4090LeavesWhatVllmLeft) {
  // A vLLM run of an 8B model on this card had 2588 blocks; weights alone would leave 3400.
  Placement placement = place("llama-3.1-8b", "rtx-4090");
  placement.max_num_batched_tokens = 2048;
  EXPECT_NEAR(static_cast<double>(plan_memory(placement).kv_blocks), 2588, 150);
}

TEST(MemoryPlan, Of70BNeedsFourGpusForComfort) {
  const MemoryPlan one = plan_memory(place("llama-3.1-70b", "h100"));
  EXPECT_FALSE(one.fits());
  EXPECT_EQ(one.kv_blocks, 0);
  EXPECT_LT(one.kv_bytes, 0);
  EXPECT_THAT(explain(one), HasSubstr("does not fit: weights 141 GB + activations"));
  EXPECT_THAT(explain_sum(one), HasSubstr(" > 76.5 GB available"));

  const MemoryPlan two = plan_memory(place("llama-3.1-70b", "h100", 2));
  EXPECT_TRUE(two.fits());
  EXPECT_LT(two.kv_bytes, 0.06 * two.available_bytes);
  const MemoryPlan four = plan_memory(place("llama-3.1-70b", "h100", 4));
  EXPECT_GT(four.kv_bytes, 0.45 * four.available_bytes);
  EXPECT_NEAR(four.weight_bytes, 2 * 70.55e9 / 4, 0.02e9);
  EXPECT_EQ(four.kv_bytes_per_token, 2.0 * 80 * 2 * 128 * 2);
}

TEST(MemoryPlan, SplitsLayersOverPipelineStagesRoundedUp) {
  Placement placement = place("llama-3.1-8b", "h100");
  placement.parallel.pipeline = 3;  // 11 + 11 + 10 layers
  const MemoryPlan plan = plan_memory(placement);
  const double layer = 4096.0 * (4096 + 1024 + 1024 + 4096) + 3.0 * 4096 * 14336 + 2 * 4096;
  EXPECT_NEAR(plan.weight_bytes, 2 * (11 * layer + 128256.0 * 4096 + 4096), 1);
  EXPECT_EQ(plan.kv_bytes_per_token, 2.0 * 11 * 8 * 128 * 2);
}

TEST(MemoryPlan, KeepsKvHeadsOnSeveralGpusWhenThereAreMoreGpusThanHeads) {
  Placement placement = place("qwen3-8b", "h100", 8);
  placement.architecture.kv_heads = 4;
  EXPECT_EQ(plan_memory(placement).kv_bytes_per_token, 2.0 * 36 * 1 * 128 * 2);
}

TEST(MemoryPlan, OfAMixtureHoldsAllExpertsHoweverTheyAreSplit) {
  Placement sliced = place("mixtral-8x7b", "h100", 2);
  Placement whole = sliced;
  whole.parallel.expert = 2;
  EXPECT_NEAR(plan_memory(sliced).weight_bytes, 46.7e9, 0.1e9);  // 2 bytes, 2 GPUs
  EXPECT_EQ(plan_memory(sliced).weight_bytes, plan_memory(whole).weight_bytes);
}

TEST(MemoryPlan, OfLatentAttentionCachesOneLatentOnEveryGpuAndSharesOutTheHeads) {
  Placement placement = place("deepseek-v3", "h200", 8);
  placement.precision.weights = NumberFormat::fp8;
  const MemoryPlan plan = plan_memory(placement);
  EXPECT_TRUE(plan.fits());
  EXPECT_EQ(plan.kv_bytes_per_token, (512 + 64) * 61 * 2);  // 70,272, as on one GPU
  // Whole on each: 61 projections to the latents. An eighth of each: all other matrices.
  const double down = 61 * 7168.0 * (1536 + 512 + 64);
  const double up = 61 * (1536.0 * 128 * 192 + 512.0 * 128 * 256 + 128.0 * 128 * 7168);
  const double mlp = 3 * 3 * 7168.0 * 18432 + 58 * 257 * 3 * 7168.0 * 2048;
  const double half =
      58 * 7168.0 * 256 + 61 * (2 * 7168.0 + 1536 + 512) + 7168 + 2 * 7168.0 * 129280 / 8;
  EXPECT_NEAR(plan.weight_bytes, down + (up + mlp) / 8 + 2 * half, 1);
  placement.precision.kv = NumberFormat::fp8;
  EXPECT_EQ(plan_memory(placement).kv_bytes_per_token, 35136);
}

TEST(MemoryPlan, OfTheSamplerTakesOverFromTheMlpWithManySequences) {
  Placement placement = place("llama-3.1-8b", "h100");
  // 8,192 tokens: stream, norm and output of 4,096, and three rows of 14,336, in 16 bits.
  placement.max_num_seqs = 128;
  EXPECT_NEAR(plan_memory(placement).activation_bytes, 8192 * (3 * 4096 + 3 * 14336) * 2.0, 1);
  // 38 bytes for each of 1,024 x 128,256 logits, and the last layer's output.
  placement.max_num_seqs = 1024;
  const double sampler = 1024 * 128256 * 38.0 + 8192 * 4096 * 2.0;
  EXPECT_NEAR(plan_memory(placement).activation_bytes, sampler, 1);
  // Every GPU of a tensor group has the logits of the whole vocabulary.
  placement.parallel.tensor = 4;
  EXPECT_NEAR(plan_memory(placement).activation_bytes, sampler, 1);
}

TEST(MemoryPlan, OfGptOssInMxfp4HoldsThePublishedCheckpointWithItsRowsPadded) {
  Placement placement = place("gpt-oss-120b", "h100");
  placement.precision.weights = NumberFormat::mxfp4;
  // 60.8 GiB (model card), of which 36 x 128 x 3 x 2,880 x 2,880 weights in rows of 3,072.
  const double padding = 36 * 128 * 3 * 2880.0 * (3072 - 2880) * 17 / 32;
  EXPECT_NEAR(plan_memory(placement).weight_bytes, 60.8 * 1024 * 1024 * 1024 + padding, 0.1e9);
  EXPECT_TRUE(plan_memory(placement).fits());
  // Also layers with a window keep every token: 2 · 36 · 8 · 64 elements.
  EXPECT_EQ(plan_memory(placement).kv_bytes_per_token, 73728);
  EXPECT_EQ(compute_format(placement), NumberFormat::bf16);
}

TEST(MemoryPlan, InFewerBitsKeepsTablesAndNormsInSixteen) {
  Placement placement = place("llama-3.1-8b", "h100");
  const double tables = 2 * 128256.0 * 4096, norms = (2 * 32 + 1) * 4096.0;
  const double linear = 8'030'261'248.0 - tables - norms;
  placement.precision.weights = NumberFormat::fp8;
  placement.precision.kv = NumberFormat::fp8;
  EXPECT_NEAR(plan_memory(placement).weight_bytes, linear + 2 * (tables + norms), 1);
  EXPECT_EQ(plan_memory(placement).kv_bytes_per_token, 65536);
  placement.precision.weights = NumberFormat::int4;  // with a 16-bit scale per 128
  EXPECT_NEAR(plan_memory(placement).weight_bytes, linear * 66 / 128 + 2 * (tables + norms), 1);
}

TEST(MemoryPlan, GrowsItsKvCacheWithUtilizationAndShrinksItWithTheTokenBudget) {
  Placement placement = place("llama-3.1-8b", "l40s");
  const auto blocks = [&] { return plan_memory(placement).kv_blocks; };
  const auto base = blocks();
  placement.gpu_memory_utilization = 0.95;
  EXPECT_GT(blocks(), base);
  placement.gpu_memory_utilization = 0.9;
  placement.max_num_batched_tokens = 32768;
  EXPECT_LT(blocks(), base);
}

constexpr double kMebibyte = 1024.0 * 1024, kH100 = 79.18 * 1024 * kMebibyte;

TEST(MemoryPlan, OfSglangGivesWeightsAndKvCacheItsShareOfWhatIsFreeBeforeThem) {
  Placement placement = place("llama-3.1-8b", "h100", 1, "sglang-0.5");
  placement.gpu_memory_utilization = 0.88;
  MemoryPlan plan = plan_memory(placement);
  EXPECT_NEAR(plan.kv_bytes, 0.88 * (kH100 - 600e6) - 16'060'522'496.0, 1);
  EXPECT_THAT(explain(plan), HasSubstr("all but 12 % of what is free at the start"));
  EXPECT_THAT(explain(plan), HasSubstr("peak of the largest step, in the rest"));
  // Activations lie in the rest: a larger step takes nothing from a share that is given.
  placement.max_num_batched_tokens = 16384;
  EXPECT_EQ(plan_memory(placement).kv_blocks, plan.kv_blocks);
  placement = place("llama-3.1-70b", "h100", 1, "sglang-0.5");
  EXPECT_THAT(explain_sum(plan_memory(placement)), HasSubstr("weights 141 GB + overhead 600 MB"));
}

TEST(MemoryPlan, OfSglangReservesForItsLargestStepWhereNobodySetsAShare) {
  Placement placement = place("llama-3.1-8b", "h100", 1, "sglang-0.5");
  // 512 MiB, 1.5 a token, 2 a sequence, 128 a GPU: 13,440 MiB of 81,080; SGLang itself: 0.835.
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.834);
  EXPECT_DOUBLE_EQ(plan_memory(placement).utilization, 0.834);
  placement.max_num_seqs = 1024;  // graphs end at 256 sequences
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.834);
  placement.parallel.tensor = 8;  // 7 · 128 MiB more
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.823);
  placement.max_num_batched_tokens = 1024;  // as for 2,048; a large GPU keeps 10 GiB
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.874);
  placement = place("llama-3.1-8b", "l4", 1, "sglang-0.5");
  placement.max_num_seqs = 24;
  placement.max_num_batched_tokens = 1024;  // 512 + 3,072 + 48 + 128 MiB of 22.05 GiB
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.833);
  placement.max_num_batched_tokens = 32768;
  EXPECT_THAT(error_of(placement), HasSubstr("sglang-0.5 reserves"));
  EXPECT_THAT(error_of(placement), HasSubstr("for steps of 32768 tokens, all of the memory of l4"));
  placement.gpu_memory_utilization = 0.9;
  EXPECT_EQ(error_of(placement), "accepted");
}

TEST(MemoryPlan, EveryPartOfAReserveCountsByItself) {
  Placement placement = place("llama-3.1-8b", "h100", 1, "vllm-0.19");
  EXPECT_DOUBLE_EQ(memory_utilization(placement), 0.9);
  placement.engine.reserve.least_bytes = 40e9;  // of 85.5 GB
  EXPECT_DOUBLE_EQ(memory_utilization(placement),
                   std::round(1000 * (1 - 40e9 / placement.gpu.memory_bytes)) / 1000);
  placement.engine.reserve = {};
  placement.engine.reserve.bytes_per_gpu = 1e9;
  EXPECT_NEAR(memory_utilization(placement), 0.988, 1e-9);
}

TEST(MemoryPlan, OfTensorRtLlmGivesTheKvCacheItsShareOfWhatIsFreeAtThePeak) {
  Placement placement = place("llama-3.1-8b", "h100", 1, "trtllm-1.0");
  placement.max_num_seqs = 64;
  const MemoryPlan plan = plan_memory(placement);
  const double activations = 8192 * (3 * 4096 + 3 * 14336) * 2.0;
  const double free = kH100 - 16'060'522'496.0 - activations - 2e9;
  EXPECT_NEAR(plan.kv_bytes, 0.9 * free, 1);
  EXPECT_NEAR(plan.available_bytes, kH100 - 0.1 * free, 1);
  EXPECT_THAT(explain(plan), HasSubstr("all but 10 % of what is free at the peak"));
  const MemoryPlan large = plan_memory(place("llama-3.1-70b", "h100", 1, "trtllm-1.0"));
  EXPECT_FALSE(large.fits());
  EXPECT_NEAR(large.available_bytes, kH100, 1);
}

TEST(MemoryPlan, TakesFewerCollectiveBuffersWithoutNvlink) {
  EXPECT_NEAR(plan_memory(place("llama-3.1-8b", "h100", 2, "sglang-0.5")).overhead_bytes, 2.1e9, 1);
  EXPECT_NEAR(plan_memory(place("llama-3.1-8b", "l40s", 2, "sglang-0.5")).overhead_bytes, 850e6, 1);
  // vLLM's entries make no difference.
  EXPECT_NEAR(plan_memory(place("llama-3.1-8b", "l40s", 2, "vllm-0.19")).overhead_bytes, 590e6, 1);
}

TEST(Placement, ThatNoEngineRunsIsRefusedWithTheReason) {
  EXPECT_THAT(
      error_of(place("llama-3.1-8b", "h100", 3)),
      HasSubstr("llama-3.1-8b has 32 attention heads, which tensor parallelism over 3 GPUs"));
  EXPECT_THAT(error_of(place("llama-3.1-8b", "l40s", 16)), HasSubstr("into a node of 8"));
  EXPECT_THAT(error_of(place("llama-3.1-8b", "h100", 0)), HasSubstr("tensor is 0"));
  Placement p = place("llama-3.1-8b", "h100");
  p.parallel.expert = 2;
  EXPECT_THAT(error_of(p), HasSubstr("has no experts to split"));
  p = place("mixtral-8x7b", "h100", 4);
  p.parallel.expert = 2;
  EXPECT_THAT(error_of(p), HasSubstr("expected expert: 1 or 4"));
  p = place("llama-3.1-8b", "h100");
  p.precision.kv = NumberFormat::int4;
  EXPECT_THAT(error_of(p), HasSubstr("a KV cache in int4"));
  p = place("llama-3.1-8b", "a100");
  p.precision.weights = NumberFormat::fp8;
  p.precision.activations = NumberFormat::fp8;
  EXPECT_THAT(error_of(p), HasSubstr("a100-sxm-80gb does not multiply fp8"));
  for (const double utilization : {0.0, -1.0, 1.1, std::nan("")}) {
    p = place("llama-3.1-8b", "h100");
    p.gpu_memory_utilization = utilization;
    EXPECT_THAT(error_of(p), HasSubstr("gpu_memory_utilization is"));
  }
  p = place("llama-3.1-8b", "h100");
  p.block_tokens = 0;
  EXPECT_THAT(error_of(p), HasSubstr("block_tokens is 0"));
}

TEST(Placement, MultipliesInBf16WhereTheGpuLacksTheWeightsFormat) {
  Placement p = place("llama-3.1-8b", "a100");
  p.precision.weights = NumberFormat::fp8;
  EXPECT_EQ(compute_format(p), NumberFormat::bf16);
  p.gpu = load_gpu("h100");
  EXPECT_EQ(compute_format(p), NumberFormat::fp8);
  p.precision.weights = NumberFormat::int4;
  EXPECT_EQ(compute_format(p), NumberFormat::bf16);
}

}  // namespace
}  // namespace headway
