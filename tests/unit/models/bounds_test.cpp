#include "models/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

TEST(PlainBatches, AreStepsOfEqualContextsAndSayWhetherTheyFit) {
  const Placement placement = place("llama-3.1-8b", "rtx-4090");
  const MemoryPlan plan = plan_memory(placement);
  const auto cost = make_roofline_cost(placement);
  const auto batches = plain_batches(placement, plan, *cost, 1024);
  ASSERT_EQ(batches.size(), 6u);
  EXPECT_EQ(batches[0].sequences, 1);
  EXPECT_EQ(batches[5].sequences, 256);
  EXPECT_EQ(batches[1].step_seconds, to_seconds(cost->step(decode_shape(8, 1024))));
  EXPECT_DOUBLE_EQ(batches[1].tokens_per_second, 8 / batches[1].step_seconds);
  // About 36,000 tokens of KV cache: 32 contexts of 1024 tokens, not 64.
  EXPECT_TRUE(batches[2].fits);
  EXPECT_FALSE(batches[3].fits);
}

TEST(ThroughputBound, OfALinearCostFollowsFromItsFormula) {
  Placement placement = place("llama-3.1-8b", "h100");
  placement.max_num_seqs = 100;
  const MemoryPlan plan = plan_memory(placement);
  const auto cost = make_linear_cost({0.010, 1e-5, 0, 0});
  // 101 output tokens: 100 sequences at a time finish 100/101 requests a step, of 20 + 100 tokens
  // each.
  const ThroughputBound bound = throughput_bound(placement, plan, *cost, 20, 101);
  EXPECT_STREQ(bound.limited_by, "max_num_seqs");
  EXPECT_NEAR(bound.sequences, 100 * 100.0 / 101, 1e-9);
  const double step = 0.010 + 1e-5 * 100 / 101 * 120;
  EXPECT_NEAR(bound.step_seconds, step, 1e-5);
  EXPECT_NEAR(bound.requests_per_second, 100.0 / 101 / step, 0.1);
  EXPECT_NEAR(bound.output_tokens_per_second, 100 / step, 10);
}

TEST(ThroughputBound, NamesWhatLimitsTheBatch) {
  Placement placement = place("llama-3.1-8b", "rtx-4090");
  const MemoryPlan plan = plan_memory(placement);
  const auto cost = make_roofline_cost(placement);
  const auto limit = [&](double input, double output) {
    return std::string(throughput_bound(placement, plan, *cost, input, output).limited_by);
  };
  EXPECT_EQ(limit(1000, 1000), "KV blocks");
  EXPECT_EQ(limit(10, 100), "max_num_seqs");
  EXPECT_EQ(limit(4000, 1), "max_num_batched_tokens");
}

TEST(ThroughputBound, IsZeroWhenARequestDoesNotFit) {
  const Placement placement = place("llama-3.1-70b", "h100");
  const auto cost = make_roofline_cost(placement);
  const ThroughputBound bound =
      throughput_bound(placement, plan_memory(placement), *cost, 1000, 100);
  EXPECT_EQ(bound.requests_per_second, 0);
  EXPECT_STREQ(bound.limited_by, "KV blocks");
}

TEST(ThroughputBound, OfHostileMeansIsFinite) {
  const Placement placement = place("llama-3.1-8b", "h100");
  const MemoryPlan plan = plan_memory(placement);
  const auto cost = make_roofline_cost(placement);
  for (const double bad : {std::nan(""), -5.0, 0.0, 1e300}) {
    EXPECT_TRUE(
        std::isfinite(throughput_bound(placement, plan, *cost, bad, bad).requests_per_second));
  }
}

}  // namespace
}  // namespace headway
