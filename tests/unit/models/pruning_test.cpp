#include "models/pruning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

std::string refusal(const Architecture& architecture, const Pruning& pruning) {
  try {
    pruned(architecture, pruning);
  } catch (const ArchitectureError& error) {
    return error.what();
  }
  return "";
}

TEST(Pruning, LeavesTheShapesOfASmallerModel) {
  const Architecture a = load_model("llama-3.1-8b");  // 32 layers, 32 + 8 heads, 14,336 columns
  const Architecture b = pruned(a, {.layers = 0.25, .heads = 0.5, .ffn = 0.25});
  EXPECT_EQ(b.name, "pruned llama-3.1-8b");
  EXPECT_EQ(b.layers, 24);
  EXPECT_EQ(b.heads, 16);  // four a KV head, as before
  EXPECT_EQ(b.kv_heads, 4);
  EXPECT_EQ(b.head_dim, 128);
  EXPECT_EQ(b.hidden, 4096);
  EXPECT_EQ(b.intermediate, 10752);
  check_architecture(b, b.name);
  // A layer: q and o of 16 heads, k and v of 4, three matrices of the MLP, two norms. Beside them
  // two tables of 128,256 words and the last norm.
  const double layer = 4096.0 * 128 * (16 + 16 + 4 + 4) + 3 * 4096.0 * 10752 + 2 * 4096;
  EXPECT_EQ(count_parameters(b).total, 24 * layer + 2 * 128256.0 * 4096 + 4096);
}

TEST(Pruning, RoundsToWholeLayersWholeKvGroupsAndTilesOfColumns) {
  const Architecture a = load_model("llama-3.1-8b");
  const Architecture b = pruned(a, {.layers = 0.3, .heads = 0.3, .ffn = 0.3});
  EXPECT_EQ(b.layers, 22);              // of 22.4
  EXPECT_EQ(b.kv_heads, 6);             // of 5.6
  EXPECT_EQ(b.heads, 24);               // of 22.4
  EXPECT_EQ(b.intermediate, 157 * 64);  // of 10,035.2 = 156.8 x 64
}

TEST(Pruning, ShrinksWeightsCacheActivationsAndSteps) {
  const Placement whole = place("llama-3.1-8b", "h100");
  Placement part = whole;
  part.architecture = pruned(whole.architecture, {.layers = 0.5, .heads = 0.5, .ffn = 0.5});
  const MemoryPlan before = plan_memory(whole), after = plan_memory(part);
  EXPECT_EQ(before.kv_bytes_per_token, 32 * 2 * 8 * 128 * 2.0);
  EXPECT_EQ(after.kv_bytes_per_token, 16 * 2 * 4 * 128 * 2.0);
  EXPECT_EQ(after.weight_bytes, 2 * count_parameters(part.architecture).total);
  EXPECT_EQ(after.kv_bytes + after.weight_bytes + after.activation_bytes,
            before.kv_bytes + before.weight_bytes + before.activation_bytes);
  // A layer's moment: the stream three times and the MLP three times; else the sampler's.
  const double sampler = 8192 * 4096 * 2.0 + 256 * 128256.0 * whole.engine.sampler_bytes_per_logit;
  EXPECT_EQ(after.activation_bytes, std::max(8192 * (3 * 4096 + 3 * 7168) * 2.0, sampler));
  // Decodes read the weights, all but the embedding, in half as many kernels.
  const auto roofline = [](const Placement& p) {
    return to_seconds(make_roofline_cost(p)->step(decode_shape(1, 1)));
  };
  const double fewer = before.weight_bytes - after.weight_bytes;
  const double kernels =
      16 * (4 + 4) * whole.engine.kernel_seconds + 16 * whole.engine.attention_kernel_seconds;
  EXPECT_NEAR(roofline(whole) - roofline(part), fewer / (3.35e12 * 0.82) + kernels, 2e-5);
}

TEST(Pruning, OfAMixtureTakesColumnsOfEveryExpertAndLayersOfEveryKindInProportion) {
  const Architecture v3 = load_model("deepseek-v3");  // 61 layers, 3 of them dense, 128 heads
  const Architecture half = pruned(v3, {.layers = 0.5, .heads = 0.5, .ffn = 0.5});
  EXPECT_EQ(half.layers, 31);
  EXPECT_EQ(half.dense_layers, 2);
  EXPECT_EQ(half.heads, 64);  // of latent attention every head is one of its own
  EXPECT_EQ(half.kv_lora_rank, v3.kv_lora_rank);
  EXPECT_EQ(half.intermediate, 9216);
  EXPECT_EQ(half.moe_intermediate, 1024);
  EXPECT_EQ(half.shared_intermediate, 1024);
  EXPECT_EQ(half.experts, v3.experts);
  check_architecture(half, half.name);
  const Architecture few = pruned(v3, {.layers = 0.95});  // 3 layers, of which 0.15 dense
  EXPECT_EQ(few.layers, 3);
  EXPECT_EQ(few.dense_layers, 1);
}

TEST(Pruning, OfLayersKeepsTheShareOfThoseWithAWindow) {
  const Architecture gemma = load_model("gemma-3-12b");  // 40 of 48 layers have a window
  const Architecture half = pruned(gemma, {.layers = 0.5});
  EXPECT_EQ(half.layers, 24);
  EXPECT_EQ(half.window_layers, 20);
  EXPECT_EQ(half.window, gemma.window);
}

TEST(Pruning, LeavesEveryModelOfTheCatalogueOneThatCanBeServed) {
  for (const std::string& name : model_names()) {
    const Architecture model = load_model(name);
    for (const double share : {0.25, 0.5, 0.75}) {
      const Architecture left = pruned(model, {share, share, share});
      check_architecture(left, name);
      EXPECT_LT(count_parameters(left).total, count_parameters(model).total) << name;
    }
  }
}

TEST(Pruning, IsRefusedWhereItTakesOutNothingOrLeavesNothing) {
  const Architecture a = load_model("llama-3.1-8b");
  EXPECT_EQ(refusal(a, {.layers = 0.01}),
            "1 % of the 32 layers would leave all; expected 3.12 to 96.9 %");
  EXPECT_EQ(refusal(a, {.heads = 0.95}),
            "95 % of the 8 KV heads would leave none; expected 12.5 to 87.5 %");
  EXPECT_THAT(refusal(a, {.ffn = 0.001}), HasSubstr("0.1 % of the 14336 columns would leave all"));
  EXPECT_THAT(refusal(a, {.ffn = 1}), HasSubstr("pruning.ffn is 1; expected at least 0"));
  EXPECT_THAT(refusal(a, {.heads = std::nan("")}), HasSubstr("pruning.heads is nan"));
  EXPECT_THAT(refusal(a, {.layers = -0.1}), HasSubstr("pruning.layers is -0.1"));
  Architecture one = a;
  one.kv_heads = 1;
  EXPECT_EQ(refusal(one, {.heads = 0.5}),
            "1 KV heads are too few to take any out; expected heads: 0");
}

}  // namespace
}  // namespace headway
