#include "sim/metrics/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sim/metrics/recorder.hpp"
#include "tests/unit/metrics/single_server_queue.hpp"

namespace headway {
namespace {

std::map<Verdict, int> verdicts(double load, std::int64_t requests, int seeds) {
  std::map<Verdict, int> counts;
  for (int seed = 1; seed <= seeds; ++seed) {
    const SingleServerQueue queue{load, requests, static_cast<std::uint64_t>(seed) * 7919};
    const Scenario scenario = queue.scenario();
    Recorder recorder(scenario);
    const RunTotals totals = queue.run(recorder);
    ++counts[recorder.summarise(scenario, totals).stability.verdict];
  }
  return counts;
}

TEST(Stability, AnMM1QueueAtEightyPerCentIsStableAndItsIntervalsHoldTheTruth) {
  constexpr int kSeeds = 200;
  int stable = 0, hold_mean = 0, percentiles = 0, hold_p99 = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SingleServerQueue queue{0.8, 100'000, seed * 7919};
    const Scenario scenario = queue.scenario();
    Recorder recorder(scenario);
    const RunTotals totals = queue.run(recorder);
    const Summary summary = recorder.summarise(scenario, totals);
    EXPECT_NE(summary.stability.verdict, Verdict::unstable);
    if (summary.stability.verdict != Verdict::stable) continue;
    ++stable;
    const Figures& e2e = summary.latencies.e2e;  // exponential with mean 5
    hold_mean += std::abs(e2e.mean.value - 5) <= e2e.mean.half_width.value();
    if (!e2e.p99.half_width) continue;
    ++percentiles;
    hold_p99 += std::abs(e2e.p99.value - 5 * std::log(100)) <= *e2e.p99.half_width;
  }
  EXPECT_GE(stable, 190);
  EXPECT_GE(percentiles, 100);
  EXPECT_GE(hold_mean, 0.88 * stable);
  EXPECT_LE(hold_mean, 0.99 * stable);
  EXPECT_GE(hold_p99, 0.88 * percentiles);
  EXPECT_LE(hold_p99, 0.99 * percentiles);
}

TEST(Stability, AShortRunAtNinetyNinePerCentIsUndecided) {
  auto counts = verdicts(0.99, 20'000, 100);
  EXPECT_EQ(counts[Verdict::undecided], 100);
}

TEST(Stability, AQueueAtItsCapacityIsNeverCalledUnstableNorOftenStable) {
  auto counts = verdicts(1.0, 20'000, 100);
  EXPECT_EQ(counts[Verdict::unstable], 0);
  EXPECT_LE(counts[Verdict::stable], 2);
}

TEST(Stability, FivePerCentOverCapacityIsNeverStable) {
  auto counts = verdicts(1.05, 100'000, 30);
  EXPECT_EQ(counts[Verdict::stable], 0);
  EXPECT_GE(counts[Verdict::unstable], 29);
}

TEST(Stability, TwiceTheCapacityIsUnstableWithItsGrowthRate) {
  for (const std::int64_t requests : {1'000, 20'000}) {
    const SingleServerQueue queue{2, requests, 3};
    const Scenario scenario = queue.scenario();
    Recorder recorder(scenario);
    const RunTotals totals = queue.run(recorder);
    const Summary summary = recorder.summarise(scenario, totals);
    EXPECT_EQ(summary.stability.verdict, Verdict::unstable);
    EXPECT_NEAR(summary.stability.growth_per_second, 1, 0.15);
    EXPECT_NEAR(summary.achieved_per_second, 1, 0.1);
    EXPECT_NEAR(summary.offered_per_second, 2, 0.2);
    EXPECT_TRUE(summary.latencies.e2e.unstable);
    EXPECT_EQ(summary.latencies.e2e.mean.value, 0);
    EXPECT_FALSE(summary.latencies.queue.mean.half_width.has_value());
    EXPECT_TRUE(summary.classes.at(0).latencies.ttft.unstable);
    EXPECT_EQ(summary.bottleneck.resource, "servers");
    EXPECT_TRUE(summary.bottleneck.saturated);
  }
}

TEST(Stability, UndecidedSaysWhatWouldDecide) {
  const SingleServerQueue queue{0.99, 20'000, 1};
  const Scenario scenario = queue.scenario();
  Recorder recorder(scenario);
  const RunTotals totals = queue.run(recorder);
  const Summary summary = recorder.summarise(scenario, totals);
  ASSERT_EQ(summary.stability.verdict, Verdict::undecided);
  EXPECT_GE(summary.stability.deciding_seconds, 2 * summary.load_seconds);
  EXPECT_NE(summary.stability.what_would_decide.find("a run of about"), std::string::npos);
  EXPECT_FALSE(summary.latencies.e2e.mean.converged);
  EXPECT_FALSE(summary.latencies.e2e.mean.half_width.has_value());
  EXPECT_GT(summary.latencies.e2e.mean.value, 0);
}

/// 30 sections of 1 s; `waiting` requests more wait at the end of each.
std::vector<LoadSection> sections(int arrivals, int departures, double running_growth) {
  std::vector<LoadSection> result;
  double in_system = 0, running = 0;
  for (int i = 0; i < 30; ++i) {
    LoadSection s;
    s.seconds = 1;
    s.arrivals = arrivals;
    s.departures = departures;
    s.fewest = static_cast<std::int64_t>(in_system);
    s.in_system = in_system + (arrivals - departures) / 2.0;
    s.running = running;
    in_system += arrivals - departures;
    running += running_growth;
    result.push_back(s);
  }
  return result;
}

TEST(Stability, GrowthIsThatOfTheLastTwoThirds) {
  const Growth growth = measure_growth(sections(100, 80, 0));
  EXPECT_DOUBLE_EQ(growth.per_second, 20);
  EXPECT_DOUBLE_EQ(growth.offered_per_second, 100);
  EXPECT_EQ(growth.arrivals, 2000);
  EXPECT_DOUBLE_EQ(growth.z, 400 / 60.0);  // √(2000 + 1600) = 60
  EXPECT_TRUE(growth.waiting);
  EXPECT_FALSE(growth.empties);
}

TEST(Stability, AFleetThatIsStillFillingUpIsNotUnstable) {
  // Requests that take longer than the run: all are being served, none waits.
  const Growth growth = measure_growth(sections(100, 80, 20));
  EXPECT_FALSE(growth.waiting);
  Evidence evidence;
  evidence.growth = growth;
  evidence.samples = 2000;
  EXPECT_NE(judge(evidence).verdict, Verdict::unstable);
}

TEST(Stability, AnEmptyQueueIsStableHoweverLongLatenciesStayCorrelated) {
  Evidence evidence;
  evidence.load_seconds = 3600;
  evidence.samples = 90'000;
  evidence.mean_e2e = 2;
  evidence.waiting = 0.1;  // no interval, but requests hardly ever wait
  EXPECT_EQ(judge(evidence).verdict, Verdict::stable);
  evidence.waiting = 0.9;
  EXPECT_EQ(judge(evidence).verdict, Verdict::undecided);
}

}  // namespace
}  // namespace headway
