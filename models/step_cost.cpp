#include "models/step_cost.hpp"

#include <algorithm>

#include "models/fixed_point.hpp"

namespace headway {
namespace {

class LinearCost final : public StepCost {
 public:
  explicit LinearCost(const LinearStepCost& c)
      : base_(fixed_point(c.base_seconds)),
        token_(fixed_point(c.seconds_per_token)),
        context_(fixed_point(c.seconds_per_context_token)),
        pair_(fixed_point(c.seconds_per_prefill_pair)) {}

  Picoseconds step(const StepShape& shape) const override {
    return std::max<Picoseconds>(1,
                                 to_whole(base_ + tokens(shape) + contexts(shape) + pairs(shape)));
  }

  void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest, int count,
                    Picoseconds* durations) const override {
    if (context > kLargestAggregate - std::int64_t{count} * sequences) {
      StepCost::decode_steps(sequences, context, longest, count, durations);
      return;
    }
    Fixed sum = base_ + Fixed{token_} * sequences + Fixed{context_} * context;
    const Fixed growth = Fixed{context_} * sequences;
    for (int i = 0; i < count; ++i, sum += growth) {
      durations[i] = std::max<Picoseconds>(1, to_whole(sum));
    }
  }

  StepLimits limits(const StepShape& shape) const override {
    StepLimits parts;
    const Picoseconds total = step(shape);
    parts.compute = std::min(total, to_floor(tokens(shape) + pairs(shape)));
    parts.memory_bandwidth = std::min(total - parts.compute, to_floor(contexts(shape)));
    parts.host = total - parts.compute - parts.memory_bandwidth;
    return parts;
  }

  const char* source() const override { return "linear"; }

 private:
  Fixed tokens(const StepShape& s) const { return Fixed{token_} * bounded(s.tokens()); }
  Fixed contexts(const StepShape& s) const { return Fixed{context_} * bounded(s.decode_context); }
  Fixed pairs(const StepShape& s) const { return Fixed{pair_} * bounded(s.prefill_pairs); }

  std::int64_t base_, token_, context_, pair_;
};

}  // namespace

StepLimits& StepLimits::operator+=(const StepLimits& other) {
  const auto add = [](Picoseconds& sum, Picoseconds more) { sum = time_after(sum, more); };
  add(compute, other.compute);
  add(memory_bandwidth, other.memory_bandwidth);
  add(network, other.network);
  add(host, other.host);
  add(sources.profile, other.sources.profile);
  add(sources.interpolation, other.sources.interpolation);
  add(sources.roofline, other.sources.roofline);
  add(sources.outside, other.sources.outside);
  return *this;
}

StepLimits StepLimits::operator*(std::int64_t count) const {
  const auto all = [count](Picoseconds one) {
    return count > 0 ? std::min(one, kEndOfTime / count) * count : 0;
  };
  return {all(compute),
          all(memory_bandwidth),
          all(network),
          all(host),
          {all(sources.profile), all(sources.interpolation), all(sources.roofline),
           all(sources.outside)}};
}

void StepCost::decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest,
                            int count, Picoseconds* durations) const {
  StepShape shape;
  shape.decode_sequences = sequences;
  shape.decode_context = context;
  shape.decode_context_longest = longest;
  shape.sampled = sequences;
  for (int i = 0; i < count; ++i) {
    durations[i] = step(shape);
    shape.decode_context += sequences;
    ++shape.decode_context_longest;
  }
}

std::unique_ptr<StepCost> make_linear_cost(const LinearStepCost& coefficients) {
  return std::make_unique<LinearCost>(coefficients);
}

}  // namespace headway
