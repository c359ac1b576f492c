// Rejections, runs that are cut short, and the end of time.
#include <gtest/gtest.h>

#include "runs.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

TEST(Rejections, AQueueAtItsLimitTurnsAwayWhoComes) {
  Pool pool = station(1);
  pool.max_queue = 2;
  const Recording r = run(scenario_of(logged({{0}, {100}, {200}, {300}, {1100}}), pool));
  EXPECT_EQ(r.request(3).outcome, Outcome::rejected_queue_full);
  EXPECT_EQ(r.request(3).finished, ms(300));
  EXPECT_EQ(r.request(3).started, kNever);
  EXPECT_EQ(r.request(3).first_token, kNever);
  EXPECT_EQ(r.request(4).outcome, Outcome::completed) << "the queue had room again";
  EXPECT_EQ(r.totals.rejected, 1);
  EXPECT_EQ(r.totals.completed, 4);
}

TEST(Rejections, WhatIsLargerThanTheKvCacheSaysSo) {
  Pool pool = engine();
  pool.kv.blocks = 10;  // 160 tokens
  const Recording r = run(scenario_of(logged({{0, 100, 61}, {0, 100, 62}}), pool));
  EXPECT_EQ(r.request(0).outcome, Outcome::completed);
  EXPECT_EQ(r.request(1).outcome, Outcome::rejected_kv_capacity);
  EXPECT_EQ(r.totals.output_tokens, 61) << "tokens of a rejected request are not counted";
}

TEST(Rejections, WhatIsLongerThanTheModelSaysSo) {
  Pool pool = engine();
  pool.max_model_len = 120;
  const Recording r = run(scenario_of(logged({{0, 100, 20}, {0, 100, 21}}), pool));
  EXPECT_EQ(r.request(0).outcome, Outcome::completed);
  EXPECT_EQ(r.request(1).outcome, Outcome::rejected_model_length);
}

TEST(Rejections, ARejectedUserWithoutThinkTimeDoesNotHang) {
  WorkloadClass workload = users(3);
  workload.input_tokens = Distribution{.a = 1000};
  workload.output_tokens = Distribution{.a = 1};
  Pool pool = engine();
  pool.kv.blocks = 1;
  Scenario scenario = scenario_of(workload, pool);
  scenario.run.duration_seconds = 1;
  const Recording r = run(scenario);
  EXPECT_EQ(r.totals.rejected, 3000) << "each user tries again after a millisecond";
  EXPECT_EQ(r.totals.in_flight, 0);
}

TEST(Rejections, AreKnownToTheUserAfterTheWayBack) {
  Pool pool = station(10);
  pool.max_queue = 1;
  WorkloadClass workload = users(3, 4);
  Scenario scenario = scenario_of(workload, pool);
  scenario.front.latency_seconds = 0.020;
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(2).outcome, Outcome::rejected_queue_full);
  EXPECT_EQ(r.request(2).finished, ms(40));
  EXPECT_EQ(r.request(3).scheduled, ms(40));
}

/// Endless arrivals, a thousand a second, on a station that serves nine hundred.
Scenario busy() {
  WorkloadClass workload;
  workload.arrivals.rate = 1000;
  Scenario scenario = scenario_of(workload, station(1.0 / 900));
  scenario.run.duration_seconds = 1e6;
  return scenario;
}

TEST(CancelledRun, KeepsTheIdentities) {
  int asked = 0;
  RunProgress last;
  const Recording r = run(busy(), [&](const RunProgress& progress) {
    last = progress;
    return ++asked < 5;
  });
  EXPECT_EQ(asked, 5);
  EXPECT_TRUE(r.totals.cancelled);
  EXPECT_EQ(r.totals.end, last.now);
  EXPECT_EQ(r.totals.load_end, last.now);
  EXPECT_EQ(r.totals.arrived, last.offered);
  EXPECT_GT(r.totals.in_flight, 0);
  EXPECT_EQ(r.totals.arrived, r.totals.completed + r.totals.rejected + r.totals.in_flight);
  EXPECT_EQ(r.totals.completed, static_cast<std::int64_t>(r.departed.size()));
  EXPECT_TRUE(r.totals.number_in_system_integral == r.totals.time_in_system_sum);
  EXPECT_NEAR(last.fraction, to_seconds(last.now) / 1e6, 1e-9);
}

TEST(CancelledRun, TellsOfTheStepsUnderWay) {
  for (const auto stepping : {Run::Stepping::fast, Run::Stepping::reference}) {
    // Steps of 11 ms from 15 ms on; the load ends at 100 ms, in the step from 92 to 103 ms.
    WorkloadClass workload = users(1);
    workload.input_tokens = Distribution{.a = 5};
    workload.output_tokens = Distribution{.a = 1000};
    Scenario scenario = scenario_of(workload, engine());
    scenario.run.duration_seconds = 0.100;
    scenario.run.stepping = stepping;
    const Recording r = run(scenario);
    Time busy = 0, limits = 0;
    for (const StepSpan& span : r.spans) {
      busy += span.end - span.start;
      limits += span.limits.compute + span.limits.host;
    }
    EXPECT_EQ(busy, ms(100));
    EXPECT_NEAR(to_seconds(limits), 0.100, 1e-11);
    EXPECT_EQ(r.totals.steps, 8) << "the ninth is not over";
    EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(11), 7}}));
    EXPECT_EQ(r.totals.in_flight, 1);
  }
}

TEST(CancelledRun, IsHeardBetweenEventsThatSendManyRequestsEach) {
  // Every millisecond, in one event, 20,000 users send a request that is rejected.
  WorkloadClass workload = users(20'000);
  Pool pool = station(1000);
  pool.max_queue = 1;
  Scenario scenario = scenario_of(workload, pool);
  scenario.run.duration_seconds = 1e6;
  const Recording r = run(scenario, [](const RunProgress&) { return false; });
  EXPECT_TRUE(r.totals.cancelled);
  EXPECT_LT(r.totals.arrived, 1'000'000) << "of 5 million, were it every 256th event";
}

constexpr double kDay = 86400;

TEST(EndOfTime, ARunThatGoesBeyondItIsRefused) {
  EXPECT_THROW(run(scenario_of(users(1, 3), station(60 * kDay))), RunError);
  WorkloadClass thinking = users(1, 3);
  thinking.arrivals.think.a = 60 * kDay;
  EXPECT_THROW(run(scenario_of(thinking, station(1))), RunError);
}

TEST(EndOfTime, ALoadThatEndsBeforeItIsServed) {
  Scenario scenario = scenario_of(users(1), station(60 * kDay));
  scenario.run.duration_seconds = 106 * kDay;
  const Recording r = run(scenario);
  EXPECT_EQ(r.totals.completed, 1);
  EXPECT_EQ(r.totals.in_flight, 1);
  EXPECT_EQ(r.totals.end, ms(106 * kDay * 1000));
}

TEST(EndOfTime, ARunOfDecodeStepsDoesNotWrapAround) {
  // 64 steps of nine days each are more than three times 2^64 ps.
  for (const auto stepping : {Run::Stepping::fast, Run::Stepping::reference}) {
    Pool pool = engine();
    pool.step_time = LinearStepCost{.base_seconds = 1, .seconds_per_context_token = 8};
    WorkloadClass workload = users(1, 1);
    workload.input_tokens = Distribution{.a = 100'000};
    workload.output_tokens = Distribution{.a = 1000};
    Scenario scenario = scenario_of(workload, pool);
    scenario.run.stepping = stepping;
    EXPECT_THROW(run(scenario), RunError);
    scenario.fleet.front().batching.kind = Batching::Kind::none;
    EXPECT_THROW(run(scenario), RunError);
    scenario.fleet.front() = pool;
    scenario.workload.front().arrivals.requests = 0;
    scenario.run.duration_seconds = 30 * kDay;
    const Recording r = run(scenario);
    EXPECT_EQ(r.totals.in_flight, 1);
    // 13 prefill steps of a second, then a token every 9.26 days: the first three of them.
    EXPECT_EQ(r.totals.steps, 13 + 3);
    EXPECT_EQ(r.totals.end, ms(30 * kDay * 1000));
  }
}

TEST(EndOfTime, ATimeOutBeyondItWaitsForEver) {
  Pool pool = station(1);
  pool.batching.kind = Batching::Kind::fixed;
  pool.batching.size = 2;
  pool.batching.timeout_seconds = 106 * kDay;
  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::constant;
  workload.arrivals.rate = 1 / (50 * kDay);
  Scenario scenario = scenario_of(workload, pool);
  scenario.run.duration_seconds = 105 * kDay;
  EXPECT_EQ(run(scenario).totals.completed, 2) << "of three, the third waits for a fourth";
}

}  // namespace
}  // namespace headway
