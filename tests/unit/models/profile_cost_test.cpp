#include "models/profile_cost.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "models/kernel_profiles.hpp"
#include "models/operators.hpp"
#include "models/roofline.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

StepShape mixed_shape(std::int32_t sequences, std::int64_t context, std::int64_t chunk) {
  StepShape shape = decode_shape(sequences, context);
  shape.prefill_tokens = chunk;
  shape.prefill_pairs = chunk * (chunk + 1) / 2;
  shape.prefill_sequences = 1;
  ++shape.sampled;
  return shape;
}

TEST(ProfileCost, IsTheRooflineOnACardWithoutProfiles) {
  const Placement placement = place("llama-3.1-8b", "mi300x-192gb");
  const auto measured = make_profile_cost(placement, {});
  const auto roofline = make_roofline_cost(placement);
  EXPECT_STREQ(measured->source(), "roofline");
  for (const StepShape& shape : {decode_shape(1, 100), decode_shape(200, 2000), prefill_shape(512),
                                 mixed_shape(64, 900, 700)}) {
    EXPECT_EQ(measured->step(shape), roofline->step(shape));
    EXPECT_EQ(measured->limits(shape).sources.profile, 0);
    EXPECT_GT(measured->limits(shape).sources.roofline, 0);
  }
}

/// The operators' own times (models/roofline.hpp), summed here.
TEST(ProfileCost, OverTheRooflineIsTheSumOfItsOperators) {
  const Placement placement = place("llama-3.1-8b", "mi300x-192gb");
  double seconds = placement.engine.device_step_overhead_seconds;
  const auto add = [&](const Operator& op) {
    seconds += op.repeats * roofline_time(op, placement.gpu, placement.engine).total();
  };
  std::vector<Operator> operators;
  list_token_operators(placement, 96, operators);
  for (const Operator& op : operators) add(op);
  list_head_operators(placement, 96, operators);
  for (const Operator& op : operators) add(op);
  add(decode_attention(placement, 96 * 3000.0));
  EXPECT_NEAR(to_seconds(make_roofline_cost(placement)->step(decode_shape(96, 3000))), seconds,
              1e-11);
}

/// Every head of DeepSeek-V3 multiplies with the one latent that is read.
TEST(ProfileCost, OfManyHeadsOverOneLatentIsBoundByArithmetic) {
  Placement placement = place("deepseek-v3", "h200", 8);
  placement.precision.weights = NumberFormat::fp8;
  placement.parallel.tensor = 1;
  placement.gpu.gpus_per_node = 1;
  const auto cost = make_roofline_cost(placement);
  const StepLimits few = cost->limits(decode_shape(64, 1000));
  const StepLimits many = cost->limits(decode_shape(64, 50'000));
  EXPECT_GT(many.compute - few.compute, 10 * (many.memory_bandwidth - few.memory_bandwidth));
}

TEST(ProfileCost, RunsOfDecodeStepsAreTheSingleSteps) {
  for (const char* model : {"llama-3.1-8b", "gpt-oss-120b", "deepseek-v3", "gemma-2-9b"}) {
    Placement placement = place(model, "h100", model == std::string("deepseek-v3") ? 8 : 1);
    if (model == std::string("gpt-oss-120b")) placement.precision.weights = NumberFormat::mxfp4;
    const auto cost = make_profile_cost(placement, {});
    std::array<Picoseconds, 50> together{};
    cost->decode_steps(37, 37 * 1200, 4000, static_cast<int>(together.size()), together.data());
    for (std::size_t i = 0; i < together.size(); ++i) {
      StepShape shape = decode_shape(37, 1200 + static_cast<std::int64_t>(i));
      shape.decode_context_longest = 4000 + static_cast<std::int64_t>(i);
      ASSERT_EQ(together[i], cost->step(shape)) << model << " " << i;
    }
  }
}

TEST(ProfileCost, RunsOfUnsplitDecodesAreTheSingleSteps) {
  const auto cost = make_profile_cost(place("llama-3.1-8b", "rtx-pro-6000"), {});
  for (const std::int32_t sequences : {32, 33, 37, 38, 60, 128}) {
    std::array<Picoseconds, 50> together{};
    cost->decode_steps(sequences, sequences * 1200, 4000, static_cast<int>(together.size()),
                       together.data());
    for (std::size_t i = 0; i < together.size(); ++i) {
      StepShape shape = decode_shape(sequences, 1200 + static_cast<std::int64_t>(i));
      shape.decode_context_longest = 4000 + static_cast<std::int64_t>(i);
      ASSERT_EQ(together[i], cost->step(shape)) << sequences << " " << i;
    }
  }
}

// LLMServingSim, profiler/perf/RTXPRO6000/meta-llama/Llama-3.1-8B/bf16/tp1/skew_fit.csv: α of pure
// decodes at the highest level of unequal contexts, 8 KV heads. Keys are split up to 37 sequences.
TEST(ProfileCost, OneLongContextCostsUnsplitDecodesWhatKernelsWereMeasuredToTake) {
  Placement placement = place("llama-3.1-8b", "rtx-pro-6000");
  placement.engine.graph_sequences_multiple = 1;  // measured without graphs
  const auto cost = make_profile_cost(placement, {});
  const struct {
    std::int32_t sequences;
    double alpha, within;
  } kFitted[] = {{29, 0.049, 0.03},  {37, 0.0315, 0.03}, {38, 0.199, 0.05},
                 {49, 0.1675, 0.05}, {55, 0.1504, 0.05}, {59, 0.1198, 0.05},
                 {62, 0.1282, 0.05}, {64, 0.0782, 0.05}, {256, 0.0392, 0.03}};
  for (const auto& one : kFitted) {
    const std::int64_t longest = 4096, mean = 1024 + (longest - 1024) / one.sequences;
    const auto seconds = [&](std::int64_t context, std::int64_t reached) {
      StepShape shape = decode_shape(one.sequences, context);
      shape.decode_context_longest = reached;
      return static_cast<double>(cost->step(shape));
    };
    const double even = seconds(mean, mean);
    const double alpha = (seconds(mean, longest) - even) / (seconds(longest, longest) - even);
    EXPECT_NEAR(alpha, one.alpha, one.within) << one.sequences;
  }
}

// The same file: α of decodes in mixed batches (chunks of 16 to 511 tokens, unequal contexts at
// their middle levels), whose keys are not split at any number of sequences.
TEST(ProfileCost, OneLongContextCostsMixedBatchesWhatKernelsWereMeasuredToTake) {
  const auto cost = make_profile_cost(place("llama-3.1-8b", "rtx-pro-6000"), {});
  const struct {
    std::int32_t sequences;
    double alpha, within;
  } kFitted[] = {{4, 0.927, 0.08},  {8, 0.390, 0.12},  {16, 0.268, 0.08},
                 {32, 0.111, 0.06}, {64, 0.046, 0.02}, {128, 0.030, 0.03}};
  for (const auto& one : kFitted) {
    const std::int64_t longest = 4096, mean = 1024;
    const auto seconds = [&](std::int64_t context, std::int64_t reached) {
      StepShape shape = mixed_shape(one.sequences, context, 64);
      shape.decode_context_longest = reached;
      return static_cast<double>(cost->step(shape));
    };
    const double even = seconds(mean, mean);
    const double alpha = (seconds(mean, longest) - even) / (seconds(longest, longest) - even);
    EXPECT_NEAR(alpha, one.alpha, one.within) << one.sequences;
  }
}

/// 33 sequences run in a graph of 40: 320 heads, whose keys the kernel does not split.
TEST(ProfileCost, DecodesTakeTheKernelOfTheGraphThatTheyRunIn) {
  Placement placement = place("llama-3.1-8b", "rtx-pro-6000");
  const auto step = [&placement](std::int32_t sequences, std::int32_t multiple) {
    placement.engine.graph_sequences_multiple = multiple;
    StepShape shape = decode_shape(sequences, 1000);
    shape.decode_context_longest = 3500;
    return make_profile_cost(placement, {})->step(shape);
  };
  EXPECT_GT(step(33, 8), step(33, 1) + 1'000'000'000);
  EXPECT_EQ(step(32, 8), step(32, 1));
  EXPECT_EQ(step(38, 8), step(38, 1));
  EXPECT_EQ(load_engine("vllm-0.19").graph_sequences_multiple, 8);
}

/// In the table of four H100s 8 MiB take 53.2 us in a graph and 62.6 us out of it.
TEST(ProfileCost, StepsBeyondTheGraphsReduceWithoutThem) {
  Placement placement = place("llama-2-70b", "h100", 4);
  placement.max_num_seqs = 512;
  placement.engine.eager_step_overhead_seconds = 0;
  const auto seconds = [&placement](std::int32_t graph_tokens, std::int64_t tokens) {
    placement.engine.graph_tokens = graph_tokens;
    return to_seconds(make_profile_cost(placement, {})->step(prefill_shape(tokens)));
  };
  // 512 tokens of 8,192 values of 16 bits are 8 MiB, twice in each of 80 layers.
  EXPECT_NEAR(seconds(511, 512) - seconds(512, 512), 160 * (62.6 - 53.2) * 1e-6, 1e-6);
  EXPECT_EQ(seconds(512, 512), seconds(0, 512));
  placement.max_num_seqs = 200;  // the largest graph is twice that
  EXPECT_GT(seconds(512, 401), seconds(0, 401));
  EXPECT_EQ(seconds(512, 400), seconds(0, 400));
  placement.engine.kernels = "trtllm-1.0";  // nobody measured its own
  EXPECT_EQ(seconds(511, 512), seconds(0, 512));
}

TEST(ProfileCost, StepsBeyondTheGraphsTakeWhatTheGpuWaitsForLaunches) {
  Placement placement = place("llama-3.1-8b", "h100");
  placement.max_num_seqs = 512;
  placement.engine.graph_tokens = 512;
  placement.engine.eager_step_overhead_seconds = 0;
  const auto without = make_profile_cost(placement, {});
  placement.engine.eager_step_overhead_seconds = 3e-3;
  const auto cost = make_profile_cost(placement, {});
  for (const StepShape& shape :
       {prefill_shape(513), mixed_shape(40, 1000, 473), decode_shape(513, 1000)}) {
    EXPECT_EQ(cost->step(shape), without->step(shape) + 3'000'000'000);
    EXPECT_EQ(cost->limits(shape).host, without->limits(shape).host + 3'000'000'000);
  }
  for (const StepShape& shape :
       {prefill_shape(512), mixed_shape(40, 1000, 472), decode_shape(512, 1000)})
    EXPECT_EQ(cost->step(shape), without->step(shape));
}

/// Steps of ten prompt tokens, far shorter on the GPU than the launches of their layers.
TEST(ProfileCost, StepsWithPromptsLastAsLongAsTheirLayersAreLaunched) {
  constexpr double kLayer = 2e-3, kExpert = 3e-3;
  const struct {
    const char *model, *gpu;
    NumberFormat weights;
    double seconds;  // 32 layers; 36 with experts
  } kCases[] = {{"llama-3.1-8b", "h100", NumberFormat::bf16, 32 * kLayer},
                {"gpt-oss-120b", "h100", NumberFormat::mxfp4, 36 * (kLayer + kExpert)},
                {"mixtral-8x7b", "h200", NumberFormat::bf16, 32 * kLayer}};  // nothing expanded
  for (const auto& one : kCases) {
    Placement placement = place(one.model, one.gpu);
    placement.precision.weights = one.weights;
    const auto without = make_profile_cost(placement, {});
    placement.engine.mixed_layer_overhead_seconds = kLayer;
    placement.engine.mixed_expert_overhead_seconds = kExpert;
    const Engine& engine = placement.engine;
    const double others = engine.step_overhead_seconds + engine.sequence_overhead_seconds +
                          10 * engine.prefill_token_overhead_seconds;
    const auto cost = make_profile_cost(placement, {});
    EXPECT_NEAR(static_cast<double>(cost->step(prefill_shape(10))), 1e12 * (one.seconds + others),
                1)
        << one.model;
    EXPECT_EQ(cost->step(decode_shape(4, 1000)), without->step(decode_shape(4, 1000)));
  }
}

TEST(ProfileCost, TellsWhereItsTimeComesFrom) {
  const Placement placement = place("llama-3.1-8b", "h100");
  const auto cost = make_profile_cost(placement, {});
  EXPECT_EQ(std::string(cost->source()).find("profile vllm-0.19.0 bf16"), 0u);
  const StepLimits limits = cost->limits(decode_shape(64, 1000));
  const Picoseconds told =
      limits.sources.profile + limits.sources.interpolation + limits.sources.roofline;
  const Picoseconds step = cost->step(decode_shape(64, 1000));
  EXPECT_EQ(limits.compute + limits.memory_bandwidth + limits.network + limits.host, step);
  // All of the GPU's time but the engine's own part of it.
  const double own = placement.engine.device_step_overhead_seconds * 1e12;
  EXPECT_NEAR(static_cast<double>(told), static_cast<double>(step) - own, 1e6);
  EXPECT_GT(limits.sources.profile + limits.sources.interpolation, limits.sources.roofline * 5);
}

/// Four kernels for each of 32 layers stream 15 GB of weights at no more than the card's 3.35 TB/s,
/// and a kernel does not waste half of it.
TEST(ProfileCost, OfALoneSequenceIsNearTheTimeOfReadingItsWeights) {
  const auto cost = make_profile_cost(place("llama-3.1-8b", "h100"), {});
  const double seconds = to_seconds(cost->step(decode_shape(1, 100)));
  EXPECT_GT(seconds, 15.0e9 / 3.35e12);
  EXPECT_LT(seconds, 2 * 15.0e9 / 3.35e12);
}

TEST(ProfileCost, OfUnequalContextsIsDearerThanOfEqualOnes) {
  const auto cost = make_profile_cost(place("llama-3.1-8b", "h100"), {});
  StepShape equal = decode_shape(64, 1000), unequal = equal;
  unequal.decode_context_longest = 8000;
  EXPECT_GT(cost->step(unequal), cost->step(equal));
}

TEST(ProfileCost, BesidePromptsDecodesAreDearerWhereOneKernelServesBoth) {
  const auto cost = make_profile_cost(place("llama-3.1-8b", "rtx-pro-6000"), {});
  // What 64 decodes add to a step with 512 prompt tokens, over what they take alone, less the
  // products that both share.
  const Picoseconds prompt = cost->step(prefill_shape(512));
  const Picoseconds both = cost->step(mixed_shape(64, 2000, 512));
  const Picoseconds fewer = cost->step(mixed_shape(64, 100, 512));
  EXPECT_GT(both - prompt, 0);
  const Picoseconds alone = cost->step(decode_shape(64, 2000)),
                    alone_fewer = cost->step(decode_shape(64, 100));
  EXPECT_GT(both - fewer, (alone - alone_fewer) * 11 / 10);
}

TEST(Pipeline, OfTwoStagesServesTwoMicroBatches) {
  Placement one = place("llama-3.1-70b", "h100", 4), two = one;
  two.parallel.pipeline = 2;
  const auto whole = make_profile_cost(one, {}), staged = make_profile_cost(two, {});
  // A lone sequence passes all layers as before, and a wire.
  EXPECT_GE(staged->step(decode_shape(1, 500)), whole->step(decode_shape(1, 500)));
  EXPECT_LT(staged->step(decode_shape(1, 500)), whole->step(decode_shape(1, 500)) * 11 / 10);
  // Prompts are bound by compute: two stages work at two micro-batches at a time.
  StepShape prompts = prefill_shape(4096);
  prompts.prefill_sequences = 2;
  prompts.prefill_pairs = 2 * 2048 * 2049 / 2;
  const double gain =
      static_cast<double>(whole->step(prompts)) / static_cast<double>(staged->step(prompts));
  EXPECT_GT(gain, 1.7);
  EXPECT_LT(gain, 2.1);
}

TEST(TensorParallelism, OfASmallModelOverPcieIsSlowerThanOneCard) {
  const StepShape prompt = prefill_shape(2048);
  const auto one = make_profile_cost(place("mistral-7b-v0.3", "a100-pcie-80gb"), {});
  const auto eight = make_profile_cost(place("mistral-7b-v0.3", "a100-pcie-80gb", 8), {});
  EXPECT_GT(eight->step(prompt), one->step(prompt));
  const auto nvlink = make_profile_cost(place("mistral-7b-v0.3", "a100-sxm-80gb", 8), {});
  EXPECT_LT(nvlink->step(prompt), one->step(prompt));
}

TEST(KernelProfiles, TakeTheNearestVersionOfTheEngineAndThenOthers) {
  const Gpu gpu = load_gpu("h100");
  const KernelProfiles vllm(gpu, load_engine("vllm-0.15"), {});
  EXPECT_EQ(vllm.find("gemm", "bf16").profile->head().engine, "vllm-0.19.0");
  EXPECT_EQ(vllm.find("moe", "bf16").profile->head().engine,
            "vllm-0.24.0");  // 0.19.0 has no experts
  const KernelProfiles trtllm(gpu, load_engine("trtllm-1.0"), {});
  EXPECT_EQ(trtllm.find("gemm", "fp8").profile->head().engine, "trtllm-1.3.0rc20");
  EXPECT_FALSE(vllm.find("gemm", "int8"));
  EXPECT_TRUE(vllm.find("gemm", "bf16").of_engine("vllm-0.11"));
  EXPECT_FALSE(vllm.find("gemm", "bf16").of_engine("trtllm-1.0"));
}

}  // namespace
}  // namespace headway
