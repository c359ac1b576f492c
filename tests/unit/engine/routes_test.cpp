// Which pool serves a request, and what the router knows when it chooses; every time by hand.
#include <gtest/gtest.h>

#include <vector>

#include "runs.hpp"

namespace headway {
namespace {

/// One class over stations of these service times in ms, one a pool.
Scenario stations(const WorkloadClass& workload, const std::vector<double>& service_ms) {
  Scenario scenario = scenario_of(workload, station(service_ms[0] / 1000));
  for (std::size_t p = 1; p < service_ms.size(); ++p)
    scenario.fleet.push_back(station(service_ms[p] / 1000));
  return scenario;
}

Route route(Route::Kind kind, const std::vector<Route::Leg>& legs) {
  Route made;
  made.kind = kind;
  made.legs = legs;
  return made;
}

/// 10,000 requests, one a ms, and servers enough for all.
Scenario many(const Route& route, std::size_t pools) {
  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::constant;
  workload.arrivals.rate = 1000;
  workload.route = route;
  Scenario scenario = stations(workload, std::vector<double>(pools, 2));
  for (Pool& pool : scenario.fleet) pool.service.servers = 100;
  scenario.run.requests = 10000;
  scenario.run.drain = true;
  return scenario;
}

std::vector<std::uint32_t> served_by(const Recording& recording) {
  std::vector<std::uint32_t> replicas;
  for (std::uint64_t id = 0; id < recording.departed.size(); ++id)
    replicas.push_back(recording.request(id).replica);
  return replicas;
}

TEST(Routes, LeadToTheirPoolsOnly) {
  WorkloadClass first = logged({{0}, {1}, {2}}), second = logged({{0.5}, {1.5}, {2.5}});
  first.route = route(Route::Kind::any, {{"", 2, 1, 0}});
  second.route = route(Route::Kind::any, {{"", 0, 1, 0}, {"", 1, 1, 0}});
  Scenario scenario = stations(first, {100, 100, 100});
  scenario.workload.push_back(second);
  EXPECT_EQ(served_by(run(scenario)), (std::vector<std::uint32_t>{2, 0, 2, 1, 2, 0}));
}

TEST(Routes, ACascadeAsksTheNextPoolWhereTheAnswerIsNotGoodEnough) {
  WorkloadClass workload = logged({{0}, {1}});
  workload.route = route(Route::Kind::cascade, {{"", 0, 1, 1}, {"", 1, 1, 1}, {"", 2, 1, 1}});
  const Recording recording = run(stations(workload, {10, 100, 30}));
  // Request 0: until 10, 110, 140. Request 1: until 20, then it waits: 210, 240.
  EXPECT_EQ(recording.request(0).finished, ms(140));
  EXPECT_EQ(recording.request(1).finished, ms(240));
  EXPECT_EQ(recording.request(1).queued, ms(210)) << "its last queue";
  for (const RequestRecord& record : recording.departed) {
    EXPECT_EQ(record.escalations, 2);
    EXPECT_EQ(record.replica, 2u);
    EXPECT_EQ(record.attempts, 1);
    EXPECT_EQ(record.outcome, Outcome::completed);
  }
  EXPECT_EQ(recording.totals.escalations, 4);
}

TEST(Routes, ACascadeThatNeverEscalatesStaysWithTheFirst) {
  WorkloadClass workload = logged({{0}, {1}});
  workload.route = route(Route::Kind::cascade, {{"", 1, 1, 0}, {"", 0, 1, 0}});
  const Recording recording = run(stations(workload, {10, 100}));
  EXPECT_EQ(recording.request(0).finished, ms(100));
  EXPECT_EQ(recording.request(1).finished, ms(200));
  EXPECT_EQ(recording.totals.escalations, 0);
}

TEST(Routes, EscalateAsOftenAsTheySay) {
  const Recording recording =
      run(many(route(Route::Kind::cascade, {{"", 0, 1, 0.3}, {"", 1, 1, 0.5}, {"", 2, 1, 0}}), 3));
  std::vector<int> escalations(3, 0);
  for (const RequestRecord& record : recording.departed) {
    ASSERT_EQ(record.finished - record.sent, ms(2 * (1 + record.escalations)));
    ++escalations[static_cast<std::size_t>(record.escalations)];
  }
  // Binomial: standard deviations of 46, 36 and 36.
  EXPECT_NEAR(escalations[0], 7000, 5 * 46);
  EXPECT_NEAR(escalations[1], 1500, 5 * 36);
  EXPECT_NEAR(escalations[2], 1500, 5 * 36);
  EXPECT_EQ(recording.totals.escalations, escalations[1] + 2 * escalations[2]);
}

TEST(Routes, SharesAreDrawnRequestByRequestWhateverElseIsInTheFleet) {
  const Route canary = route(Route::Kind::shares, {{"", 0, 0.95, 0}, {"", 1, 0.05, 0}});
  const auto two = served_by(run(many(canary, 2)));
  int to_canary = 0;
  for (const std::uint32_t replica : two) to_canary += replica == 1;
  EXPECT_NEAR(to_canary, 500, 5 * 22);
  Scenario more = many(canary, 3);
  more.fleet[1].service.time.a = 0.5;
  EXPECT_EQ(served_by(run(more)), two);
}

TEST(Routes, SharesAreRelative) {
  const auto replicas =
      served_by(run(many(route(Route::Kind::shares, {{"", 0, 0.2, 0}, {"", 1, 0.1, 0}}), 2)));
  int second = 0;
  for (const std::uint32_t replica : replicas) second += replica == 1;
  EXPECT_NEAR(second, 3333, 5 * 47);
}

TEST(MetricsAge, RoutersSeeTheLoadsOfTheLastLook) {
  // Two stations of 100 ms; looks at 50, 100, 150 … ms, before all else of the instant.
  Scenario scenario =
      stations(logged({{0}, {10}, {40}, {50}, {60}, {100}, {149}, {150}}), {100, 100});
  EXPECT_EQ(served_by(run(scenario)), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1}))
      << "as it is at the moment";
  scenario.router_rules.metrics_age_seconds = 0.050;
  // Seen at 50: 3 and 0; at 100: 3 and 2, as the answer of 100 comes after; at 150: 2 and 4.
  EXPECT_EQ(served_by(run(scenario)), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 1, 0}));
}

TEST(MetricsAge, CostsNothingWhileNothingHappens) {
  Scenario scenario = stations(logged({{0}, {3'600'000}}), {100, 100});
  scenario.router_rules.metrics_age_seconds = 0.001;
  const Recording recording = run(scenario);
  EXPECT_EQ(recording.request(1).finished, ms(3'600'100));
  EXPECT_LT(recording.totals.events, 20) << "an hour has 3,600,000 looks";
}

}  // namespace
}  // namespace headway
