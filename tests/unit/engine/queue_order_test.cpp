// Who is next, and who is gone: orders, bounds on the wait and cancelled requests in replicas,
// every time by hand.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

Distribution fixed(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

/// Classes that each replay these requests, the first of each at 0, in a scenario with one pool.
Scenario classes_on(const Pool& pool, const std::vector<std::vector<Logged>>& requests) {
  Scenario scenario = scenario_of(logged(requests.front()), pool);
  for (std::size_t c = 1; c < requests.size(); ++c)
    scenario.workload.push_back(logged(requests[c]));
  for (std::uint32_t c = 0; c < requests.size(); ++c) {
    scenario.workload[c].tenant_index = c;
    scenario.tenants.push_back({.name = std::to_string(c)});
  }
  return scenario;
}

/// Both steppings tell the same of the scenario.
Recording both(Scenario scenario) {
  const Recording fast = run(scenario);
  scenario.run.stepping = Run::Stepping::reference;
  const Recording reference = run(scenario);
  EXPECT_EQ(fast.departed.size(), reference.departed.size());
  for (const RequestRecord& record : fast.departed) {
    EXPECT_EQ(record.started, reference.request(record.id).started) << record.id;
    EXPECT_EQ(record.finished, reference.request(record.id).finished) << record.id;
  }
  EXPECT_EQ(fast.gaps, reference.gaps);
  return fast;
}

/// One sequence at a time: a prompt of 10 tokens is computed in 20 ms, a step of decode takes 11.
Pool one_by_one(QueueOrder order) {
  Pool pool = engine();
  pool.batching.max_num_seqs = 1;
  pool.order = order;
  return pool;
}

TEST(QueueOrder, TheEarliestDeadlineIsNext) {
  // Class 0 is promised a TTFT of 1 s, class 1 one of 200 ms, class 2 nothing. The last to come is
  // the second of class 0, after 1 ms.
  Scenario scenario = classes_on(one_by_one(QueueOrder::deadline),
                                 {{{0, 10, 1}, {1, 10, 1}}, {{0, 10, 1}}, {{0, 10, 1}}});
  scenario.workload[0].slo.emplace().ttft_seconds = 1;
  scenario.workload[1].slo.emplace().ttft_seconds = 0.2;
  const Recording recording = both(scenario);
  EXPECT_EQ(recording.request(1).started, ms(0)) << "due at 200";
  EXPECT_EQ(recording.request(0).started, ms(20)) << "due at 1000";
  EXPECT_EQ(recording.request(3).started, ms(40)) << "due at 1001";
  EXPECT_EQ(recording.request(2).started, ms(60)) << "due never";
}

TEST(QueueOrder, TenantsTakeTurnsByTheTokensThatTheyAreServed) {
  // Tenant 0 asks for 31 tokens at a time, tenant 1 for 11: starts at 0, 31, 62 and 0, 11, 22, 33.
  // A prompt of 30 tokens takes 40 ms, one of 10 takes 20.
  const Recording recording = both(classes_on(
      one_by_one(QueueOrder::fair),
      {{{0, 30, 1}, {0, 30, 1}, {0, 30, 1}}, {{0, 10, 1}, {0, 10, 1}, {0, 10, 1}, {0, 10, 1}}}));
  EXPECT_EQ(recording.request(0).started, ms(0));
  EXPECT_EQ(recording.request(3).started, ms(40)) << "start 0";
  EXPECT_EQ(recording.request(4).started, ms(60)) << "start 11";
  EXPECT_EQ(recording.request(5).started, ms(80)) << "start 22";
  EXPECT_EQ(recording.request(1).started, ms(100)) << "start 31";
  EXPECT_EQ(recording.request(6).started, ms(140)) << "start 33";
  EXPECT_EQ(recording.request(2).started, ms(160)) << "start 62";
}

TEST(QueueOrder, WhoHasWaitedTooLongIsNextAtTheEndOfTheStep) {
  // The first answer takes 20 + 89 · 11 ms: until 999. 1 and 2 wait for it; 1 is less important,
  // but came before 2, and has waited for 500 ms by then.
  for (const double max_wait : {0.0, 0.5}) {
    Pool pool = one_by_one(QueueOrder::priority);
    pool.max_wait_seconds = max_wait;
    Scenario scenario = classes_on(pool, {{{0, 10, 90}}, {{0, 10, 1}}, {{0, 10, 1}}});
    scenario.workload[1].priority = 5;
    const Recording recording = both(scenario);
    EXPECT_EQ(recording.request(0).finished, ms(999));
    EXPECT_EQ(recording.request(max_wait > 0 ? 1 : 2).started, ms(999));
    EXPECT_EQ(recording.request(max_wait > 0 ? 2 : 1).started, ms(1019));
  }
}

TEST(QueueOrder, WhoHasWaitedTooLongJoinsARunningBatchOnceItIsNext) {
  // 25 blocks of 16 tokens. 0 holds 13 of them, and one more from its 209th token on; 2, which is
  // next, needs 13 at once; 1 needs 2. At 300 ms 1 has waited for 300 ms, and joins at the end of
  // the step: 0's prompt is computed at 210, then steps of 11 ms end at 298 and 309.
  Pool pool = engine();
  pool.order = QueueOrder::priority;
  pool.max_wait_seconds = 0.3;
  pool.kv.blocks = 25;
  pool.kv.prefix_caching = false;
  Scenario scenario = classes_on(pool, {{{0, 200, 60}}, {{0, 20, 2}}, {{0, 208, 2}}});
  scenario.workload[1].priority = 5;
  const Recording recording = both(scenario);
  EXPECT_EQ(recording.request(0).first_token, ms(210));
  EXPECT_EQ(recording.request(1).started, ms(309));
  EXPECT_GT(recording.request(2).started, recording.request(0).finished - ms(1));
}

TEST(QueueOrder, WhoLeavesTheFrontLetsTheNextJoinAtTheEndOfTheStep) {
  // 25 blocks. 0 holds 13; 1 needs 13 and waits, 2 needs 2 and stands behind it. 0's prompt is
  // computed at 210, the client of 1 goes away at 211, and the next step ends at 221.
  Pool pool = engine();
  pool.kv.blocks = 25;
  pool.kv.prefix_caching = false;
  Scenario scenario = classes_on(pool, {{{0, 200, 60}}, {{0, 208, 2}}, {{0, 20, 2}}});
  scenario.workload[1].timeouts.queue = fixed(0.211);
  const Recording recording = both(scenario);
  EXPECT_EQ(recording.request(1).outcome, Outcome::timed_out);
  EXPECT_EQ(recording.request(1).finished, ms(211));
  EXPECT_EQ(recording.request(2).started, ms(221));
}

TEST(Cancelled, ARunningRequestMakesItsTokenOfTheStepAndFreesItsBlocks) {
  // 0 has its first token at 20, and others at 31, 42, 53; it is gone at 45, so it leaves at 53
  // with its fourth: three gaps of 11 ms. 1 needs all of the 10 blocks: it starts at 53.
  Pool pool = engine();
  pool.kv.blocks = 10;
  pool.kv.prefix_caching = false;
  Scenario scenario = classes_on(pool, {{{0, 10, 100}}, {{0, 150, 2}}});
  scenario.workload[0].timeouts.total = fixed(0.045);
  const Recording recording = both(scenario);
  EXPECT_EQ(recording.request(0).finished, ms(45));
  EXPECT_EQ(recording.request(1).started, ms(53));
  EXPECT_EQ(recording.request(1).first_token, ms(53 + 160));
  EXPECT_EQ(recording.gaps, (std::map<Time, std::int64_t>{{ms(11), 4}}));
}

TEST(Cancelled, ARequestThatIsPreemptedLeavesTheQueue) {
  // 10 blocks of 16 tokens. 0 has 70 tokens, 1 has 75: five blocks each. 1's 81st token is the
  // first to find no block, and 1, the last admitted, is preempted; it never comes back.
  Pool pool = engine();
  pool.kv.blocks = 10;
  pool.kv.prefix_caching = false;
  Scenario scenario = classes_on(pool, {{{0, 70, 40}}, {{0, 75, 40}}});
  scenario.workload[1].timeouts.total = fixed(0.300);
  const Recording recording = both(scenario);
  // Prompts until 155; each step of both takes 12 ms, of 0 alone 11 ms. Sequence 1 computes token
  // 76 in the first step, 81 in the sixth, which begins at 215.
  EXPECT_EQ(recording.preemptions, 1);
  EXPECT_EQ(recording.request(1).outcome, Outcome::timed_out);
  EXPECT_EQ(recording.request(1).finished, ms(300));
  EXPECT_EQ(recording.request(0).finished, ms(155 + 5 * 12 + 34 * 11));
}

TEST(Cancelled, AHundredThousandThatGiveUpInTheQueueAreNoSearch) {
  // They come within a second and leave within the next one, in every order of queue; about a
  // hundred are served meanwhile. Searching for each among the others would take minutes.
  for (int order = 0; order <= static_cast<int>(QueueOrder::deadline); ++order) {
    Scenario scenario =
        classes_on(one_by_one(static_cast<QueueOrder>(order)), {{{0, 10, 1000}}, {{0, 10, 1}}});
    WorkloadClass& crowd = scenario.workload[1];
    crowd.arrivals.kind = Arrivals::Kind::constant;
    crowd.arrivals.rate = 100'000;
    crowd.timeouts.queue = fixed(1);
    scenario.run.requests = 100'000;
    const Recording recording = run(scenario);
    EXPECT_GT(recording.totals.timed_out, 99'500);
    EXPECT_GT(recording.most_in_system, 90'000);
  }
}

}  // namespace
}  // namespace headway
