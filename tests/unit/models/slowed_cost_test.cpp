// The step cost of a slow machine.
#include "models/slowed_cost.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "models/model_error.hpp"

namespace headway {
namespace {

TEST(SlowedCost, AStepOfASlowMachineTakesTheFactorTimesAsLong) {
  const auto cost = make_linear_cost({0.010, 1e-5, 1e-7, 0});
  const auto slow = make_slowed_cost(*cost, 1.5);
  StepShape shape;
  shape.decode_sequences = 8;
  shape.decode_context = 8000;
  // 10 ms + 80 µs + 800 µs = 10.88 ms; × 1.5 = 16.32 ms
  EXPECT_EQ(cost->step(shape), 10'880'000'000);
  EXPECT_EQ(slow->step(shape), 16'320'000'000);
  EXPECT_STREQ(slow->source(), "linear");
}

TEST(SlowedCost, PartsSumToTheStepAndRunsOfStepsAreItsSteps) {
  const auto cost = make_linear_cost({0.0123, 1.7e-5, 1.3e-7, 3e-9});
  const auto slow = make_slowed_cost(*cost, 1.2345678);
  std::array<Picoseconds, 64> run;
  for (std::int32_t sequences = 1; sequences < 100; sequences += 7) {
    slow->decode_steps(sequences, std::int64_t{1000} * sequences, 1500, 64, run.data());
    for (int i = 0; i < 64; ++i) {
      StepShape shape;
      shape.decode_sequences = shape.sampled = sequences;
      shape.decode_context = (1000 + i) * std::int64_t{sequences};
      shape.decode_context_longest = 1500 + i;
      EXPECT_EQ(run[static_cast<std::size_t>(i)], slow->step(shape));
      EXPECT_EQ(slow->limits(shape).total(), slow->step(shape));
    }
  }
}

TEST(SlowedCost, TakesNoFactorBelowOneAndNoneThatIsNoNumber) {
  const auto cost = make_linear_cost({0.01, 0, 0, 0});
  EXPECT_THROW(make_slowed_cost(*cost, 0.99), ModelError);
  EXPECT_THROW(make_slowed_cost(*cost, 1e7), ModelError);
  EXPECT_THROW(make_slowed_cost(*cost, std::numeric_limits<double>::quiet_NaN()), ModelError);
  EXPECT_EQ(make_slowed_cost(*cost, 1)->step({}), 10'000'000'000);
}

}  // namespace
}  // namespace headway
