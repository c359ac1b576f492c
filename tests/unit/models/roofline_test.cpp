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

TEST(Operators, OfDeepSeekMultiplyTheParametersThatATokenTouches) {
  std::vector<Operator> operators;
  const Placement placement = place("deepseek-v3", "h200");
  list_token_operators(placement, 1, operators);
  EXPECT_EQ(find(operators, "qkv_down").n, 1536 + 512 + 64);
  EXPECT_EQ(find(operators, "q").n, 128 * 192);
  EXPECT_EQ(find(operators, "kv_up").n, 128 * (128 + 128));
  EXPECT_EQ(find(operators, "o").k, 128 * 128);
  EXPECT_EQ(find(operators, "gate_up").repeats, 3);
  EXPECT_EQ(find(operators, "shared_gate_up").repeats, 58);
  const ParameterCount count = count_parameters(placement.architecture);
  const double norms = count.final_norm + 61 * count.norms_and_biases;
  const double linear = count.active - count.embedding - count.lm_head - norms;
  EXPECT_NEAR(total(operators, &Operator::flops) / (2 * linear), 1, 1e-12);
}

TEST(Operators, OfLatentAttentionReadOneLatentForAllHeads) {
  const Placement one = place("deepseek-v3", "h200"), eight = place("deepseek-v3", "h200", 8);
  EXPECT_EQ(decode_attention(one, 1000).memory_bytes, 1000 * 576 * 2.0);
  EXPECT_EQ(decode_attention(eight, 1000).memory_bytes, 1000 * 576 * 2.0);
  EXPECT_EQ(decode_attention(one, 1000).flops, 2.0 * 1000 * 128 * (576 + 512));
  EXPECT_EQ(decode_attention(eight, 1000).flops, 2.0 * 1000 * 16 * (576 + 512));
  // Prompts meet keys of 192 and values of 128, projected up for every head.
  EXPECT_EQ(prefill_attention(one, 0, 1000).flops, 2.0 * 1000 * 128 * (192 + 128));
  EXPECT_EQ(prefill_attention(one, 10, 0).memory_bytes, 2.0 * 10 * 128 * (2 * 192 + 2 * 128));
}

TEST(Operators, OfGptOssLeaveAttentionInSixteenBits) {
  Placement placement = place("gpt-oss-120b", "b200");
  placement.precision.weights = NumberFormat::mxfp4;
  std::vector<Operator> operators;
  list_token_operators(placement, 1, operators);
  EXPECT_EQ(find(operators, "o").memory_bytes, 2.0 * (2880 * 4096 + 2880 + 4096));
  // Four experts of 4.25 bits a weight.
  EXPECT_NEAR(find(operators, "experts_down").memory_bytes,
              4 * 2880 * 2880 * 4.25 / 8 + 4 * 2.0 * (2880 + 2880), 1);
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

/// By a program of its own that draws routers and tokens: 45.6, 64.1, 81.0 and 92.4 of 128.
TEST(Experts, ThatSomeArePreferredAreTouchedLess) {
  EXPECT_NEAR(uneven_experts_touched(128, 4, 1), 4, 1e-9);
  EXPECT_NEAR(uneven_experts_touched(128, 4, 16), 45.6, 1);
  EXPECT_NEAR(uneven_experts_touched(128, 4, 32), 64.1, 1.5);
  EXPECT_NEAR(uneven_experts_touched(128, 4, 64), 81.0, 1.5);
  EXPECT_NEAR(uneven_experts_touched(128, 4, 128), 92.4, 2.5);
  double before = 0;
  for (const double tokens : {1.0, 2.0, 8.0, 40.0, 300.0, 1e4, 1e6}) {
    const double touched = uneven_experts_touched(256, 8, tokens);
    EXPECT_GT(touched, before);
    EXPECT_LE(touched, experts_touched(256, 8, tokens) * (1 + 1e-9));
    before = touched;
  }
  EXPECT_EQ(uneven_experts_touched(8, 2, 0), 0);
  EXPECT_EQ(uneven_experts_touched(0, 0, 5), 0);
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
  // 15 GB of matrices and LM head at 82 % of the bandwidth, 0.7 to 1 ms of launches, and 0.3 ms of
  // the engine's own on the device.
  EXPECT_NEAR(milliseconds("h100"), 15.0 / (3.35 * 0.82) + 1.15, 0.35);
  EXPECT_NEAR(milliseconds("h200"), 15.0 / (4.8 * 0.82) + 1.15, 0.35);
  EXPECT_NEAR(milliseconds("rtx-4090"), 15.0 / (1.008 * 0.82) + 1.15, 0.5);
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

TEST(Roofline, AWindowBoundsWhatItsLayersRead) {
  // gpt-oss-120b: 18 layers with full attention, 18 with a window of 128 tokens.
  Placement placement = place("gpt-oss-120b", "h200");
  placement.precision.weights = NumberFormat::mxfp4;
  const auto windows = make_roofline_cost(placement);
  placement.architecture.window = placement.architecture.window_layers = 0;
  const auto full = make_roofline_cost(placement);
  // Within the window it makes no difference, beyond it half of the layers read no more.
  const double rounding = 1e-12;
  EXPECT_NEAR(to_seconds(windows->step(decode_shape(4, 128))),
              to_seconds(full->step(decode_shape(4, 128))), rounding);
  const double layer_token = 2.0 * 8 * 64 * 2 / (4.8e12 * 0.85);  // of K and V, in seconds
  EXPECT_NEAR(
      to_seconds(full->step(decode_shape(4, 10'000)) - windows->step(decode_shape(4, 10'000))),
      18 * 4 * (10'000 - 128) * layer_token, 1e-9);
  // Of a prompt's token 128 pairs are left, less than it takes to read Q, K and V and write O.
  const double pair = 4.0 * 64 * 64 / (989.4e12 * 0.5);
  const double token = (2.0 * 64 * 64 + 2 * 8 * 64) * 2 / (4.8e12 * 0.85);
  EXPECT_GT(token, 128 * pair);
  EXPECT_NEAR(to_seconds(full->step(prefill_shape(8000)) - windows->step(prefill_shape(8000))),
              18 * (8000.0 * 8001 / 2 * pair - 8000 * token), 1e-9);
}

TEST(Roofline, StepsOfAWindowAgreeOneByOneAndTogether) {
  const auto cost = make_roofline_cost(place("gemma-3-12b", "h100"));
  Picoseconds together[200];
  cost->decode_steps(7, 7 * 950, 950, 200, together);  // grows past the window of 1024
  StepShape shape = decode_shape(7, 950);
  for (const Picoseconds step : together) {
    EXPECT_EQ(step, cost->step(shape));
    const StepLimits parts = cost->limits(shape);
    EXPECT_EQ(parts.compute + parts.memory_bandwidth + parts.network + parts.host, step);
    shape.decode_context += 7;
    ++shape.decode_context_longest;
  }
  // 40 of 48 layers stop growing at the window.
  const double before = to_seconds(together[50] - together[0]);
  EXPECT_NEAR(to_seconds(together[199] - together[149]) / before, 8.0 / 48, 1e-4);
}

TEST(Roofline, DecodesOfLatentAttentionAreCheapToReadAndDearToMultiply) {
  Placement placement = place("deepseek-v3", "h200", 8);
  placement.precision.weights = NumberFormat::fp8;
  const auto cost = make_roofline_cost(placement);
  const double token =
      to_seconds(cost->step(decode_shape(1, 100'000)) - cost->step(decode_shape(1, 50'000))) /
      50'000;
  const double read = 61 * 576 * 2 / (4.8e12 * 0.85);
  const double multiplied = 61 * 2.0 * 16 * (576 + 512) / (989.4e12 * 0.5);
  EXPECT_NEAR(token, std::max(read, multiplied), 1e-13);
  placement.parallel.tensor = 1;
  const auto alone = make_roofline_cost(placement);
  const double whole =
      to_seconds(alone->step(decode_shape(1, 100'000)) - alone->step(decode_shape(1, 50'000))) /
      50'000;
  EXPECT_NEAR(whole, 61 * 2.0 * 128 * (576 + 512) / (989.4e12 * 0.5), 1e-13);
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
  const StepShape decode = decode_shape(1, 1000);
  const Picoseconds one = make_roofline_cost(placement)->step(decode);
  placement.parallel.pipeline = 2;
  const auto cost = make_roofline_cost(placement);
  // One transfer of a token's residual stream and block output more, nothing less.
  const double send = 4.5e-6 + 2 * 4096 * 2 / (450e9 * 0.65);
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
