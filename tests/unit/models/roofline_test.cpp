#include "models/roofline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

Operator find(const std::vector<Operator>& operators, const std::string& name) {
  const auto at = std::find_if(operators.begin(), operators.end(),
                               [&](const Operator& op) { return op.name == name; });
  EXPECT_NE(at, operators.end()) << name;
  return at == operators.end() ? Operator{} : *at;
}

double total(const std::vector<Operator>& operators, double Operator::*what) {
  double sum = 0;
  for (const Operator& op : operators) sum += op.repeats * (op.*what);
  return sum;
}

TEST(Operators, OfLlamaHaveTheShapesOfItsMatrices) {
  std::vector<Operator> operators;
  list_token_operators(place("llama-3.1-8b", "h100"), 7, operators);
  const Operator qkv = find(operators, "qkv");
  EXPECT_EQ(qkv.repeats, 32);
  EXPECT_EQ(qkv.m, 7);
  EXPECT_EQ(qkv.n, 6144);
  EXPECT_EQ(qkv.k, 4096);
  EXPECT_EQ(qkv.flops, 2.0 * 7 * 6144 * 4096);
  EXPECT_EQ(qkv.memory_bytes, 2.0 * (6144 * 4096 + 7 * (6144 + 4096)));
  EXPECT_EQ(find(operators, "gate_up").n, 28672);
  EXPECT_EQ(find(operators, "down").k, 14336);
  // 2 operations a parameter and token, for all but the tables and norms.
  const double linear = 8'030'261'248.0 - 2 * 128256.0 * 4096 - 65 * 4096.0;
  EXPECT_DOUBLE_EQ(total(operators, &Operator::flops), 2 * 7 * linear);
}

TEST(Operators, AreShardedOverTheTensorGroupAndAddUpTheirPartsByAllReduce) {
  std::vector<Operator> whole, half;
  list_token_operators(place("llama-3.1-70b", "h100"), 16, whole);
  list_token_operators(place("llama-3.1-70b", "h100", 2), 16, half);
  EXPECT_DOUBLE_EQ(total(half, &Operator::flops), total(whole, &Operator::flops) / 2);
  EXPECT_EQ(total(whole, &Operator::network_bytes), 0);
  // Twice a layer, 16 tokens of 8192 halves, each sent 2(T − 1)/T = 1 time.
  EXPECT_EQ(total(half, &Operator::network_bytes), 2 * 80 * 16 * 8192 * 2.0);
}

TEST(Operators, OfAnEmptyStepAreNone) {
  std::vector<Operator> operators(3);
  list_token_operators(place("llama-3.1-8b", "h100"), 0, operators);
  EXPECT_TRUE(operators.empty());
  list_head_operators(place("llama-3.1-8b", "h100"), 0, operators);
  EXPECT_TRUE(operators.empty());
}

TEST(Experts, AreTouchedByMoreTokensUntilAllAre) {
  EXPECT_NEAR(experts_touched(8, 2, 1), 2, 1e-12);
  EXPECT_NEAR(experts_touched(8, 2, 2), 8 * (1 - 0.75 * 0.75), 1e-12);
  EXPECT_NEAR(experts_touched(8, 2, 1000), 8, 1e-9);
  EXPECT_EQ(experts_touched(8, 8, 1), 8);
  EXPECT_EQ(experts_touched(8, 2, 0), 0);
  EXPECT_EQ(experts_touched(0, 0, 5), 0);
}

TEST(Roofline, IsTheSlowerOfArithmeticAndMemory) {
  Gpu gpu;
  gpu.half_flops = 1000;
  gpu.hbm_bytes_per_second = 100;
  Engine engine;
  engine.kernel_seconds = 0.25;
  engine.compute_efficiency = 0.5;
  engine.bandwidth_efficiency = 0.8;
  Operator op;
  op.flops = 1000;
  op.memory_bytes = 80;
  OperatorTime time = roofline_time(op, gpu, engine);
  EXPECT_DOUBLE_EQ(time.compute_seconds, 2);
  EXPECT_DOUBLE_EQ(time.memory_seconds, 1);
  EXPECT_TRUE(time.compute_bound());
  EXPECT_DOUBLE_EQ(time.total(), 2.25);
  op.memory_bytes = 800;
  time = roofline_time(op, gpu, engine);
  EXPECT_FALSE(time.compute_bound());
  EXPECT_DOUBLE_EQ(time.total(), 10.25);
}

TEST(Roofline, OfACollectiveIsLatencyPlusBytesOverTheLink) {
  Gpu gpu;
  gpu.nvlink_bytes_per_second = 100;
  gpu.pcie_bytes_per_second = 10;
  Engine engine;
  engine.nvlink_latency_seconds = 1;
  engine.pcie_latency_seconds = 3;
  engine.link_efficiency = 0.5;
  Operator op;
  op.kind = OperatorKind::all_reduce;
  op.network_bytes = 200;
  EXPECT_DOUBLE_EQ(roofline_time(op, gpu, engine).total(), 1 + 4);
  gpu.nvlink_bytes_per_second = 0;
  EXPECT_DOUBLE_EQ(roofline_time(op, gpu, engine).total(), 3 + 40);
}

TEST(Roofline, DecodingIsLimitedByMemoryAndPromptsByArithmetic) {
  const Placement placement = place("llama-3.1-8b", "h100");
  const auto cost = make_roofline_cost(placement);
  const StepLimits decode = cost->limits(decode_shape(1, 1000));
  EXPECT_GT(decode.memory_bandwidth, 3 * (decode.compute + decode.network + decode.host));
  const StepLimits prefill = cost->limits(prefill_shape(8192));
  EXPECT_GT(prefill.compute, 4 * (prefill.memory_bandwidth + prefill.network + prefill.host));
}

TEST(Roofline, BatchOneDecodeOf8BTakesTheTimeOfItsWeights) {
  const auto milliseconds = [](const char* gpu) {
    return to_seconds(make_roofline_cost(place("llama-3.1-8b", gpu))->step(decode_shape(1, 1000))) *
           1e3;
  };
  // 15 GB of matrices and LM head at 82 % of the bandwidth, and 0.7 to 1 ms of launches.
  EXPECT_NEAR(milliseconds("h100"), 15.0 / (3.35 * 0.82) + 0.85, 0.35);
  EXPECT_NEAR(milliseconds("h200"), 15.0 / (4.8 * 0.82) + 0.85, 0.35);
  EXPECT_NEAR(milliseconds("rtx-4090"), 15.0 / (1.008 * 0.82) + 0.85, 0.5);
  EXPECT_GT(milliseconds("h100"), 6);
  EXPECT_LT(milliseconds("h100"), 8);
}

TEST(Roofline, BatchingDecodesIsNearlyFreeUntilArithmeticLimits) {
  const auto cost = make_roofline_cost(place("llama-3.1-8b", "h100"));
  const auto step = [&](std::int32_t n) { return to_seconds(cost->step(decode_shape(n, 100))); };
  EXPECT_LT(step(32), 1.25 * step(1));
  EXPECT_GT(32 / step(32), 20 / step(1));
}

TEST(Roofline, Fp8HelpsAndWeightOnlyInt4WinsWhenDecodingAndGainsNothingOnPrompts) {
  Placement placement = place("llama-3.1-8b", "h100");
  const auto bf16 = make_roofline_cost(placement);
  placement.precision.weights = NumberFormat::fp8;
  const auto fp8 = make_roofline_cost(placement);
  placement.precision.weights = NumberFormat::int4;
  const auto int4 = make_roofline_cost(placement);
  const StepShape decode = decode_shape(1, 1000), prefill = prefill_shape(8192);
  EXPECT_LT(fp8->step(decode), bf16->step(decode));
  EXPECT_LT(int4->step(decode), fp8->step(decode));
  EXPECT_LT(fp8->step(prefill), bf16->step(prefill));
  EXPECT_GT(int4->step(prefill), 0.98 * static_cast<double>(bf16->step(prefill)));
}

TEST(Roofline, TensorParallelismShortensAStepByLessThanTheNumberOfGpus) {
  const StepShape decode = decode_shape(16, 1000);
  const double two =
      to_seconds(make_roofline_cost(place("llama-3.1-70b", "h100", 2))->step(decode));
  const double four =
      to_seconds(make_roofline_cost(place("llama-3.1-70b", "h100", 4))->step(decode));
  EXPECT_LT(four, two);
  EXPECT_GT(four, two / 2);
  // PCIe costs more than NVLink.
  Placement placement = place("llama-3.1-70b", "h100", 4);
  placement.gpu.nvlink_bytes_per_second = 0;
  EXPECT_GT(to_seconds(make_roofline_cost(placement)->step(decode)), four);
}

TEST(Roofline, APipelinePassesItsStagesInTurn) {
  Placement placement = place("llama-3.1-8b", "h100");
  const StepShape decode = decode_shape(16, 1000);
  const Picoseconds one = make_roofline_cost(placement)->step(decode);
  placement.parallel.pipeline = 2;
  const auto cost = make_roofline_cost(placement);
  // One transfer of 16 tokens more, nothing less.
  const double send = 4.5e-6 + 16 * 4096 * 2 / (450e9 * 0.65);
  EXPECT_NEAR(to_seconds(cost->step(decode) - one), send, 1e-9);
}

TEST(Roofline, AMixtureReadsOnlyTheExpertsItTouches) {
  const auto cost = make_roofline_cost(place("mixtral-8x7b", "h100", 2));
  const double one = to_seconds(cost->step(decode_shape(1, 100)));
  const double many = to_seconds(cost->step(decode_shape(64, 100)));
  // 12.9 of 46.7 billion parameters are active for one token; 64 tokens touch all.
  EXPECT_GT(many / one, 2.2);
  EXPECT_LT(many / one, 46.7 / 12.9);
}

}  // namespace
}  // namespace headway
