#include "models/expert_stand_in.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "models/kernel_profiles.hpp"
#include "models/operators.hpp"
#include "models/profile_cost.hpp"
#include "models/roofline.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

/// A kernel that takes 50 us and 5 us an expert that it touches, of 128 with 4 a token; from 128
/// tokens on 1 us a token more.
struct Measured {
  Measured() {
    family.op = "moe";
    family.axis_names = {"tokens"};
    family.axes = {{1, 16, 128, 1024}};
    seconds = {50e-6 + 4 * 5e-6, 50e-6 + 60 * 5e-6, 50e-6 + 128 * 5e-6,
               50e-6 + 128 * 5e-6 + 896e-6};
  }
  ShapeTimes times() const { return {family.grid(seconds), TimeSource::profile, false}; }

  ProfileFamily family;
  std::vector<double> seconds;
};

Placement gpt_oss(const char* gpu, const char* engine) {
  Placement placement = place("gpt-oss-120b", gpu);
  placement.engine = load_engine(engine);
  placement.precision.weights = NumberFormat::mxfp4;
  return placement;
}

/// What all experts' weights take to read.
double reading(const Placement& placement) {
  const Architecture& a = placement.architecture;
  const double weights = 3.0 * a.hidden * static_cast<double>(a.moe_intermediate) * a.experts;
  return weights * 4.25 / 8 /
         (placement.gpu.hbm_bytes_per_second * placement.engine.bandwidth_efficiency);
}

TEST(ExpertStandIn, OfAnotherEngineReadsAtItsOwnBandwidthAfterTheMeasuredLaunches) {
  const Placement placement = gpt_oss("h200", "trtllm-1.0");
  const Measured measured;
  const ShapeTimes times =
      expert_stand_in(placement, placement.gpu, measured.family, measured.times());
  EXPECT_EQ(times.source, TimeSource::roofline);
  const double all = reading(placement);
  for (const double tokens : {1.0, 16.0, 128.0}) {
    EXPECT_NEAR(times.grid.at(tokens).seconds,
                50e-6 + all * uneven_experts_touched(128, 4, tokens) / 128, 0.03 * all);
  }
  // Beyond that, what the measured times add, on the same card.
  EXPECT_NEAR(times.grid.at(1024).seconds,
              50e-6 + all * uneven_experts_touched(128, 4, 1024) / 128 + 896e-6, 0.03 * all);
}

TEST(ExpertStandIn, OfAnotherCardLaunchesFiveKernels) {
  const Placement placement = gpt_oss("b200", "vllm-0.19");
  const Measured measured;
  const ShapeTimes times =
      expert_stand_in(placement, load_gpu("h200"), measured.family, measured.times());
  const double all = reading(placement);
  EXPECT_NEAR(times.grid.at(1).seconds,
              5 * placement.engine.kernel_seconds + all * std::pow(3072. / 2880, 2) * 4 / 128,
              0.01 * all);
  EXPECT_GT(times.grid.at(1024).seconds, times.grid.at(128).seconds);
  EXPECT_LT(times.grid.at(1024).seconds - times.grid.at(128).seconds, 896e-6);
}

/// Of whole experts the fullest GPU reads one, whoever comes: where it has one alone, times that do
/// not depend on the tokens say nothing of launches.
TEST(ExpertStandIn, OfOneExpertAGpuReadsItOnce) {
  Placement placement = place("mixtral-8x7b", "h200", 8);
  placement.engine = load_engine("trtllm-1.0");
  placement.parallel.expert = 8;
  Measured measured;
  measured.family.axes = {{1, 8, 16, 32}};
  measured.seconds = {135e-6, 135e-6, 135e-6, 137e-6};
  const ShapeTimes times =
      expert_stand_in(placement, placement.gpu, measured.family, measured.times());
  const Architecture& a = placement.architecture;
  const double one = 3.0 * a.hidden * static_cast<double>(a.moe_intermediate) * 2 /
                     (placement.gpu.hbm_bytes_per_second * placement.engine.bandwidth_efficiency);
  for (const double tokens : {1.0, 8.0, 16.0}) {
    EXPECT_NEAR(times.grid.at(tokens).seconds, one + 5 * placement.engine.kernel_seconds,
                0.05 * one);
  }
}

TEST(ExpertStandIn, DoesNotFallAsTokensCome) {
  const Placement placement = gpt_oss("h200", "trtllm-1.0");
  Measured measured;
  measured.family.axes = {{1, 16, 128, 192, 256, 320}};
  measured.seconds = {70e-6, 350e-6, 690e-6, 900e-6, 700e-6, 950e-6};
  const ShapeTimes times =
      expert_stand_in(placement, placement.gpu, measured.family, measured.times());
  double before = 0;
  for (double tokens = 1; tokens <= 320; ++tokens) {
    const double seconds = times.grid.at(tokens).seconds;
    EXPECT_GE(seconds, before) << tokens;
    before = seconds;
  }
}

/// A file that the user names is believed, whichever engine it says; and of an engine of the user's
/// own nobody knows that it has other kernels.
TEST(ExpertStandIn, IsNotForAProfileThatTheUserNamesNorForAnEngineOfNobodys) {
  Placement placement = place("mixtral-8x7b", "h200");
  placement.precision.weights = NumberFormat::fp8;
  const StepShape decodes = decode_shape(8, 500);
  const Picoseconds own = make_profile_cost(placement, {})->step(decodes);
  const std::string vllm =
      std::string(catalog_directory()) + "/profiles/h200-sxm/vllm-0.24.0/fp8.json";
  Profile profile = read_profile(vllm);
  profile.engine = "headway-0.1.0";
  const std::string path = testing::TempDir() + "mine.json";
  std::ofstream(path) << write_profile(profile);
  EXPECT_EQ(make_profile_cost(placement, {path})->step(decodes), own);
  placement.engine = load_engine("trtllm-1.0");
  EXPECT_LT(make_profile_cost(placement, {})->step(decodes), own / 2);
  placement.engine = load_engine("vllm-0.19");
  placement.engine.name = "mine";
  EXPECT_FALSE(runs_known_kernels(placement.engine));
  EXPECT_GT(make_profile_cost(placement, {})->step(decodes), own / 2);
}

/// gpt-oss has 2,880 each way: 3,072 for vLLM on FlashInfer; on 8 GPUs 360 between the products of
/// each, of which it makes 512, and TensorRT-LLM 384.
TEST(ExpertStandIn, OnBlackwellRoundsSizesUpAsTheEnginesKernelsDo) {
  const Measured measured;
  const auto all_read = [&](Placement placement, std::int32_t tensor) {
    placement.parallel.tensor = tensor;
    const ShapeTimes times =
        expert_stand_in(placement, load_gpu("h200"), measured.family, measured.times());
    const double share = uneven_experts_touched(128, 4, 128) / 128;
    return (times.grid.at(128).seconds - 5 * placement.engine.kernel_seconds) / share /
           (reading(placement) / tensor);
  };
  const double hidden = 3072. / 2880;
  EXPECT_NEAR(all_read(gpt_oss("b200", "vllm-0.19"), 1), hidden * 3072 / 2880, 0.03);
  EXPECT_NEAR(all_read(gpt_oss("b200", "vllm-0.19"), 8), hidden * 512 / 360, 0.03);
  EXPECT_NEAR(all_read(gpt_oss("b200", "trtllm-1.0"), 8), hidden * 384 / 360, 0.03);
}

/// However short the measured times are: never less than the products take at the card's peak.
TEST(ExpertStandIn, OfManyTokensIsBoundByArithmetic) {
  Placement placement = gpt_oss("h200", "trtllm-1.0");
  Measured measured;
  measured.family.axes = {{1, 16, 128, 100'000}};
  measured.seconds.back() = measured.seconds[2];
  const ShapeTimes times =
      expert_stand_in(placement, placement.gpu, measured.family, measured.times());
  const Architecture& a = placement.architecture;
  const double flops = 2.0 * 100'000 * a.experts_per_token * 3.0 * a.hidden *
                       static_cast<double>(a.moe_intermediate);
  EXPECT_GT(times.grid.at(100'000).seconds, flops / placement.gpu.flops(NumberFormat::bf16));
}

}  // namespace
}  // namespace headway
