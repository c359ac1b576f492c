#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "sim/scenario/input_error.hpp"
#include "sim/workload/arrival_process.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

using Kind = Arrivals::Kind;
constexpr Time kSecond = 1'000'000'000'000;

Arrivals law(Kind kind, double rate = 0) {
  Arrivals made;
  made.kind = kind;
  made.rate = rate;
  return made;
}

std::vector<Time> times(const Arrivals& arrivals, std::uint64_t seed, std::size_t count,
                        Time until = kLastArrival) {
  const auto process = make_arrival_process(arrivals, seed, 0);
  std::vector<Time> all;
  Time at = 0, before = 0;
  while (all.size() < count && process->next(at) && at <= until) {
    EXPECT_GE(at, before);
    all.push_back(before = at);
  }
  return all;
}

std::vector<double> gaps(const std::vector<Time>& at) {
  std::vector<double> all;
  for (std::size_t i = 1; i < at.size(); ++i) all.push_back(to_seconds(at[i] - at[i - 1]));
  return all;
}

void expect_mean(const std::vector<double>& values, double mean, double deviation) {
  double sum = 0;
  for (const double value : values) sum += value;
  const double n = static_cast<double>(values.size());
  EXPECT_LT(std::fabs(sum / n - mean), 4.5 * deviation / std::sqrt(n));
}

std::vector<double> squared_distances(std::vector<double> values, double from) {
  for (double& value : values) value = (value - from) * (value - from);
  return values;
}

double count_z(std::size_t count, double expected) {
  return (static_cast<double>(count) - expected) / std::sqrt(expected);
}

TEST(ConstantArrivals, ComeAtExactMultiplesOfThePeriod) {
  const auto at = times(law(Kind::constant, 20), 1, 1'000'001);
  for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(at[i], Time(i) * 50'000'000'000);
}

TEST(ConstantArrivals, DoNotDriftWhereThePeriodIsNoWholeNumber) {
  const auto at = times(law(Kind::constant, 7), 1, 3'000'000);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto exact = (static_cast<__int128>(i) * 2 * kSecond + 7) / 14;  // i / 7 s to nearest
    ASSERT_EQ(at[i], static_cast<Time>(exact)) << i;
  }
}

TEST(ConstantArrivals, TenAnHourIsOneInExactlySixMinutes) {
  const auto at = times(law(Kind::constant, 10.0 / 3600), 1, 20'000);
  for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(at[i], Time(i) * 360 * kSecond);
}

TEST(ConstantArrivals, ARateWithAFractionKeepsToItsBinaryValue) {
  const double rate = 1234.56789;
  const auto at = times(law(Kind::constant, rate), 1, 2'000'001);
  const long double exact = 2'000'000.0L * 1e12L / static_cast<long double>(rate);
  EXPECT_NEAR(static_cast<double>(static_cast<long double>(at.back()) - exact), 0, 1);
}

TEST(ConstantArrivals, EndAfterOneHundredAndSixDays) {
  const auto at = times(law(Kind::constant, 1.0 / 86400), 1, 1000);
  EXPECT_EQ(at.size(), 107u);  // days 0 to 106
  EXPECT_EQ(times(law(Kind::constant, 1e-9), 1, 1000).size(), 1u);
  EXPECT_EQ(times(law(Kind::constant, 1e-300), 1, 1000).size(), 1u);
}

TEST(PoissonArrivals, GapsHaveMeanAndSpreadOfTheExponentialLaw) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto all = gaps(times(law(Kind::poisson, 20), seed, 500'000));
    expect_mean(all, 0.05, 0.05);
    const std::vector<double> squares = squared_distances(all, 0.05);
    expect_mean(squares, 0.0025, 0.0025 * std::sqrt(8.0));  // fourth central moment: 9 mean⁴
  }
}

TEST(PoissonArrivals, CountsInASecondHaveVarianceEqualToTheirMean) {
  const auto at = times(law(Kind::poisson, 20), 4, 10'000'000, 20'000 * kSecond);
  std::vector<double> counts(20'000);
  for (const Time time : at)
    counts[std::min<std::size_t>(static_cast<std::size_t>(time / kSecond), 19'999)]++;
  double squares = 0;
  for (const double count : counts) squares += (count - 20) * (count - 20) / 20;
  EXPECT_LT(std::fabs(squares - 20'000) / std::sqrt(2 * 20'000.0), 4.5);
}

// At a mean gap of 2 ps, rounding every gap to whole picoseconds would bias the rate.
TEST(PoissonArrivals, KeepTheRateWhenGapsAreAFewPicoseconds) {
  const auto at = times(law(Kind::poisson, 5e11), 1, 400'000);
  EXPECT_LT(std::fabs(static_cast<double>(at.back()) / 400'000 - 2),
            4.5 * 2 / std::sqrt(400'000.0));
}

TEST(GammaArrivals, GapsHaveTheCvAskedFor) {
  for (const double cv : {0.25, 1.0, 3.0}) {
    Arrivals arrivals = law(Kind::gamma, 8);
    arrivals.cv = cv;
    const auto all = gaps(times(arrivals, 5, 500'000));
    const double deviation = cv / 8, variance = deviation * deviation;
    expect_mean(all, 1.0 / 8, deviation);
    const std::vector<double> squares = squared_distances(all, 1.0 / 8);
    // Fourth central moment of a gamma law: variance² (3 + 6 cv²).
    expect_mean(squares, variance, variance * std::sqrt(2 + 6 * cv * cv));
  }
}

Arrivals bursty() {
  Arrivals arrivals = law(Kind::mmpp);
  arrivals.states = {{2, 10}, {30, 3}, {0, 7}};
  return arrivals;
}

// Mean rate Σ rate·stay / Σ stay = (2·10 + 30·3) / 20 = 5.5 a second. The spread is taken from 400
// runs of 500 s.
TEST(MmppArrivals, ComeAtTheMeanRateOfTheStates) {
  std::vector<double> rates;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    rates.push_back(static_cast<double>(times(bursty(), seed, 1'000'000, 500 * kSecond).size()) /
                    500);
    squares += (rates.back() - 5.5) * (rates.back() - 5.5);
  }
  expect_mean(rates, 5.5, std::sqrt(squares / 400));
  // Bursts: counts spread far more than Poisson's, whose variance would be 5.5/500 in these units.
  EXPECT_GT(squares / 400, 10 * 5.5 / 500);
}

TEST(MmppArrivals, AreStationaryFromTheStart) {
  double first = 0, n = 4000;
  std::vector<double> counts;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    counts.push_back(static_cast<double>(times(bursty(), seed, 10'000, kSecond).size()));
    first += counts.back();
  }
  double squares = 0;
  for (const double count : counts) squares += (count - 5.5) * (count - 5.5);
  EXPECT_LT(std::fabs(first / n - 5.5), 4.5 * std::sqrt(squares / n / n));
}

TEST(MmppArrivals, WithEqualRatesAreAPoissonProcess) {
  Arrivals arrivals = law(Kind::mmpp);
  arrivals.states = {{10, 0.03}, {10, 0.2}};
  expect_mean(gaps(times(arrivals, 6, 300'000)), 0.1, 0.1);
}

TEST(MmppArrivals, ThatChangeStateAMillionTimesAnArrivalAreRefused) {
  Arrivals arrivals = law(Kind::mmpp);
  arrivals.states = {{1e-3, 1e-6}, {0, 1e-6}};
  EXPECT_THROW(make_arrival_process(arrivals, 1, 0), InputError);
  arrivals.states = {};
  EXPECT_THROW(make_arrival_process(arrivals, 1, 0), InputError);
}

TEST(StageArrivals, HaveEachStagesRateAndEndWithTheLast) {
  Arrivals arrivals = law(Kind::stages);
  arrivals.stages = {{100, 300}, {0, 100}, {7.5, 0.5}, {400, 200}};
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto at = times(arrivals, seed, 10'000'000);
    std::vector<std::size_t> counts(5);
    const std::vector<double> ends = {300, 400, 400.5, 600.5, 1e9};
    for (const Time time : at) {
      std::size_t stage = 0;
      while (to_seconds(time) >= ends[stage]) ++stage;
      counts[stage]++;
    }
    EXPECT_LT(std::fabs(count_z(counts[0], 30'000)), 4.5);
    EXPECT_EQ(counts[1], 0u);
    EXPECT_LT(counts[2], 20u);  // mean 3.75
    EXPECT_LT(std::fabs(count_z(counts[3], 80'000)), 4.5);
    EXPECT_EQ(counts[4], 0u);
  }
}

TEST(StageArrivals, WithAnExactNumberComeAtUniformTimesOfTheStage) {
  Arrivals arrivals = law(Kind::stages);
  arrivals.stages = {{50, 10, true}, {20, 5}, {168, 60, true}, {0.01, 10, true}};
  std::vector<double> places;  // of the third stage's requests, as shares of it
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    std::vector<std::size_t> counts(4);
    for (const Time time : times(arrivals, seed, 1'000'000)) {
      const double seconds = to_seconds(time);
      ASSERT_LT(seconds, 85);
      const int stage = seconds < 10 ? 0 : seconds < 15 ? 1 : seconds < 75 ? 2 : 3;
      ++counts[static_cast<std::size_t>(stage)];
      if (stage == 2) places.push_back((seconds - 15) / 60);
    }
    EXPECT_EQ(counts[0], 500u);
    EXPECT_LT(std::fabs(count_z(counts[1], 100)), 4.5);
    EXPECT_EQ(counts[2], 10'080u);
    EXPECT_EQ(counts[3], 0u);  // 0.1 requests, rounded
  }
  // Uniform: mean 1/2 with variance 1/12, squares of mean 1/3 with variance 4/45.
  expect_mean(places, 0.5, std::sqrt(1. / 12));
  for (double& place : places) place *= place;
  expect_mean(places, 1. / 3, std::sqrt(4. / 45));
}

TEST(StageArrivals, OfOneRateHaveExponentialGapsAcrossTheBorders) {
  Arrivals arrivals = law(Kind::stages);
  arrivals.stages.assign(200'000, {10, 0.05});  // half an arrival a stage
  const auto all = gaps(times(arrivals, 9, 1'000'000));
  EXPECT_LT(std::fabs(count_z(all.size() + 1, 100'000)), 4.5);
  expect_mean(all, 0.1, 0.1);
  const std::vector<double> squares = squared_distances(all, 0.1);
  expect_mean(squares, 0.01, 0.01 * std::sqrt(8.0));
}

TEST(DiurnalArrivals, FollowTheCosineOfTheDay) {
  Arrivals arrivals = law(Kind::diurnal, 50);
  arrivals.amplitude = 0.8;
  arrivals.period_seconds = 1000;
  arrivals.peak_at_seconds = 300;
  const int days = 20;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto at = times(arrivals, seed, 10'000'000, Time{days} * 1000 * kSecond);
    EXPECT_LT(std::fabs(count_z(at.size(), days * 50'000.0)), 4.5);
    std::vector<std::size_t> counts(10);
    for (const Time time : at)
      counts[static_cast<std::size_t>(std::fmod(to_seconds(time), 1000) / 100) % 10]++;
    for (int part = 0; part < 10; ++part) {
      // ∫ rate over the part: 100·rate + rate·amplitude·1000/2π · [sin 2π(t − 300)/1000].
      const double turn = 2 * std::numbers::pi;
      const double expected = 50 * 100 + 50 * 0.8 * 1000 / turn *
                                             (std::sin(turn * (part * 0.1 - 0.2)) -
                                              std::sin(turn * (part * 0.1 - 0.3)));
      EXPECT_LT(std::fabs(count_z(counts[static_cast<std::size_t>(part)], days * expected)), 4.5)
          << part;
    }
  }
}

TEST(Arrivals, EndAtTheHorizonAndStayEnded) {
  for (const Kind kind : {Kind::poisson, Kind::gamma, Kind::diurnal}) {
    Arrivals arrivals = law(kind, 1e-6);
    arrivals.cv = 2;
    arrivals.amplitude = 1;
    const auto process = make_arrival_process(arrivals, 3, 0);
    Time at = 0;
    int count = 0;
    while (process->next(at)) {
      ASSERT_LE(at, kLastArrival);
      ASSERT_LT(++count, 1000);
    }
    EXPECT_FALSE(process->next(at));
  }
}

TEST(Arrivals, ARateOfZeroBringsNobodyAndAHopelessRateIsRefused) {
  EXPECT_TRUE(times(law(Kind::poisson, 0), 1, 10).empty());
  EXPECT_TRUE(times(law(Kind::constant, 0), 1, 10).empty());
  EXPECT_THROW(make_arrival_process(law(Kind::poisson, 1e13), 1, 0), InputError);
  EXPECT_THROW(make_arrival_process(law(Kind::constant, NAN), 1, 0), InputError);
  EXPECT_THROW(make_arrival_process(law(Kind::constant, -1), 1, 0), InputError);
}

TEST(RateSource, SameSeedSameRequestsAndEachClassItsOwn) {
  WorkloadClass workload;
  workload.arrivals = law(Kind::poisson, 10);
  workload.input_tokens = Distribution{Distribution::Kind::lognormal, 6, 1, {}, 1, 8192};
  const auto first = make_source(workload, 1, 0), again = make_source(workload, 1, 0);
  const auto other = make_source(workload, 1, 1);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) {
    Time a = 0, b = 0, c = 0;
    RequestBody x, y, z;
    ASSERT_TRUE(first->next(a, x) && again->next(b, y) && other->next(c, z));
    EXPECT_EQ(a, b);
    EXPECT_EQ(x.input_tokens, y.input_tokens);
    equal += a == c ? 1 : 0;
  }
  EXPECT_EQ(equal, 0);
}

TEST(ClosedLoad, ThinksByItsLawAndHasBodiesByNumber) {
  WorkloadClass workload;
  workload.arrivals.kind = Kind::closed;
  workload.arrivals.think = Distribution{Distribution::Kind::exponential, 4, 0, {}, 0, 1e18};
  workload.output_tokens = Distribution{Distribution::Kind::fixed, 180, 0, {}, 0, 1e18};
  const ClosedLoad load(workload, 1, 0);
  std::vector<double> thinks;
  for (std::uint64_t i = 0; i < 200'000; ++i) thinks.push_back(to_seconds(load.think(i)));
  expect_mean(thinks, 4, 4);
  EXPECT_EQ(load.body(17).output_tokens, 180);
  EXPECT_EQ(load.body(17).input_tokens, 1);
  EXPECT_EQ(load.think(5), load.think(5));
}

TEST(ClosedLoad, AThinkTimeOfMoreThanARunIsTheLongestRun) {
  WorkloadClass workload;
  workload.arrivals.think = Distribution{Distribution::Kind::fixed, 1e12, 0, {}, 0, 1e18};
  EXPECT_EQ(ClosedLoad(workload, 1, 0).think(0), kLastArrival);
}

}  // namespace
}  // namespace headway
