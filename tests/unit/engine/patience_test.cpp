// Clients that do not wait for ever: time-outs and hang-ups wherever the request is, every time by
// hand.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

Distribution fixed(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

/// Requests at these times, in milliseconds, whose clients wait so long in all.
WorkloadClass waiting_for(double total_seconds, const std::vector<Logged>& requests) {
  WorkloadClass workload = logged(requests);
  workload.timeouts.total = fixed(total_seconds);
  return workload;
}

void expect_left(const Recording& recording, std::uint64_t id, Outcome outcome, double at_ms) {
  const RequestRecord record = recording.request(id);
  EXPECT_EQ(record.outcome, outcome) << "request " << id;
  EXPECT_EQ(record.finished, ms(at_ms)) << "request " << id;
}

TEST(Timeout, OfTheQueueEndsWaitsAndLeavesServicesAlone) {
  // 100 ms a service: 0 is served until 100, 1 and 2 wait 50 ms, 3 from 80 to 100.
  WorkloadClass workload = logged({{0}, {10}, {20}, {80}});
  workload.timeouts.queue = fixed(0.050);
  const Recording recording = run(scenario_of(workload, station(0.100)));
  expect_left(recording, 0, Outcome::completed, 100);
  expect_left(recording, 1, Outcome::timed_out, 60);
  expect_left(recording, 2, Outcome::timed_out, 70);
  expect_left(recording, 3, Outcome::completed, 200);
  EXPECT_EQ(recording.request(1).started, kNever);
  EXPECT_EQ(recording.totals.timed_out, 2);
  EXPECT_EQ(recording.totals.completed, 2);
  EXPECT_EQ(recording.totals.end, ms(200));
}

TEST(Timeout, OfTheQueueCountsWhereACascadeHasGoneOnTo) {
  // 10 ms at the first pool, where nobody waits; then 0 has the second to itself from 10 to 110,
  // and 1, which comes there at 30, has waited for 40 ms since it was sent at 60.
  WorkloadClass workload = logged({{0}, {20}});
  workload.timeouts.queue = fixed(0.040);
  workload.route.kind = Route::Kind::cascade;
  workload.route.legs = {{.pool = "small", .index = 0, .escalate = 1},
                         {.pool = "large", .index = 1}};
  Scenario scenario = scenario_of(workload, station(0.010));
  scenario.fleet.push_back(station(0.100));
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::completed, 110);
  expect_left(recording, 1, Outcome::timed_out, 60);
}

TEST(Timeout, OfTheWholeLeavesAServerAtWork) {
  // Nobody waits for the answer after 50 ms, but the server ends what it has begun at 100; 1 then
  // starts with 10 ms of patience left, and its service goes on until 200.
  const Recording recording =
      run(scenario_of(waiting_for(0.050, {{0}, {60}, {190}}), station(0.100)));
  expect_left(recording, 0, Outcome::timed_out, 50);
  expect_left(recording, 1, Outcome::timed_out, 110);
  EXPECT_EQ(recording.request(1).started, ms(100));
  EXPECT_EQ(recording.request(2).started, ms(200));
  expect_left(recording, 2, Outcome::timed_out, 240);
  EXPECT_EQ(recording.totals.end, ms(240)) << "the run does not wait for an answer to nobody";
}

TEST(Timeout, OfARunningAnswerFreesItsPlaceAtTheEndOfTheStep) {
  // Prompts of 10 tokens, steps of 10 ms and 1 ms a token. 0 runs alone: prefill until 20, then
  // steps of 11 ms, until 31, 42, 53. Its client goes away at 50; 1 waits for the one place.
  WorkloadClass workload = waiting_for(0.050, {{0, 10, 100}, {10, 10, 2}});
  Pool pool = engine();
  pool.batching.max_num_seqs = 1;
  for (const auto stepping : {Run::Stepping::fast, Run::Stepping::reference}) {
    Scenario scenario = scenario_of(workload, pool);
    scenario.run.stepping = stepping;
    const Recording recording = run(scenario);
    expect_left(recording, 0, Outcome::timed_out, 50);
    EXPECT_EQ(recording.request(1).started, ms(53));
    expect_left(recording, 1, Outcome::timed_out, 60);
  }
}

TEST(Timeout, OfTheFirstTokenSparesThoseWhoHaveIt) {
  // 0 has its first token at 20 and goes on until 20 + 4 · 11 = 64, 1 waits for the place.
  WorkloadClass workload = logged({{0, 10, 5}, {10, 10, 2}});
  workload.timeouts.first_token = fixed(0.050);
  Pool pool = engine();
  pool.batching.max_num_seqs = 1;
  const Recording recording = run(scenario_of(workload, pool));
  expect_left(recording, 0, Outcome::completed, 64);
  expect_left(recording, 1, Outcome::timed_out, 60);
}

TEST(Timeout, OfTheFirstTokenDoesNotTakeThatOfAnAnswerThatIsNotGoodEnough) {
  // The first pool has its first token at 20 and its answer, which never is good enough, at 64: the
  // client goes away at 50, and the second pool is not asked.
  WorkloadClass workload = logged({{0, 10, 5}});
  workload.timeouts.first_token = fixed(0.050);
  workload.route.kind = Route::Kind::cascade;
  workload.route.legs = {{.pool = "engine", .index = 0, .escalate = 1},
                         {.pool = "engine", .index = 1}};
  Scenario scenario = scenario_of(workload, engine());
  scenario.fleet.push_back(engine());
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::timed_out, 50);
  EXPECT_EQ(recording.request(0).escalations, 0);
  EXPECT_EQ(recording.totals.end, ms(50));
}

TEST(Timeout, OfTheFirstTokenMeansTheLastWhereNothingIsStreamed) {
  WorkloadClass workload = logged({{0, 10, 5}});
  workload.timeouts.first_token = fixed(0.050);
  workload.streaming = false;
  expect_left(run(scenario_of(workload, engine())), 0, Outcome::timed_out, 50);
  workload.timeouts.first_token = fixed(0.065);
  const Recording answered = run(scenario_of(workload, engine()));
  expect_left(answered, 0, Outcome::completed, 64);
  EXPECT_EQ(answered.request(0).first_token, ms(64));
}

TEST(Timeout, StampsTheFirstTokenOfThoseWhoHadIt) {
  // There at 30, the first token at 50, at the client at 80; the last would be made at 50 + 99
  // · 11.
  Scenario scenario = scenario_of(waiting_for(0.081, {{0, 10, 100}}), engine());
  scenario.front.latency_seconds = 0.030;
  EXPECT_EQ(run(scenario).request(0).first_token, ms(80));
  scenario.workload[0].timeouts.total = fixed(0.080);
  EXPECT_EQ(run(scenario).request(0).first_token, kNever) << "it went away as the token came";
  scenario.workload[0].timeouts.total = fixed(0.060);
  EXPECT_EQ(run(scenario).request(0).first_token, kNever) << "the token was on its way";
  scenario.workload[0].timeouts.total = fixed(0.500);
  scenario.workload[0].streaming = false;
  EXPECT_EQ(run(scenario).request(0).first_token, kNever) << "it would have come with the last";
}

TEST(Timeout, OfARequestOnItsWayLeavesTheReplicaInPeace) {
  Scenario scenario = scenario_of(waiting_for(0.020, {{0}, {1}}), station(0.001));
  scenario.front.latency_seconds = 0.030;
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::timed_out, 20);
  expect_left(recording, 1, Outcome::timed_out, 21);
  EXPECT_TRUE(recording.spans.empty());
  EXPECT_EQ(recording.totals.timed_out, 2);
}

TEST(Timeout, WhileTheAnswerIsOnItsWayCountsToo) {
  // There at 30, served until 40, back at 70: too late by 5 ms.
  Scenario scenario = scenario_of(waiting_for(0.065, {{0}}), station(0.010));
  scenario.front.latency_seconds = 0.030;
  expect_left(run(scenario), 0, Outcome::timed_out, 65);
  scenario.workload[0].timeouts.total = fixed(0.071);
  expect_left(run(scenario), 0, Outcome::completed, 70);
}

TEST(Timeout, InAFrontStationIsNotNoticedThere) {
  // The tokenizer takes 40 ms each: 1 is in it from 40 to 80, its client gone at 50. 2 waits for it
  // until 80, and is served from 120 on.
  WorkloadClass workload = waiting_for(0.050, {{0}, {0}, {72}});
  Scenario scenario = scenario_of(workload, station(0.001));
  scenario.front.tokenizer = FrontStation{1, fixed(0.040), 0};
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::completed, 41);
  expect_left(recording, 1, Outcome::timed_out, 50);
  expect_left(recording, 2, Outcome::completed, 121);
  ASSERT_EQ(recording.totals.front_stations.size(), 1u);
  EXPECT_EQ(recording.totals.front_stations[0].begun, 3);
  EXPECT_EQ(recording.totals.front_stations[0].busy_time, ms(120));
  EXPECT_EQ(recording.totals.front_stations[0].waiting_time, ms(40 + 8));
}

TEST(Timeout, InAWholeBatchLetsTheOthersBeAnswered) {
  // Both are in one batch from 0 to 100; 0 does not wait so long.
  Pool pool = station(0.100);
  pool.batching.kind = Batching::Kind::fixed;
  pool.batching.size = 2;
  WorkloadClass hasty = waiting_for(0.050, {{0}});
  hasty.name = "hasty";
  Scenario scenario = scenario_of(hasty, pool);
  scenario.workload.push_back(logged({{0}}));
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::timed_out, 50);
  expect_left(recording, 1, Outcome::completed, 100);
}

/// A pool whose one replica could come, and will not.
Pool nobody_there() {
  Pool pool = station(0.001);
  pool.replicas = 0;
  pool.autoscaler.emplace().kind = Autoscaler::Kind::keda;
  pool.autoscaler->min = 0;
  pool.cold_start.emplace().provision = fixed(1000);
  return pool;
}

TEST(Timeout, WhileNoReplicaIsReadyEndsTheWait) {
  Scenario scenario = scenario_of(waiting_for(0.050, {{0}, {10}, {55}}), nobody_there());
  scenario.admission.max_held = 1;
  const Recording recording = run(scenario);
  expect_left(recording, 0, Outcome::timed_out, 50);
  expect_left(recording, 1, Outcome::rejected_no_replica, 10);
  expect_left(recording, 2, Outcome::timed_out, 105);
  EXPECT_EQ(recording.totals.end, ms(105));
}

TEST(Timeout, AtTheInstantOfTheAnswerIsATimeout) {
  expect_left(run(scenario_of(waiting_for(0.100, {{0}}), station(0.100))), 0, Outcome::timed_out,
              100);
}

TEST(Timeout, ThatNeverComesChangesNothing) {
  const std::vector<Logged> requests = {{0, 10, 5}, {3, 20, 7}, {40, 8, 9}};
  const Recording plain = run(scenario_of(logged(requests), engine()));
  WorkloadClass patient = waiting_for(1000, requests);
  patient.timeouts.queue = patient.timeouts.first_token = fixed(1000);
  patient.hang_up = HangUp{1, fixed(1000)};
  const Recording waited = run(scenario_of(patient, engine()));
  ASSERT_EQ(plain.departed.size(), waited.departed.size());
  for (std::size_t i = 0; i < plain.departed.size(); ++i) {
    EXPECT_EQ(plain.departed[i].first_token, waited.departed[i].first_token);
    EXPECT_EQ(plain.departed[i].finished, waited.departed[i].finished);
  }
  EXPECT_EQ(plain.totals.end, waited.totals.end) << "timers that have no meaning end no run";
}

TEST(Timeout, AThousandWaitersAllLeaveAtTheirTime) {
  // One service of 10 s; the others wait 1 s each.
  std::vector<Logged> requests;
  for (int i = 0; i < 1000; ++i) requests.push_back({static_cast<double>(i), 1, 1});
  WorkloadClass workload = logged(requests);
  workload.timeouts.queue = fixed(1);
  const Recording recording = run(scenario_of(workload, station(10)));
  expect_left(recording, 0, Outcome::completed, 10'000);
  for (std::uint64_t id = 1; id < 1000; ++id) {
    expect_left(recording, id, Outcome::timed_out, 1000.0 + static_cast<double>(id));
  }
}

TEST(HangUp, HappensToTheShareThatIsToldAndIsNotRepeated) {
  WorkloadClass workload = logged({{0}, {10}, {20}});
  workload.hang_up = HangUp{1, fixed(0.050)};
  workload.retries.attempts = 5;
  const Recording recording = run(scenario_of(workload, station(0.040)));
  expect_left(recording, 0, Outcome::completed, 40);
  expect_left(recording, 1, Outcome::hung_up, 60);
  expect_left(recording, 2, Outcome::hung_up, 70);
  EXPECT_EQ(recording.totals.hung_up, 2);
  EXPECT_EQ(recording.totals.retries, 0);
}

TEST(HangUp, AQuarterOfTheClientsHangUp) {
  // 4,000 requests far apart, each served for 2 ms; a quarter goes away after 1 ms: 1,000 ± 27.
  std::vector<Logged> requests;
  for (int i = 0; i < 4000; ++i) requests.push_back({10.0 * i, 1, 1});
  WorkloadClass workload = logged(requests);
  workload.hang_up = HangUp{0.25, fixed(0.001)};
  const Recording recording = run(scenario_of(workload, station(0.002)));
  EXPECT_NEAR(static_cast<double>(recording.totals.hung_up), 1000, 4 * 27.4);
  EXPECT_EQ(recording.totals.completed + recording.totals.hung_up, 4000);
}

TEST(HangUp, IsDrawnForTheRequestAndNotForEachAttempt) {
  // Nobody is answered in time. A quarter goes away after 5 ms, the others try three times.
  std::vector<Logged> requests;
  for (int i = 0; i < 4000; ++i) requests.push_back({0.1 * i, 1, 1});
  WorkloadClass workload = waiting_for(0.010, requests);
  workload.hang_up = HangUp{0.25, fixed(0.005)};
  workload.retries.attempts = 3;
  const Recording recording = run(scenario_of(workload, station(1000)));
  EXPECT_NEAR(static_cast<double>(recording.totals.hung_up), 1000, 4 * 27.4);
  EXPECT_EQ(recording.totals.timed_out + recording.totals.hung_up, 4000);
  EXPECT_EQ(recording.totals.retries, 2 * recording.totals.timed_out);
}

}  // namespace
}  // namespace headway
