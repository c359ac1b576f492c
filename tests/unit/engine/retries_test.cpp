// Who is not let in, and clients that try again; every time by hand.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

Distribution fixed(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

/// Tries again 30, 60, 120 … ms after it knows of a failure.
Retries retries(std::int64_t attempts) {
  Retries rules;
  rules.attempts = attempts;
  rules.backoff_seconds = 0.030;
  rules.factor = 2;
  rules.jitter = Retries::Jitter::none;
  return rules;
}

/// One request at a time gets in, and is served for 100 ms.
Scenario one_inside(const WorkloadClass& workload) {
  Scenario scenario = scenario_of(workload, station(0.100));
  scenario.admission.max_requests = 1;
  return scenario;
}

void expect_left(const Recording& recording, std::uint64_t id, Outcome outcome, double at_ms,
                 std::int32_t attempts) {
  const RequestRecord record = recording.request(id);
  EXPECT_EQ(record.outcome, outcome) << "request " << id;
  EXPECT_EQ(record.finished, ms(at_ms)) << "request " << id;
  EXPECT_EQ(record.attempts, attempts) << "request " << id;
}

TEST(Admission, TurnsAwayWhoFindsTooManyInside) {
  const Recording recording = run(one_inside(logged({{0}, {10}, {99}, {101}})));
  expect_left(recording, 0, Outcome::completed, 100, 1);
  expect_left(recording, 1, Outcome::rejected_overload, 10, 1);
  expect_left(recording, 2, Outcome::rejected_overload, 99, 1);
  expect_left(recording, 3, Outcome::completed, 201, 1);
  EXPECT_EQ(recording.totals.rejected, 2);
}

TEST(Admission, ShedsTheLessImportantFirst) {
  // In order: 0 at 0 ms; 1, less important, at 0; 2 at 1; 3, less important, at 3; 4 at 4.
  Scenario scenario = one_inside(logged({{0}, {1}, {4}}));
  scenario.workload.push_back(logged({{0}, {3}}));
  scenario.workload[1].priority = 1;
  scenario.admission = {4, {{1, 0.5}}, 0};
  const Recording shed = run(scenario);
  EXPECT_EQ(shed.request(1).outcome, Outcome::completed) << "one was inside";
  EXPECT_EQ(shed.request(3).outcome, Outcome::rejected_overload) << "more than two are inside";
  EXPECT_EQ(shed.request(4).outcome, Outcome::completed) << "the fourth place is left to it";
  scenario.admission.shed.clear();
  const Recording full = run(scenario);
  EXPECT_EQ(full.request(3).outcome, Outcome::completed);
  EXPECT_EQ(full.request(4).outcome, Outcome::rejected_overload);
}

TEST(Admission, LimitsTheRateOfATenant) {
  // A bucket of one that fills in 100 ms; the second tenant has no limit.
  Scenario scenario = scenario_of(logged({{0}, {50}, {99}, {100}, {150}, {250}}), station(0.001));
  scenario.workload.push_back(logged({{0}, {51}}));
  scenario.workload[1].tenant_index = 1;
  scenario.tenants = {Tenant{.name = "a", .requests_per_second = 10, .burst_seconds = 0.1},
                      Tenant{.name = "b"}};
  const Recording recording = run(scenario);
  std::vector<bool> in;
  for (std::uint64_t id = 0; id < 8; ++id) {
    const Outcome outcome = recording.request(id).outcome;
    EXPECT_TRUE(outcome == Outcome::completed || outcome == Outcome::rejected_rate_limit);
    in.push_back(outcome == Outcome::completed);
  }
  // In order of arrival: 0, b's 0, 50, b's 51, 99, 100, 150, 250.
  EXPECT_EQ(in, (std::vector<bool>{true, true, false, true, false, true, false, true}));
}

TEST(Admission, LimitsTheTokensOfATenant) {
  // 100 tokens a second, a bucket of 100: a prompt of 60 with an answer of 20 leaves 20; after 0.6
  // s there are 80.
  Scenario scenario =
      scenario_of(logged({{0, 60, 20}, {100, 60, 20}, {599, 60, 20}, {600, 60, 20}}), engine());
  scenario.tenants = {Tenant{.name = "a", .tokens_per_second = 100, .burst_seconds = 1}};
  const Recording recording = run(scenario);
  EXPECT_EQ(recording.request(0).outcome, Outcome::completed);
  EXPECT_EQ(recording.request(1).outcome, Outcome::rejected_rate_limit);
  EXPECT_EQ(recording.request(2).outcome, Outcome::rejected_rate_limit);
  EXPECT_EQ(recording.request(3).outcome, Outcome::completed);
}

TEST(Retry, ComesAfterItsBackOff) {
  // 1 is rejected at 10, knows it 1 ms later, is sent again at 41, rejected, known at 42, sent
  // again at 102 and served from then on.
  WorkloadClass workload = logged({{0}, {10}});
  workload.retries = retries(5);
  const Recording recording = run(one_inside(workload));
  expect_left(recording, 1, Outcome::completed, 202, 3);
  EXPECT_EQ(recording.request(1).sent, ms(10)) << "the first time";
  EXPECT_EQ(recording.request(1).queued, ms(102));
  EXPECT_EQ(recording.totals.retries, 2);
  EXPECT_EQ(recording.totals.arrived, 2);
}

TEST(Retry, EndsWithItsLastAttempt) {
  WorkloadClass workload = logged({{0}, {10}});
  workload.retries = retries(2);
  const Recording recording = run(one_inside(workload));
  expect_left(recording, 1, Outcome::rejected_overload, 41, 2);
  EXPECT_EQ(recording.totals.retries, 1);
  EXPECT_EQ(recording.totals.rejected, 1);
}

TEST(Retry, TravelsBothWaysEachTime) {
  // 0 is inside from 20 to 120. 1: there at 30, rejected, known at 50, sent again at 80, there at
  // 100, known at 120, sent at 180, there at 200, answered at 300, back at 320.
  WorkloadClass workload = logged({{0}, {10}});
  workload.retries = retries(5);
  Scenario scenario = one_inside(workload);
  scenario.front.latency_seconds = 0.020;
  expect_left(run(scenario), 1, Outcome::completed, 320, 3);
}

TEST(Retry, GivesEachAttemptItsOwnPatience) {
  // A service of 100 ms and a patience of 50: attempts at 0, 50 + 30 = 80 and 130 + 60 = 190. The
  // server works on the first until 100, on the second until 200, on the third until 300.
  WorkloadClass workload = logged({{0}});
  workload.timeouts.total = fixed(0.050);
  workload.retries = retries(3);
  const Recording recording = run(scenario_of(workload, station(0.100)));
  expect_left(recording, 0, Outcome::timed_out, 240, 3);
  EXPECT_EQ(recording.request(0).queued, ms(190));
  EXPECT_EQ(recording.request(0).started, ms(200));
  EXPECT_EQ(recording.totals.timed_out, 1);
  EXPECT_EQ(recording.totals.retries, 2);
}

TEST(Retry, DoesNotRepeatWhatNeverFits) {
  Pool pool = engine();
  pool.max_model_len = 100;
  WorkloadClass workload = logged({{0, 99, 2}});
  workload.retries = retries(5);
  const Recording recording = run(scenario_of(workload, pool));
  expect_left(recording, 0, Outcome::rejected_model_length, 0, 1);
}

TEST(Retry, FollowsTheFailuresThatAreTold) {
  WorkloadClass workload = logged({{0}, {10}});
  workload.retries = retries(5);
  workload.retries.rejected = false;
  expect_left(run(one_inside(workload)), 1, Outcome::rejected_overload, 10, 1);
}

TEST(Retry, OfAUserInAClosedLoopKeepsTheUserBusy) {
  // Two users who do not think. 0 is served until 100; 1 comes again at 31 (known at 1, 30 ms
  // later), 92, and, known at 93, at 213. User one's next request, at 100, is served until 200, the
  // one after from 200 on, so that 1 is rejected once more.
  WorkloadClass workload = users(2, 4);
  workload.retries = retries(4);
  const Recording recording = run(one_inside(workload));
  expect_left(recording, 0, Outcome::completed, 100, 1);
  expect_left(recording, 1, Outcome::rejected_overload, 213, 4);
  expect_left(recording, 2, Outcome::completed, 200, 1);
  expect_left(recording, 3, Outcome::completed, 300, 1);
}

TEST(Retry, OfACappedClientKeepsItsConnection) {
  // One connection: 1 is due at 10 but is not sent before 0 is answered, which takes three attempts
  // of 50 ms patience, the last at 190, given up at 240.
  WorkloadClass workload = logged({{0}, {10}});
  workload.max_concurrency = 1;
  workload.timeouts.total = fixed(0.050);
  workload.retries = retries(3);
  const Recording recording = run(scenario_of(workload, station(0.100)));
  expect_left(recording, 0, Outcome::timed_out, 240, 3);
  EXPECT_EQ(recording.request(1).sent, ms(240));
}

TEST(Retry, WithoutBackOffAndPatienceTakesTimeAllTheSame) {
  // Clients that give up at once and try again at once: 1,000 attempts take a second at least.
  WorkloadClass workload = logged({{0}, {0}});
  workload.timeouts.total = fixed(0);
  workload.retries = retries(1000);
  workload.retries.backoff_seconds = 0;
  const Recording recording = run(scenario_of(workload, station(0.100)));
  EXPECT_EQ(recording.totals.timed_out, 2);
  EXPECT_EQ(recording.totals.retries, 2 * 999);
  EXPECT_GE(recording.totals.end, ms(999));
  EXPECT_LE(recording.totals.end, ms(2000));
}

TEST(Retry, OfUsersWhoAreAlwaysRejectedDoesNotHoldTheClock) {
  // Nothing fits: each user is rejected a thousand times a second, and the run ends with its time.
  Pool pool = engine();
  pool.max_queue = 1;
  pool.batching.max_num_seqs = 1;
  WorkloadClass workload = users(4);
  workload.input_tokens = fixed(1);
  workload.output_tokens = fixed(1000);
  workload.retries = retries(1'000'000);
  workload.retries.backoff_seconds = 0;
  Scenario scenario = scenario_of(workload, pool);
  scenario.run.duration_seconds = 2;
  const Recording recording = run(scenario);
  EXPECT_EQ(recording.totals.arrived, 4);
  EXPECT_EQ(recording.totals.in_flight, 4) << "two are inside, two knock";
  EXPECT_NEAR(static_cast<double>(recording.totals.retries), 2 * 2000, 10);
}

}  // namespace
}  // namespace headway
