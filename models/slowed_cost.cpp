#include "models/slowed_cost.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/fixed_point.hpp"
#include "models/model_error.hpp"

namespace headway {
namespace {

class SlowedCost final : public StepCost {
 public:
  SlowedCost(const StepCost& cost, std::int64_t factor) : cost_(cost), factor_(factor) {}

  Picoseconds step(const StepShape& shape) const override { return slowed(cost_.step(shape)); }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override {
    cost_.decode_steps(sequences, context, longest, count, durations);
    for (int i = 0; i < count; ++i) durations[i] = slowed(durations[i]);
  }

  /// Each part is the difference of two slowed sums, so that all of them sum to the slowed step.
  StepLimits limits(const StepShape& shape) const override {
    StepLimits parts = cost_.limits(shape);
    Picoseconds sum = 0;
    for (Picoseconds* part :
         {&parts.compute, &parts.memory_bandwidth, &parts.network, &parts.host}) {
      const Picoseconds before = slowed(sum);
      sum += *part;
      *part = slowed(sum) - before;
    }
    for (Picoseconds* part : {&parts.sources.profile, &parts.sources.interpolation,
                              &parts.sources.roofline, &parts.sources.outside}) {
      *part = slowed(*part);
    }
    return parts;
  }

  const char* source() const override { return cost_.source(); }

 private:
  Picoseconds slowed(Picoseconds duration) const { return to_whole(Fixed{factor_} * duration); }

  const StepCost& cost_;
  const std::int64_t factor_;  // × 2^20
};

}  // namespace

std::unique_ptr<StepCost> make_slowed_cost(const StepCost& cost, double factor) {
  if (!(factor >= 1 && factor <= 1e6)) {
    throw ModelError(
        fmt::format("a step cost is slowed by the factor {:g}; expected 1 to 1,000,000", factor));
  }
  return std::make_unique<SlowedCost>(cost, std::llround(std::ldexp(factor, kFractionBits)));
}

}  // namespace headway
