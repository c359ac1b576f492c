#include "models/step_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "models/model_error.hpp"
#include "tests/unit/models/placements.hpp"

namespace headway {
namespace {

/// The last of them has a pipeline.
std::vector<std::unique_ptr<StepCost>> all_costs() {
  std::vector<std::unique_ptr<StepCost>> costs;
  costs.push_back(make_linear_cost({0.010, 6.25e-6, 87e-9, 3.5e-9}));
  costs.push_back(make_linear_cost({0, 0, 1.234567e-13, 0}));
  costs.push_back(make_roofline_cost(place("llama-3.1-8b", "h100")));
  costs.push_back(make_roofline_cost(place("llama-3.1-8b", "h100", 1, "vllm-0.11")));
  costs.push_back(make_roofline_cost(place("mixtral-8x7b", "l40s", 4)));
  Placement placement = place("llama-3.1-70b", "a100", 2);
  placement.parallel.pipeline = 2;
  placement.precision.weights = NumberFormat::int8;
  costs.push_back(make_roofline_cost(placement));
  return costs;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  std::int64_t up_to(std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(bits_);
  }
  StepShape shape() {
    StepShape s;
    s.prefill_sequences = static_cast<std::int32_t>(up_to(8));
    s.prefill_tokens = s.prefill_sequences == 0 ? 0 : s.prefill_sequences + up_to(8192);
    s.prefill_pairs = s.prefill_tokens * (1 + up_to(8192));
    s.decode_sequences = static_cast<std::int32_t>(up_to(256));
    const std::int64_t mean = 1 + up_to(8192);
    s.decode_context = s.decode_sequences * mean;
    s.decode_context_longest = s.decode_sequences == 0 ? 0 : mean + up_to(8192);
    s.sampled = s.decode_sequences + static_cast<std::int32_t>(up_to(s.prefill_sequences));
    return s;
  }

 private:
  std::mt19937_64 bits_;
};

std::vector<StepShape> larger_by_one(const StepShape& shape) {
  std::vector<StepShape> larger(7, shape);
  ++larger[0].prefill_tokens;
  ++larger[1].prefill_pairs;
  ++larger[2].prefill_sequences;
  ++larger[3].decode_sequences;
  ++larger[4].decode_context;
  ++larger[5].sampled;
  ++larger[6].decode_context_longest;
  return larger;
}

TEST(LinearCost, IsTheSumOfItsTerms) {
  const auto cost = make_linear_cost({0.010, 6.25e-6, 87e-9, 3.5e-9});
  StepShape shape = prefill_shape(512);
  shape.decode_sequences = 10;
  shape.decode_context = 5000;
  // 10 ms + 522 · 6.25 us + 5000 · 87 ns + 131328 · 3.5 ns.
  EXPECT_EQ(cost->step(shape),
            10'000'000'000 + 522 * 6'250'000LL + 5000 * 87'000 + 131'328 * 3'500);
  EXPECT_STREQ(cost->source(), "linear");
}

TEST(LinearCost, RefusesCoefficientsThatMakeNoTime) {
  for (const double bad : {-1e-9, std::nan(""), std::numeric_limits<double>::infinity(), 9.0}) {
    EXPECT_THROW(make_linear_cost({bad, 0, 0, 0}), ModelError);
    EXPECT_THROW(make_linear_cost({0, bad, 0, 0}), ModelError);
    EXPECT_THROW(make_linear_cost({0, 0, bad, 0}), ModelError);
    EXPECT_THROW(make_linear_cost({0, 0, 0, bad}), ModelError);
  }
}

TEST(StepCost, OfConsecutiveDecodesEqualsEachStepBitForBit) {
  Random random(20);
  for (const auto& cost : all_costs()) {
    for (int round = 0; round < 2000; ++round) {
      const auto sequences = static_cast<std::int32_t>(1 + random.up_to(round % 50 ? 300 : 20000));
      const std::int64_t context = sequences * random.up_to(round % 7 ? 8192 : 1'000'000'000);
      std::vector<Picoseconds> together(1 + random.up_to(64)), apart(together.size());
      const std::int64_t longest = context / sequences + random.up_to(8192);
      cost->decode_steps(sequences, context, longest, static_cast<int>(together.size()),
                         together.data());
      StepShape shape;
      shape.decode_sequences = shape.sampled = sequences;
      for (std::size_t i = 0; i < apart.size(); ++i) {
        shape.decode_context = context + static_cast<std::int64_t>(i) * sequences;
        shape.decode_context_longest = longest + static_cast<std::int64_t>(i);
        apart[i] = cost->step(shape);
      }
      ASSERT_EQ(together, apart) << cost->source();
    }
  }
}

TEST(StepCost, NeverFallsWhenAnAggregateGrows) {
  Random random(21);
  const auto costs = all_costs();
  for (const auto& cost : costs) {
    for (int round = 0; round < 5000; ++round) {
      const StepShape shape = random.shape();
      for (StepShape& larger : larger_by_one(shape)) {
        // More sequences can divide more evenly over the micro-batches of a pipeline.
        const bool more = larger.prefill_sequences > shape.prefill_sequences ||
                          larger.decode_sequences > shape.decode_sequences;
        if (more && cost == costs.back()) continue;
        // Its fullest micro-batch has a share of the pairs by tokens: a token more has the mean.
        if (larger.prefill_tokens > shape.prefill_tokens && cost == costs.back()) {
          larger.prefill_pairs +=
              1 + shape.prefill_pairs / std::max<std::int64_t>(1, shape.prefill_tokens);
        }
        ASSERT_GE(cost->step(larger), cost->step(shape));
      }
    }
    StepShape tokens;
    for (tokens.prefill_tokens = 1; tokens.prefill_tokens < 9000; ++tokens.prefill_tokens) {
      StepShape next = tokens;
      ++next.prefill_tokens;
      ASSERT_GE(cost->step(next), cost->step(tokens)) << tokens.prefill_tokens;
    }
  }
}

TEST(StepCost, IsSplitIntoLimitsThatSumToIt) {
  Random random(22);
  for (const auto& cost : all_costs()) {
    for (int round = 0; round < 5000; ++round) {
      const StepShape shape = random.shape();
      const StepLimits parts = cost->limits(shape);
      ASSERT_GE(parts.compute, 0);
      ASSERT_GE(parts.memory_bandwidth, 0);
      ASSERT_GE(parts.network, 0);
      ASSERT_GE(parts.host, 0);
      ASSERT_EQ(parts.compute + parts.memory_bandwidth + parts.network + parts.host,
                cost->step(shape));
    }
  }
}

TEST(StepCost, IsAtLeastOnePicosecondAndNeverOverflows) {
  for (const auto& cost : all_costs()) {
    EXPECT_GE(cost->step({}), 1);
    StepShape huge;
    huge.prefill_tokens = huge.prefill_pairs = huge.decode_context = INT64_MAX / 2;
    huge.decode_context_longest = INT64_MAX / 2;
    huge.prefill_sequences = huge.decode_sequences = huge.sampled = INT32_MAX;
    EXPECT_GE(cost->step(huge), 1);
    EXPECT_LE(cost->step(huge), std::int64_t{10} * 86400 * 1'000'000'000'000);
    const StepLimits parts = cost->limits(huge);
    EXPECT_EQ(parts.compute + parts.memory_bandwidth + parts.network + parts.host,
              cost->step(huge));
    Picoseconds durations[2];
    cost->decode_steps(INT32_MAX, INT64_MAX / 2, INT64_MAX / 2, 2, durations);
    EXPECT_GE(durations[0], 1);
    EXPECT_GE(durations[1], durations[0]);
  }
}

TEST(StepCost, BeyondTheTableContinuesWithoutAJump) {
  Placement placement = place("llama-3.1-8b", "h100");
  placement.max_num_batched_tokens = 100;
  placement.max_num_seqs = 10;
  const auto small = make_roofline_cost(placement);
  placement.max_num_batched_tokens = 8192;
  const auto large = make_roofline_cost(placement);
  for (const std::int64_t tokens : {50, 110, 111, 4000}) {
    EXPECT_EQ(small->step(prefill_shape(tokens)), large->step(prefill_shape(tokens)));
  }
}

TEST(Host, IsHiddenByAnAsynchronousEngineAndAddedByASynchronousOne) {
  Placement asynchronous = place("llama-3.1-8b", "h100"), synchronous = asynchronous;
  asynchronous.engine.asynchronous = true;
  synchronous.engine.asynchronous = false;
  const auto hidden = make_roofline_cost(asynchronous), added = make_roofline_cost(synchronous);
  const StepShape shape = decode_shape(100, 1000);
  // 800 us and 15 us a sequence.
  EXPECT_EQ(added->step(shape) - hidden->step(shape), (800 + 100 * 15) * std::int64_t{1'000'000});
  // A tiny model leaves the GPU waiting for the host.
  Placement tiny = place("llama-3.1-8b", "h100");
  tiny.architecture.layers = 1;
  EXPECT_EQ(make_roofline_cost(tiny)->step(decode_shape(256, 10)),
            (800 + 256 * 15) * std::int64_t{1'000'000});
}

}  // namespace
}  // namespace headway
