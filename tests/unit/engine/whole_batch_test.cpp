// LLMs and stations served in whole batches, worked out by hand. With fast and reference stepping.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

class WholeBatch : public testing::TestWithParam<Run::Stepping> {
 protected:
  Recording served(const std::vector<Logged>& requests, const Pool& pool) const {
    Scenario scenario = scenario_of(logged(requests), pool);
    scenario.run.stepping = GetParam();
    return run(scenario);
  }
};

INSTANTIATE_TEST_SUITE_P(Stepping, WholeBatch,
                         testing::Values(Run::Stepping::fast, Run::Stepping::reference),
                         [](const auto& stepping) {
                           return stepping.param == Run::Stepping::fast ? "Fast" : "Reference";
                         });

Pool batches_of(std::int32_t size, double timeout_seconds = 1) {
  Pool pool = engine();
  pool.batching.kind = Batching::Kind::fixed;
  pool.batching.size = size;
  pool.batching.timeout_seconds = timeout_seconds;
  return pool;
}

TEST_P(WholeBatch, IsPaddedToTheLongestPromptAndAnsweredTogether) {
  const Recording r = served({{0, 10, 3}, {0, 4, 5}}, batches_of(2));
  // Prefill of 2 · 10 tokens, 30 ms; four decode steps of 2 tokens, 12 ms each.
  for (const std::uint64_t id : {0u, 1u}) {
    EXPECT_EQ(r.request(id).started, 0);
    EXPECT_EQ(r.request(id).first_token, ms(30));
    EXPECT_EQ(r.request(id).finished, ms(30 + 4 * 12));
  }
  // The first answers in two of the steps, the second in all four.
  EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(12), 6}}));
  EXPECT_EQ(r.totals.steps, 5);
  EXPECT_EQ(r.totals.output_tokens, 8) << "padding is no output";
}

TEST_P(WholeBatch, ReadsPaddedContextsAndPairs) {
  Pool pool = batches_of(2);
  pool.step_time->seconds_per_context_token = 1e-6;
  pool.step_time->seconds_per_prefill_pair = 1e-9;
  const Recording r = served({{0, 10, 3}, {0, 4, 5}}, pool);
  // 2 · 55 pairs; then 2 · 11, 2 · 12, 2 · 13 and 2 · 14 keys.
  EXPECT_EQ(r.request(0).first_token, ms(30) + 110 * 1000);
  EXPECT_EQ(r.request(0).finished, ms(78) + 110 * 1000 + 100 * 1'000'000);
}

TEST_P(WholeBatch, APrefillLongerThanTheTokenBudgetTakesSeveralSteps) {
  Pool pool = batches_of(2);
  pool.batching.max_num_batched_tokens = 8;
  const Recording r = served({{0, 10, 1}, {0, 4, 1}}, pool);
  EXPECT_EQ(r.request(0).finished, ms(18 + 18 + 14)) << "8 + 8 + 4 padded tokens";
  EXPECT_EQ(r.totals.steps, 3);
}

TEST_P(WholeBatch, ALoneRequestWaitsForTheTimeOut) {
  const Recording r = served({{0, 4, 1}, {5, 4, 1}, {100, 4, 1}}, batches_of(2, 0.25));
  EXPECT_EQ(r.request(0).started, ms(5));
  EXPECT_EQ(r.request(1).finished, ms(5 + 18));
  EXPECT_EQ(r.request(2).started, ms(350));
}

TEST_P(WholeBatch, WhoComesDuringABatchWaitsForItsEnd) {
  const Recording r = served({{0, 4, 10}, {0, 4, 1}, {20, 4, 1}, {21, 4, 1}}, batches_of(2));
  EXPECT_EQ(r.request(0).finished, ms(18 + 9 * 12));
  EXPECT_EQ(r.request(1).finished, ms(18 + 9 * 12)) << "answered together";
  EXPECT_EQ(r.request(2).started, ms(18 + 9 * 12));
}

TEST_P(WholeBatch, TakesNoMoreThanThePaddedBatchFitsInTheCache) {
  Pool pool = batches_of(3, 0);
  pool.kv.block_tokens = 10;
  pool.kv.blocks = 5;
  // 20 tokens or 2 blocks each: two fit, the third waits for them.
  const Recording r = served({{0, 20, 1}, {0, 11, 1}, {0, 11, 1}}, pool);
  EXPECT_EQ(r.request(0).started, 0);
  EXPECT_EQ(r.request(2).started, r.request(0).finished);
  for (const StepSpan& span : r.spans) EXPECT_LE(span.kv_blocks, 5);
}

TEST_P(WholeBatch, ABatchCutShortByTheEndTellsOfTheQueueBehindIt) {
  // Two users, one served at a time for 1000 steps of 11 ms: the other waits from 0 to the end.
  Pool pool = engine();
  pool.batching.kind = Batching::Kind::none;
  WorkloadClass workload = users(2);
  workload.output_tokens = Distribution{.a = 1000};
  Scenario scenario = scenario_of(workload, pool);
  scenario.run.duration_seconds = 1;
  scenario.run.stepping = GetParam();
  const Recording r = run(scenario);
  ASSERT_EQ(r.spans.size(), 1u);
  EXPECT_EQ(r.spans[0].end, ms(1000));
  EXPECT_EQ(r.spans[0].waiting, 1);
  EXPECT_DOUBLE_EQ(r.spans[0].waiting_time, 1e12);
}

TEST_P(WholeBatch, NoneServesOneAfterTheOther) {
  Pool pool = engine();
  pool.batching.kind = Batching::Kind::none;
  const Recording r = served({{0, 5, 2}, {0, 5, 2}}, pool);
  EXPECT_EQ(r.request(0).finished, ms(15 + 11));
  EXPECT_EQ(r.request(1).finished, ms(2 * (15 + 11)));
}

TEST(Station, ABatchLastsByItsCurve) {
  Pool pool = station(0.010);
  pool.batching.kind = Batching::Kind::dynamic;
  pool.batching.max_size = 8;
  pool.service.batch_factor = {{1, 1}, {3, 2}, {5, 4}};
  std::vector<Logged> requests = {{0}};      // alone: 10 ms
  requests.insert(requests.end(), 2, {1});   // two in between 1 and 3: 15 ms
  requests.insert(requests.end(), 8, {11});  // eight: level beyond 5: 40 ms
  const Recording r = run(scenario_of(logged(requests), pool));
  EXPECT_EQ(r.request(0).finished, ms(10));
  EXPECT_EQ(r.request(1).finished, ms(25));
  EXPECT_EQ(r.request(2).finished, ms(25));
  EXPECT_EQ(r.request(10).finished, ms(65));
  EXPECT_EQ(r.totals.steps, 3);
}

TEST(Station, ServersTakeFromOneQueue) {
  Pool pool = station(0.010);
  pool.service.servers = 2;
  const Recording r = run(scenario_of(logged({{0}, {1}, {2}, {3}}), pool));
  EXPECT_EQ(r.request(0).finished, ms(10));
  EXPECT_EQ(r.request(1).finished, ms(11));
  EXPECT_EQ(r.request(2).finished, ms(20));
  EXPECT_EQ(r.request(3).finished, ms(21));
  EXPECT_EQ(r.request(0).first_token, ms(10)) << "a service's first token is its answer";
}

}  // namespace
}  // namespace headway
