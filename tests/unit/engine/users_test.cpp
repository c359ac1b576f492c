// Users and clients in motion: closed loops, caps, the way to the fleet and back.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

/// The integral of the number in system, in request-seconds.
double in_system_seconds(const Recording& r) {
  return static_cast<double>(r.totals.number_in_system_integral) / 1e12;
}

TEST(ClosedLoop, UsersWhoDoNotThinkKeepExactlyTheirNumberInFlight) {
  Scenario scenario = scenario_of(users(5), station(0.010));
  scenario.run.duration_seconds = 10;
  const Recording r = run(scenario);
  EXPECT_TRUE(r.totals.number_in_system_integral == static_cast<__int128>(5) * ms(10'000));
  EXPECT_EQ(r.most_in_system, 5);
  EXPECT_EQ(r.totals.in_flight, 5);
  EXPECT_EQ(r.totals.completed, 999)
      << "one every 10 ms; the load ends before what else is at 10 s";
  for (std::size_t i = 5; i < r.departed.size(); ++i) {
    EXPECT_EQ(r.departed[i].scheduled, r.departed[i - 5].finished);
  }
}

TEST(ClosedLoop, EndsWithItsLastRequestsAnswer) {
  const Recording r = run(scenario_of(users(4, 10), station(0.010)));
  EXPECT_EQ(r.totals.arrived, 10);
  EXPECT_EQ(r.totals.completed, 10);
  EXPECT_EQ(r.totals.end, ms(100));
  EXPECT_EQ(r.totals.load_end, ms(60)) << "the tenth request follows the sixth answer";
  // Four in system until the sixth answer, then one less every 10 ms.
  EXPECT_NEAR(in_system_seconds(r), 4 * 0.07 + (3 + 2 + 1) * 0.01, 1e-12);
}

TEST(ClosedLoop, FewerRequestsThanUsersSendOnceEach) {
  const Recording r = run(scenario_of(users(100, 3), station(0.010)));
  EXPECT_EQ(r.totals.arrived, 3);
  EXPECT_EQ(r.most_in_system, 3);
}

TEST(ClosedLoop, ThinkingUsersStartAfterTheirFirstThoughtAndThinkAfterEachAnswer) {
  WorkloadClass workload = users(1, 3);
  workload.arrivals.think.a = 0.1;
  const Recording r = run(scenario_of(workload, station(0.010)));
  EXPECT_EQ(r.request(0).scheduled, ms(100));
  EXPECT_EQ(r.request(1).scheduled, ms(210));
  EXPECT_EQ(r.request(2).scheduled, ms(320));
}

TEST(ClosedLoop, StopsAtTheRunsRequestsThoughItsOwnGoOn) {
  // The run ends its load while the loop is issuing: the loop has to stay stopped.
  Scenario scenario = scenario_of(users(4, 1000), engine());
  scenario.run.requests = 6;
  const Recording r = run(scenario);
  EXPECT_EQ(r.totals.arrived, 6);
  EXPECT_EQ(r.totals.completed, 6);
  EXPECT_EQ(r.totals.in_flight, 0);
}

TEST(CappedClient, HeldRequestsCountFromTheirSchedule) {
  // A request every 100 ms, one in flight at a time, 150 ms each: request k leaves at 150·k.
  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::constant;
  workload.arrivals.rate = 10;
  workload.max_concurrency = 1;
  Scenario scenario = scenario_of(workload, station(0.150));
  scenario.run.duration_seconds = 10;
  const Recording r = run(scenario);
  ASSERT_EQ(r.departed.size(), 66u);  // 66·150 ms = 9.9 s
  for (const RequestRecord& record : r.departed) {
    const double k = static_cast<double>(record.id);
    EXPECT_EQ(record.scheduled, ms(100 * k));
    EXPECT_EQ(record.sent, ms(150 * k));
    EXPECT_EQ(record.queued, record.sent);
    EXPECT_EQ(record.finished, ms(150 * (k + 1)));
  }
}

TEST(CappedClient, AConnectionIsFreeAgainAfterTheTurnaround) {
  WorkloadClass workload = logged({{0}, {10}, {20}, {1000}});
  workload.max_concurrency = 2;
  workload.turnaround_seconds = 0.050;
  const Recording r = run(scenario_of(workload, station(0.030)));
  EXPECT_EQ(r.request(0).sent, 0);
  EXPECT_EQ(r.request(1).sent, ms(10));
  EXPECT_EQ(r.request(2).sent, ms(30 + 50)) << "the first answer and the turnaround";
  EXPECT_EQ(r.request(3).sent, ms(1000)) << "both connections are free again";
}

TEST(Front, ItsLatencyShiftsTheFirstTokenByTwiceItself) {
  const std::vector<Logged> requests = {{0, 10, 5}, {700, 20, 3}};
  Scenario scenario = scenario_of(logged(requests), engine());
  const Recording near = run(scenario);
  scenario.front.latency_seconds = 0.005;
  const Recording far = run(scenario);
  for (const std::uint64_t id : {0u, 1u}) {
    EXPECT_EQ(far.request(id).queued, near.request(id).queued + ms(5));
    EXPECT_EQ(far.request(id).first_token, near.request(id).first_token + ms(10));
    EXPECT_EQ(far.request(id).finished, near.request(id).finished + ms(10));
  }
}

TEST(Front, AUserLearnsOfTheAnswerAfterTheWayBack) {
  Scenario scenario = scenario_of(users(1, 3), station(0.010));
  scenario.front.latency_seconds = 0.003;
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(1).scheduled, ms(16));
  EXPECT_EQ(r.request(2).scheduled, ms(32));
  EXPECT_EQ(r.request(2).finished, ms(48));
}

TEST(Front, RequestsOnTheWayKeepTheirOrderAndEachItsLatency) {
  Scenario scenario = scenario_of(logged({{0}, {1}, {2}, {50}}), station(0.001));
  scenario.front.latency_seconds = 0.010;
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(0).queued, ms(10));
  EXPECT_EQ(r.request(1).queued, ms(11));
  EXPECT_EQ(r.request(2).queued, ms(12));
  EXPECT_EQ(r.request(3).queued, ms(60));
}

TEST(Front, ItsBandwidthIsShared) {
  // Two requests of 100 kB at 1 MB/s share the link: both queue after 200 ms and 5 ms of latency.
  WorkloadClass workload = logged({{0}, {0}});
  workload.request_bytes = Distribution{.a = 100'000};
  Scenario scenario = scenario_of(workload, station(0.010));
  scenario.front = {.bandwidth = 1e6, .latency_seconds = 0.005};
  const Recording r = run(scenario);
  EXPECT_EQ(r.request(0).queued, ms(205));
  EXPECT_EQ(r.request(1).queued, ms(205));
  EXPECT_EQ(r.request(0).finished, ms(205 + 10 + 5));
}

TEST(Engine, ItsOwnTimeForARequestIsPartOfTheAnswer) {
  Pool pool = engine();
  WorkloadClass workload = users(1, 2);
  workload.input_tokens = Distribution{.a = 5};
  workload.output_tokens = Distribution{.a = 2};
  const Recording bare = run(scenario_of(workload, pool));
  pool.placement.engine.request_overhead_seconds = 0.007;
  const Recording r = run(scenario_of(workload, pool));
  EXPECT_EQ(bare.request(0).first_token, ms(15));
  EXPECT_EQ(r.request(0).first_token, ms(22));
  EXPECT_EQ(r.request(0).finished, ms(33));
  EXPECT_EQ(r.request(1).scheduled, ms(33)) << "the user goes on when the answer is there";
  EXPECT_EQ(r.gaps, bare.gaps);
}

}  // namespace
}  // namespace headway
