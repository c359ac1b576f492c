// A retry storm: a burst of some seconds fills the queue, clients give up just before or while they
// are served, and come again. Once attempts arrive faster than they can be served, each server
// takes those who have waited nearly as long as they can and works for nobody: the overload keeps
// itself up after the burst is gone (a metastable failure: Bronson, Aghayev, Charapko and Zhu,
// Metastable Failures in Distributed Systems, HotOS 2021).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "agreement.hpp"
#include "sim/engine/engine.hpp"

namespace headway {
namespace {

// Ten servers of 100 ms: 100 a second. 30 a second are offered, and 300 for two seconds.
constexpr double kServiceTime = 0.1, kRate = 30, kBurstRate = 300, kBefore = 20, kBurst = 2,
                 kAfter = 400;

/// Good answers a second, from 300 s after the burst on.
struct GoodputLongAfter final : Observer {
  static constexpr double kFrom = kBefore + kBurst + 300, kUntil = kBefore + kBurst + kAfter;
  std::int64_t completed = 0;
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time now, const RequestRecord& record) override {
    const double at = to_seconds(now);
    completed += record.outcome == Outcome::completed && at >= kFrom && at < kUntil ? 1 : 0;
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
  double per_second() const { return static_cast<double>(completed) / (kUntil - kFrom); }
};

/// Clients wait a second, and try again at once, ten times in all.
Scenario storm() {
  Scenario scenario = open_queue(kRate, fixed_law(kServiceTime), 0, 10);
  WorkloadClass& clients = scenario.workload[0];
  clients.arrivals.kind = Arrivals::Kind::stages;
  clients.arrivals.stages = {{kRate, kBefore}, {kBurstRate, kBurst}, {kRate, kAfter}};
  clients.timeouts.total = fixed_law(1);
  clients.retries.attempts = 10;
  clients.retries.backoff_seconds = 0;
  return scenario;
}

double goodput_long_after(const std::string& name, Scenario scenario, std::uint64_t seed) {
  scenario.run.seed = seed;
  GoodputLongAfter watch;
  run_scenario(scenario, watch);
  std::cout << fmt::format("{:<34} seed {}  {:6.2f} good answers a second of {} asked for\n", name,
                           seed, watch.per_second(), kRate);
  return watch.per_second();
}

// Poisson at 30 a second over 100 s: 30 ± 0.55.
constexpr double kFour = 4 * 0.55;

TEST(RetryStorm, KeepsAStationDownLongAfterItsCause) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_LT(goodput_long_after("retries at once", storm(), seed), 0.05 * kRate);
  }
}

TEST(RetryStorm, DoesNotComeWithoutRetries) {
  Scenario scenario = storm();
  scenario.workload[0].retries.attempts = 1;
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NEAR(goodput_long_after("no retries", scenario, seed), kRate, kFour);
  }
}

TEST(RetryStorm, EndsWhereClientsBackOff) {
  Scenario scenario = storm();
  Retries& retries = scenario.workload[0].retries;
  retries.backoff_seconds = 10;
  retries.factor = 2;
  retries.longest_seconds = 600;
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_GT(goodput_long_after("back-off from 10 s, jitter", scenario, seed), kRate - kFour);
  }
}

TEST(RetryStorm, EndsWhereTheFrontLetsNoMoreInThanCanBeServedInTime) {
  // Fifty inside wait half a second at most.
  Scenario scenario = storm();
  scenario.admission.max_requests = 50;
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NEAR(goodput_long_after("50 inside at most", scenario, seed), kRate, kFour);
  }
}

}  // namespace
}  // namespace headway
