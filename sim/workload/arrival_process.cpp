#include "sim/workload/arrival_process.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/scenario/input_error.hpp"
#include "sim/workload/sampler.hpp"

namespace headway {
namespace {

using Wide = unsigned __int128;

/// A gap of whole + numerator/denominator picoseconds.
struct Period {
  std::uint64_t whole = 0, numerator = 0, denominator = 1;
};

/// 10^12 / rate as an exact fraction. A period that is a whole number of picoseconds up to the
/// rounding of the rate is that number: 10 per hour is one in exactly 360 s, though 10/3600 is no
/// binary fraction.
Period exact_period(double rate) {
  const double period = kPicosecondsPerSecond / rate;
  if (!(period <= static_cast<double>(kLastArrival))) return {kLastArrival + 1, 0, 1};
  const double nearest = std::nearbyint(period);
  if (nearest >= 1 && std::fabs(period - nearest) <= nearest * 0x1p-51)
    return {static_cast<std::uint64_t>(nearest), 0, 1};
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(rate, &exponent), 53));
  // rate = mantissa · 2^(exponent − 53); the shift is in [13, 76] for rates in [1e-7, 1e12].
  const Wide numerator = Wide{1'000'000'000'000} << (53 - exponent);
  return {static_cast<std::uint64_t>(numerator / mantissa),
          static_cast<std::uint64_t>(numerator % mantissa), mantissa};
}

class ConstantArrivals : public ArrivalProcess {
 public:
  explicit ConstantArrivals(double rate)
      : period_(exact_period(rate)), remainder_(period_.denominator / 2) {}

  bool next(Time& at) override {
    if (ended_) return false;
    at = now_;
    remainder_ += period_.numerator;
    const bool carry = remainder_ >= period_.denominator;
    if (carry) remainder_ -= period_.denominator;
    const auto step = static_cast<Time>(period_.whole) + (carry ? 1 : 0);
    ended_ = step > kLastArrival - now_;
    if (!ended_) now_ += step;
    return true;
  }

 private:
  Period period_;
  Time now_ = 0;
  std::uint64_t remainder_;  // starts at a half: times are rounded to nearest
  bool ended_ = false;
};

class RenewalArrivals : public ArrivalProcess {
 public:
  RenewalArrivals(const Distribution& gap_picoseconds, const Draw& draw)
      : gap_(gap_picoseconds), draw_(draw) {}

  bool next(Time& at) override {
    if (ended_ || !now_.advance(gap_(draw_, index_++))) {
      ended_ = true;
      return false;
    }
    at = now_.whole;
    return true;
  }

 private:
  Sampler gap_;
  Draw draw_;
  std::uint64_t index_ = 0;
  ExactTime now_;
  bool ended_ = false;
};

class NoArrivals : public ArrivalProcess {
 public:
  bool next(Time&) override { return false; }
};

void check_rate(double rate) {
  if (!(rate >= 0 && rate <= kPicosecondsPerSecond))
    throw InputError(fmt::format(
        "arrivals: a rate of {:g} /s cannot be simulated; expected 0 to 1e12 /s", rate));
}

}  // namespace

std::unique_ptr<ArrivalProcess> make_arrival_process(const Arrivals& arrivals, std::uint64_t seed,
                                                     std::uint32_t entity) {
  for (const Arrivals::State& state : arrivals.states) check_rate(state.rate);
  for (const Arrivals::Stage& stage : arrivals.stages) check_rate(stage.rate);
  if (arrivals.kind == Arrivals::Kind::mmpp || arrivals.kind == Arrivals::Kind::stages)
    return make_modulated_process(arrivals, seed, entity);

  check_rate(arrivals.rate);
  if (arrivals.rate == 0) return std::make_unique<NoArrivals>();
  if (arrivals.kind == Arrivals::Kind::diurnal)
    return make_modulated_process(arrivals, seed, entity);
  if (arrivals.kind == Arrivals::Kind::constant)
    return std::make_unique<ConstantArrivals>(arrivals.rate);

  Distribution gap;
  gap.kind = arrivals.kind == Arrivals::Kind::gamma ? Distribution::Kind::gamma
                                                    : Distribution::Kind::exponential;
  gap.a = kPicosecondsPerSecond / arrivals.rate;
  gap.b = arrivals.cv;
  gap.max = 1e300;
  return std::make_unique<RenewalArrivals>(gap, Draw(seed, Stream::arrivals, entity));
}

}  // namespace headway
