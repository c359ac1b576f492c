// Data-parallel attention: ranks with sequences of their own, which share out the experts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "models/bounds.hpp"
#include "models/fullest_rank.hpp"
#include "models/operators.hpp"
#include "models/profile_cost.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

Placement ranks_of(const std::string& model, const std::string& gpu, std::int32_t data,
                   std::int32_t tensor = 1, bool whole_experts = true) {
  Placement placement = place(model, gpu, tensor);
  placement.parallel.data = data;
  placement.parallel.expert = whole_experts ? data * tensor : 1;
  return placement;
}

TEST(FullestRank, HasItsShareOfTheSequencesRoundedUp) {
  StepShape step = decode_shape(9, 1000);
  const StepShape rank = fullest_rank(step, 4, 8192);
  EXPECT_EQ(rank.decode_sequences, 3);
  EXPECT_EQ(rank.decode_context, 3000);
  EXPECT_EQ(rank.decode_context_longest, 1000);
  EXPECT_EQ(rank.sampled, 3);
  EXPECT_EQ(rank.prefill_tokens, 0);
  EXPECT_EQ(fullest_rank(decode_shape(1, 50), 8, 8192).decode_context, 50);
}

TEST(FullestRank, HoldsWholePromptChunks) {
  StepShape step = prefill_shape(600);  // one chunk: the others have none
  EXPECT_EQ(fullest_rank(step, 4, 8192).prefill_tokens, 600);
  EXPECT_EQ(fullest_rank(step, 4, 8192).prefill_pairs, 180300);  // 600 · 601 / 2
  step.prefill_tokens = 5 * 600;  // five chunks on four ranks: two on the fullest
  step.prefill_pairs = 5 * 180300;
  step.prefill_sequences = step.sampled = 5;
  const StepShape rank = fullest_rank(step, 4, 8192);
  EXPECT_EQ(rank.prefill_tokens, 1200);
  EXPECT_EQ(rank.prefill_sequences, 2);
  EXPECT_EQ(rank.prefill_pairs, 2 * 180300);
  EXPECT_EQ(rank.sampled, 2);
  // A rank's own budget of 1,000 tokens cuts its second chunk.
  EXPECT_EQ(fullest_rank(step, 4, 1000).prefill_tokens, 1000);
}

TEST(DataParallelAttention, OfOneRankIsNone) {
  const StepShape step = decode_shape(7, 300);
  const StepShape rank = fullest_rank(step, 1, 8192);
  EXPECT_EQ(rank.decode_sequences, 7);
  EXPECT_EQ(rank.decode_context, 2100);
}

TEST(DataParallelAttention, CachesTheSumOfTheRanksAndSharesOutTheExpertsAlone) {
  const MemoryPlan one = plan_memory(place("mixtral-8x7b", "h200"));
  const MemoryPlan four = plan_memory(ranks_of("mixtral-8x7b", "h200", 4));
  // A layer has 8 experts of 3 · 4,096 · 14,336 weights, in 2 bytes; three quarters are elsewhere.
  const double experts = 32 * 8 * 3 * 4096.0 * 14336 * 2;
  EXPECT_NEAR(four.weight_bytes, one.weight_bytes - experts * 3 / 4, 1);
  EXPECT_EQ(four.kv_bytes_per_token, one.kv_bytes_per_token);
  EXPECT_EQ(four.kv_blocks % 4, 0);
  const double rank = four.kv_bytes / (four.kv_bytes_per_token * 16);
  EXPECT_EQ(four.kv_blocks, 4 * static_cast<std::int64_t>(rank));
}

/// 64 tokens of 4,096 halves over four ranks of NVLink at 450 GB/s: a GPU sends three quarters of
/// them there, and of the sums back, in every layer.
TEST(DataParallelAttention, GathersTokensForTheExpertsAndScattersTheirSums) {
  std::vector<Operator> operators;
  list_expert_operators(ranks_of("mixtral-8x7b", "h100", 4), 64, operators);
  int exchanges = 0;
  for (const Operator& op : operators) {
    if (op.network_bytes == 0) continue;
    ++exchanges;
    EXPECT_EQ(op.repeats, 32);
    EXPECT_EQ(op.network_bytes, 64 * 4096 * 2.0 * 3 / 4);
  }
  EXPECT_EQ(exchanges, 2);
  list_token_operators(ranks_of("mixtral-8x7b", "h100", 4), 16, operators);
  for (const Operator& op : operators) {
    EXPECT_NE(op.kind, OperatorKind::expert_gemm);
    EXPECT_EQ(op.network_bytes, 0);
  }
}

/// All ranks wait for the fullest.
TEST(DataParallelAttention, StepsInLockstep) {
  const auto cost = make_profile_cost(ranks_of("mixtral-8x7b", "mi300x-192gb", 4), {});
  const auto seconds = [&](std::int32_t sequences) {
    return to_seconds(cost->step(decode_shape(sequences, 2000)));
  };
  // The attention of a fifth sequence on one rank: 2,000 keys and values of 32 · 2 · 8 · 128
  // halves.
  const double read = 2000 * 32 * 2 * 8 * 128 * 2.0 / (5.3e12 * 0.85);
  EXPECT_GT(seconds(17) - seconds(16), 0.9 * read);
  EXPECT_LT(seconds(20) - seconds(17), 0.5 * read);
}

TEST(DataParallelAttention, OfManySequencesIsCheaperThanTensorParallelismWithALatentCache) {
  Placement tensor = place("deepseek-v3", "h200", 8), data = ranks_of("deepseek-v3", "h200", 8);
  for (Placement* placement : {&tensor, &data}) placement->precision.weights = NumberFormat::fp8;
  tensor.parallel.expert = 8;
  // The latent of every sequence is on each GPU of a tensor group, and once among the ranks.
  EXPECT_GT(plan_memory(data).kv_blocks, 4 * plan_memory(tensor).kv_blocks);
  const StepShape many = decode_shape(512, 4000);
  EXPECT_LT(make_profile_cost(data, {})->step(many), make_profile_cost(tensor, {})->step(many));
  const StepShape lone = decode_shape(1, 4000);
  EXPECT_GT(make_profile_cost(data, {})->step(lone), make_profile_cost(tensor, {})->step(lone));
}

TEST(DataParallelAttention, AccountsForTheWholeStep) {
  const auto cost = make_profile_cost(ranks_of("mixtral-8x7b", "h100", 4), {});
  StepShape mixed = decode_shape(50, 700);
  mixed.prefill_tokens = 900;
  mixed.prefill_pairs = 3 * 45150;  // 300 · 301 / 2
  mixed.prefill_sequences = 3;
  const StepLimits limits = cost->limits(mixed);
  EXPECT_EQ(limits.compute + limits.memory_bandwidth + limits.network + limits.host,
            cost->step(mixed));
  EXPECT_GT(limits.network, 0);
  std::array<Picoseconds, 40> run{};
  cost->decode_steps(37, 37 * 900, 2000, static_cast<int>(run.size()), run.data());
  for (std::size_t i = 0; i < run.size(); ++i) {
    StepShape shape = decode_shape(37, 900 + static_cast<std::int64_t>(i));
    shape.decode_context_longest = 2000 + static_cast<std::int64_t>(i);
    ASSERT_EQ(run[i], cost->step(shape)) << i;
  }
}

TEST(DataParallelAttention, BoundsAReplicaByTheLimitsOfAllItsRanks) {
  Placement placement = ranks_of("mixtral-8x7b", "h200", 4);
  placement.max_num_seqs = 25;
  const auto cost = make_linear_cost({0.010, 1e-5, 0, 0});
  const ThroughputBound bound = throughput_bound(placement, plan_memory(placement), *cost, 20, 101);
  EXPECT_STREQ(bound.limited_by, "max_num_seqs");
  EXPECT_NEAR(bound.sequences, 100 * 100.0 / 101, 1e-9);
}

TEST(DataParallelAttention, WithoutExpertsToShareIsRefused) {
  EXPECT_THAT(refusal(ranks_of("llama-3.1-8b", "h100", 2, 1, false)),
              HasSubstr("no experts that 2 data-parallel ranks could share; expected data: 1, and "
                        "more replicas"));
  Placement split = ranks_of("mixtral-8x7b", "h100", 2, 2);
  EXPECT_EQ(refusal(split), "");
  split.parallel.expert = 2;
  EXPECT_THAT(refusal(split), HasSubstr("tensor parallelism over 2 on 2 data-parallel ranks; "
                                        "expected expert: 1 or 4"));
  EXPECT_THAT(refusal(ranks_of("deepseek-v3", "h200", 3)),
              HasSubstr("256 experts, which 3 GPUs cannot share evenly"));
  EXPECT_THAT(refusal(ranks_of("mixtral-8x7b", "h100", 0, 1, false)), HasSubstr("data is 0"));
}

}  // namespace
}  // namespace headway
