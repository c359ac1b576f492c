// 2:4 sparse weights: what they take in memory and in time, and where they are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "models/operator_times.hpp"
#include "models/roofline.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

Placement sparse(const std::string& model, const std::string& gpu,
                 NumberFormat weights = NumberFormat::bf16) {
  Placement placement = place(model, gpu);
  placement.precision.weights = weights;
  placement.precision.sparsity = Sparsity::two_of_four;
  return placement;
}

Operator product(const Placement& placement, std::int64_t tokens, std::string_view name) {
  std::vector<Operator> operators;
  list_token_operators(placement, tokens, operators);
  for (const Operator& op : operators)
    if (name == op.name) return op;
  ADD_FAILURE() << name;
  return {};
}

TEST(Sparsity, StoresHalfOfTheWeightsAndTwoBitsForEachOfThem) {
  Precision precision;
  precision.sparsity = Sparsity::two_of_four;
  EXPECT_EQ(weight_bytes(precision), 2 * 9.0 / 16);
  precision.weights = NumberFormat::fp8;
  EXPECT_EQ(weight_bytes(precision), 5.0 / 8);
  precision.weights = NumberFormat::int8;
  EXPECT_EQ(weight_bytes(precision), 5.0 / 8);
  precision.sparsity = Sparsity::none;
  EXPECT_EQ(weight_bytes(precision), 1);
}

TEST(Sparsity, LeavesEmbeddingsHeadAndNormsAsTheyAre) {
  // Llama-3.1-8B: 32 layers of q, o (4096 x 4096), k, v (4096 x 1024) and an MLP of 14,336 columns.
  const double linear = 32 * 4096.0 * (2 * 4096 + 2 * 1024 + 3 * 14336);
  const double rest = 2 * 128256.0 * 4096 + (2 * 32 + 1) * 4096;
  EXPECT_NEAR(plan_memory(sparse("llama-3.1-8b", "h100")).weight_bytes, linear * 1.125 + rest * 2,
              1);
  EXPECT_NEAR(plan_memory(sparse("llama-3.1-8b", "h100", NumberFormat::fp8)).weight_bytes,
              linear * 0.625 + rest * 2, 1);
  std::vector<Operator> head;
  list_head_operators(sparse("llama-3.1-8b", "h100"), 1, head);
  EXPECT_FALSE(head.front().sparse);
  EXPECT_GT(head.front().memory_bytes, 128256.0 * 4096 * 2);
}

TEST(Sparsity, GainsOnReadingAtSmallBatchesAndOnArithmeticAtLarge) {
  const Placement placement = sparse("llama-3.1-8b", "h100");
  const Operator small = product(placement, 1, "gate_up"),
                 large = product(placement, 8192, "gate_up");
  const double weights = 4096.0 * 28672;
  EXPECT_TRUE(small.sparse);
  EXPECT_FALSE(small.weight_only);
  const auto time = [&](const Operator& op) {
    const OperatorTime all = roofline_time(op, placement.gpu, placement.engine);
    return all.total() - all.fixed_seconds;
  };
  EXPECT_NEAR(time(small), (weights * 1.125 + (4096 + 28672) * 2) / (3.35e12 * 0.82), 1e-12);
  EXPECT_NEAR(time(large), 2 * 8192 * weights / (989.4e12 * 0.78 * 1.3), 1e-9);
  Placement dense = placement;
  dense.precision.sparsity = Sparsity::none;
  EXPECT_NEAR(time(product(dense, 8192, "gate_up")) / time(large), 1.3, 1e-9);
}

TEST(Sparsity, DoesNothingForAttention) {
  const Placement placement = sparse("llama-3.1-8b", "h100"), dense = place("llama-3.1-8b", "h100");
  EXPECT_EQ(decode_attention(placement, 1000).memory_bytes,
            decode_attention(dense, 1000).memory_bytes);
  EXPECT_EQ(prefill_attention(placement, 100, 5050).flops,
            prefill_attention(dense, 100, 5050).flops);
  EXPECT_EQ(plan_memory(placement).kv_bytes_per_token, plan_memory(dense).kv_bytes_per_token);
}

TEST(Sparsity, IsPricedByTheRooflineSinceNoProfileHasIt) {
  const Placement dense = place("llama-3.1-8b", "h100");
  const auto before = make_profile_cost(dense, {});
  const auto after = make_profile_cost(sparse("llama-3.1-8b", "h100"), {});
  const StepShape decode = decode_shape(16, 1000);
  EXPECT_LT(before->limits(decode).sources.roofline,
            0.1 * static_cast<double>(before->step(decode)));
  const StepLimits parts = after->limits(decode);
  const Picoseconds all = after->step(decode);
  EXPECT_GT(parts.sources.roofline, 0.6 * static_cast<double>(all));
  EXPECT_GT(parts.sources.profile + parts.sources.interpolation, 0);  // attention, norms, head
  EXPECT_LT(all, before->step(decode));
}

TEST(Sparsity, IsRefusedWhereNothingMultipliesIt) {
  EXPECT_EQ(refusal(sparse("llama-3.1-8b", "a100")), "");
  EXPECT_EQ(refusal(sparse("llama-3.1-8b", "mi300x", NumberFormat::fp8)), "");
  Placement old = sparse("llama-3.1-8b", "h100");
  old.gpu.sparse_2_4 = false;
  EXPECT_THAT(refusal(old), HasSubstr("h100-sxm-80gb has no matrix units that skip the zeros"));
  EXPECT_THAT(refusal(sparse("llama-3.1-8b", "h100", NumberFormat::int4)),
              HasSubstr("2:4 sparse int4 weights beside bf16 activations are not supported"));
  // The A100 does not multiply fp8: its weights would be expanded.
  EXPECT_THAT(refusal(sparse("llama-3.1-8b", "a100", NumberFormat::fp8)),
              HasSubstr("2:4 sparse fp8 weights beside bf16 activations"));
  EXPECT_THAT(refusal(sparse("llama-3.1-8b", "b200", NumberFormat::fp4)),
              HasSubstr("2:4 sparse fp4 weights"));
  EXPECT_THAT(refusal(sparse("qwen3-30b-a3b", "h100")), HasSubstr("2:4 sparse experts of"));
}

TEST(Sparsity, IsOfEveryCardOfTheCatalogue) {
  for (const std::string& name : gpu_names()) EXPECT_TRUE(load_gpu(name).sparse_2_4) << name;
}

}  // namespace
}  // namespace headway
