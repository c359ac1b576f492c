// Continuous batching in the order of vLLM's V1 scheduler: examples worked out by hand. Steps take
// 10 ms and 1 ms for each token. Each example holds with fast and with reference stepping.
#include <gtest/gtest.h>

#include "runs.hpp"

namespace headway {
namespace {

class ContinuousBatching : public testing::TestWithParam<Run::Stepping> {
 protected:
  Recording served(const std::vector<Logged>& requests, const Pool& pool) const {
    return served(scenario_of(logged(requests), pool));
  }
  Recording served(Scenario scenario) const {
    scenario.run.stepping = GetParam();
    return run(scenario);
  }
};

INSTANTIATE_TEST_SUITE_P(Stepping, ContinuousBatching,
                         testing::Values(Run::Stepping::fast, Run::Stepping::reference),
                         [](const auto& stepping) {
                           return stepping.param == Run::Stepping::fast ? "Fast" : "Reference";
                         });

TEST_P(ContinuousBatching, ThreePrefillsShareABudgetOfTenTokens) {
  Pool pool = engine();
  pool.batching.max_num_batched_tokens = 10;
  const Recording r = served({{0, 12, 3}, {0, 5, 2}, {0, 4, 2}}, pool);
  EXPECT_EQ(steps(r), (std::vector<Step>{
                          {20, 10, 1, 0},  // 10 of A's 12
                          {40, 10, 3, 0},  // A's last 2, B's 5, 3 of C's 4
                          {53, 1, 1, 2},   // A and B decode; C's last
                          {65, 0, 0, 2}    // A and C decode
                      }));
  EXPECT_EQ(r.request(0).first_token, ms(40));
  EXPECT_EQ(r.request(1).first_token, ms(40));
  EXPECT_EQ(r.request(2).first_token, ms(53));
  EXPECT_EQ(r.request(0).finished, ms(65));
  EXPECT_EQ(r.request(1).finished, ms(53));
  EXPECT_EQ(r.request(2).finished, ms(65));
  EXPECT_EQ(r.request(0).started, ms(0));
  EXPECT_EQ(r.request(1).started, ms(20));
  EXPECT_EQ(r.request(2).started, ms(20));
  EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(13), 2}, {ms(12), 2}}));
  EXPECT_EQ(r.totals.steps, 4);
  EXPECT_EQ(r.totals.output_tokens, 7);
}

TEST_P(ContinuousBatching, AStepIsPricedByItsTokensContextsAndPairs) {
  Pool pool = engine();
  pool.batching.max_num_batched_tokens = 10;
  pool.step_time->seconds_per_context_token = 1e-6;
  pool.step_time->seconds_per_prefill_pair = 1e-9;
  const Recording r = served({{0, 12, 3}, {0, 5, 2}, {0, 4, 2}}, pool);
  ASSERT_EQ(r.spans.size(), 4u);
  const auto length = [&](std::size_t i) { return r.spans[i].end - r.spans[i].start; };
  EXPECT_EQ(length(0), ms(20) + 1000 * 55);                  // 10·11/2 pairs
  EXPECT_EQ(length(1), ms(20) + 1000 * (23 + 15 + 6));       // 2·10 + 3; 5·6/2; 3·4/2
  EXPECT_EQ(length(2), ms(13) + 1000 * 4 + 1'000'000 * 19);  // 3 + 1; A reads 13 keys, B 6
  EXPECT_EQ(length(3), ms(12) + 1'000'000 * (14 + 5));       // A reads 14, C 5
}

TEST_P(ContinuousBatching, ALongPromptLeavesNoBudgetToAShortOneBehindIt) {
  Pool pool = engine();
  pool.batching.max_num_batched_tokens = 10;
  const Recording r = served({{0, 20, 1}, {0, 3, 1}}, pool);
  EXPECT_EQ(steps(r), (std::vector<Step>{{20, 10, 1, 0}, {40, 10, 1, 0}, {53, 3, 1, 0}}));
}

TEST_P(ContinuousBatching, TheLongPrefillThresholdLetsAShortPromptIn) {
  Pool pool = engine();
  pool.batching.max_num_batched_tokens = 10;
  pool.batching.long_prefill_token_threshold = 4;
  const Recording r = served({{0, 20, 1}, {0, 3, 1}}, pool);
  EXPECT_EQ(steps(r),
            (std::vector<Step>{
                {17, 7, 2, 0}, {31, 4, 1, 0}, {45, 4, 1, 0}, {59, 4, 1, 0}, {73, 4, 1, 0}}));
  EXPECT_EQ(r.request(1).finished, ms(17));
  EXPECT_EQ(r.request(0).finished, ms(73));
}

TEST_P(ContinuousBatching, WithoutChunkedPrefillAPromptWaitsUntilItFitsAndNobodyOvertakes) {
  Pool pool = engine();
  pool.batching.max_num_batched_tokens = 10;
  pool.batching.chunked_prefill = false;
  pool.max_model_len = 10;
  const std::vector<Logged> requests = {{0, 6, 3}, {0, 6, 1}, {0, 3, 1}};
  const Recording r = served(requests, pool);
  EXPECT_EQ(steps(r), (std::vector<Step>{
                          {16, 6, 1, 0},  // B's 6 do not fit beside A's, and C's 3 stay behind B
                          {36, 9, 2, 1},
                          {47, 0, 0, 1}}));
  pool.batching.long_prefill_token_threshold = 2;
  EXPECT_EQ(steps(served(requests, pool)), steps(r)) << "no chunks, no threshold on chunks";
}

TEST_P(ContinuousBatching, SequencesAreLimited) {
  Pool pool = engine();
  pool.batching.max_num_seqs = 2;
  const Recording r = served({{0, 5, 2}, {0, 5, 3}, {0, 5, 1}}, pool);
  EXPECT_EQ(steps(r),
            (std::vector<Step>{
                {20, 10, 2, 0}, {32, 0, 0, 2}, {48, 5, 1, 1}  // the third when the first ended
            }));
}

TEST_P(ContinuousBatching, ALongDecodeIsJoinedAtTheNextStepBoundary) {
  // The request of 5 tokens decodes alone from 15 ms on, 11 ms a step; one that comes at 100 ms
  // finds the boundary at 15 + 8·11 = 103 ms.
  const Recording r = served({{0, 5, 100}, {100, 4, 1}}, engine());
  EXPECT_EQ(r.request(1).queued, ms(100));
  EXPECT_EQ(r.request(1).started, ms(103));
  EXPECT_EQ(r.request(1).first_token, ms(103 + 15));
  EXPECT_EQ(r.request(0).finished, ms(15 + 98 * 11 + 15));
  EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(11), 98}, {ms(15), 1}}));
}

TEST_P(ContinuousBatching, WhoComesAtTheBoundaryItselfJoinsThere) {
  const Recording r = served({{0, 5, 100}, {103, 4, 1}}, engine());
  EXPECT_EQ(r.request(1).started, ms(103));
}

/// Four blocks of four tokens: A grows to 12 tokens, B to 7.
Pool small_cache() {
  Pool pool = engine();
  pool.kv.block_tokens = 4;
  pool.kv.blocks = 4;
  pool.kv.prefix_caching = false;
  return pool;
}

TEST_P(ContinuousBatching, TheLastSequenceIsPreemptedAndComputedAnew) {
  const Recording r = served({{0, 7, 6}, {0, 4, 4}}, small_cache());
  // until 21: both prompts, 2 + 1 blocks; until 33: both decode, B takes the 4th block.
  // At 33 A's 9th token needs a block: B, with 5 tokens cached, loses its two; A decodes alone
  // until 44, 55, 66, 77, for B's 6 tokens need two blocks and one is free. B computes its 4 + 2
  // tokens anew until 93, which gives its third, and decodes its fourth until 104.
  EXPECT_EQ(r.request(0).first_token, ms(21));
  EXPECT_EQ(r.request(0).finished, ms(77));
  EXPECT_EQ(r.request(1).first_token, ms(21));
  EXPECT_EQ(r.request(1).finished, ms(104));
  EXPECT_EQ(r.request(1).started, ms(0)) << "it started when it first ran";
  EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(12), 2}, {ms(11), 5}, {ms(60), 1}}));
  EXPECT_EQ(r.request(0).preemptions, 0);
  EXPECT_EQ(r.request(1).preemptions, 1);
  EXPECT_EQ(r.preemptions, 1);
  EXPECT_EQ(r.totals.preemptions, 1);
  EXPECT_EQ(r.totals.steps, 8);
  for (const StepSpan& span : r.spans) EXPECT_LE(span.kv_blocks, 4);
}

TEST_P(ContinuousBatching, NobodyIsAdmittedInTheStepOfAPreemption) {
  // As before, and a third request of one block, which would fit beside A from 33 ms on: vLLM
  // admits none in a step that preempted, and B stands in front of it.
  const Recording r = served({{0, 7, 6}, {0, 4, 4}, {30, 1, 1}}, small_cache());
  EXPECT_EQ(r.request(0).finished, ms(77));
  EXPECT_EQ(r.request(1).finished, ms(77 + 17 + 11)) << "its 6 tokens and the third's 1 together";
  EXPECT_EQ(r.request(2).finished, ms(77 + 17));
}

TEST_P(ContinuousBatching, ReserveAllNeverPreempts) {
  Pool pool = small_cache();
  pool.kv.reserve_all = true;
  const Recording r = served({{0, 7, 6}, {0, 4, 4}}, pool);
  // A holds 3 blocks, B needs 2: A runs alone, 17 + 5·11 ms, then B, 14 + 3·11 ms.
  EXPECT_EQ(r.request(0).finished, ms(72));
  EXPECT_EQ(r.request(1).started, ms(72));
  EXPECT_EQ(r.request(1).finished, ms(72 + 14 + 33));
  EXPECT_EQ(r.preemptions, 0);
}

TEST_P(ContinuousBatching, TheWatermarkKeepsBlocksFreeWhileOthersRun) {
  Pool pool = engine();
  pool.kv.block_tokens = 1;
  pool.kv.blocks = 10;
  const std::vector<Logged> requests = {{0, 4, 2}, {0, 4, 1}};
  EXPECT_EQ(served(requests, pool).request(1).finished, ms(18)) << "both prompts in one step";
  pool.kv.watermark = 0.3;
  // 4 blocks of 10 are used; B's 4 would leave 2, and 3 must stay free. It starts when A has ended.
  const Recording r = served(requests, pool);
  EXPECT_EQ(r.request(0).finished, ms(14 + 11));
  EXPECT_EQ(r.request(1).started, ms(25));
  EXPECT_EQ(r.request(1).finished, ms(39));
}

TEST_P(ContinuousBatching, ARequestThatNeedsTheWatermarksBlocksRunsAlone) {
  Pool pool = engine();
  pool.kv.block_tokens = 1;
  pool.kv.blocks = 10;
  pool.kv.watermark = 0.9;
  const Recording r = served({{0, 5, 6}, {0, 10, 1}}, pool);
  EXPECT_EQ(r.totals.completed, 2);
  EXPECT_EQ(r.request(1).started, r.request(0).finished);
}

TEST_P(ContinuousBatching, PrioritiesDecideWhoIsAdmittedAndWhoIsPreempted) {
  Scenario scenario = scenario_of(logged({{0, 4, 4}}), small_cache());
  scenario.workload.front().priority = 1;
  WorkloadClass urgent = logged({{0, 7, 6}});
  urgent.name = "urgent";
  scenario.workload.push_back(urgent);
  scenario.fleet.front().order = QueueOrder::priority;
  const Recording r = served(scenario);
  // The urgent request arrives second, and all goes as if it had come first.
  EXPECT_EQ(r.request(1).finished, ms(77));
  EXPECT_EQ(r.request(0).finished, ms(104));
  EXPECT_EQ(r.request(0).preemptions, 1);
}

TEST_P(ContinuousBatching, ShortestFirstServesTheShorterOfTwoThatWait) {
  Pool pool = engine();
  pool.batching.max_num_seqs = 1;
  pool.order = QueueOrder::shortest_first;
  const Recording r = served({{0, 5, 1}, {1, 30, 1}, {2, 4, 2}}, pool);
  EXPECT_EQ(r.request(0).finished, ms(15));
  EXPECT_EQ(r.request(2).finished, ms(15 + 14 + 11));
  EXPECT_EQ(r.request(1).finished, ms(40 + 40));
}

TEST_P(ContinuousBatching, OneTokenOutEndsWithThePrefill) {
  const Recording r = served({{0, 5, 1}}, engine());
  EXPECT_EQ(r.request(0).first_token, ms(15));
  EXPECT_EQ(r.request(0).finished, ms(15));
  EXPECT_TRUE(r.gaps.empty());
}

TEST_P(ContinuousBatching, ADecodeLeftWithoutBudgetGoesOnWhereItStood) {
  // By priority the urgent prompt of 20 tokens takes the whole budget of 8 twice, and 4 of a third
  // step: the running request stalls for two steps, then decodes beside the rest.
  Scenario scenario = scenario_of(logged({{0, 4, 4}}), engine());
  scenario.fleet.front().order = QueueOrder::priority;
  scenario.fleet.front().batching.max_num_batched_tokens = 8;
  scenario.fleet.front().batching.max_num_seqs = 8;
  scenario.workload.front().priority = 1;
  scenario.workload.push_back(logged({{0, 1, 1}, {16, 20, 1}}));
  const Recording r = served(scenario);
  // 0–15: 1 + 4 tokens. 15–26: a decode alone; the urgent one comes at 16. 26–44: its first chunk
  // beside the decode, 1 + 7 tokens: it is only admitted behind those that run.
  // 44–62: it stands in front, 8 tokens, and the decode stalls. 62–78: its last 5, and the decode
  // with a token 34 ms after the one before.
  EXPECT_EQ(steps(r),
            (std::vector<Step>{
                {15, 5, 2, 0}, {26, 0, 0, 1}, {44, 7, 1, 1}, {62, 8, 1, 0}, {78, 5, 1, 1}}));
  EXPECT_EQ(r.gaps, (std::map<Time, std::int64_t>{{ms(11), 1}, {ms(18), 1}, {ms(34), 1}}));
  EXPECT_EQ(r.preemptions, 0);
}

TEST_P(ContinuousBatching, AnIdleEngineWakesUpBeforeItsFirstStep) {
  // B comes while it wakes, for A, and has its prompt in the same step; C comes to a busy engine.
  // D finds it idle again.
  const std::vector<Logged> requests = {{0, 5, 2}, {6, 4, 1}, {20, 3, 1}, {51, 2, 1}};
  Pool pool = engine();
  pool.placement.engine.idle_overhead_seconds = 0.007;
  const std::vector<Step> first = {{26, 9, 2, 0}}, last = {{70, 2, 1, 0}};
  EXPECT_EQ(steps(served(requests, pool)), (std::vector<Step>{first[0], {40, 3, 1, 1}, last[0]}));
  pool.placement.engine.asynchronous = true;  // C waits for the step after the next
  EXPECT_EQ(steps(served(requests, pool)),
            (std::vector<Step>{first[0], {37, 0, 0, 1}, {50, 3, 1, 0}, last[0]}));
}

/// Requests that wait while it wakes up do so in its queue, also those that go meanwhile.
TEST_P(ContinuousBatching, WakingUpIsToldWithWhoWaits) {
  Pool pool = engine();
  pool.placement.engine.idle_overhead_seconds = 0.007;
  Scenario scenario = scenario_of(logged({{0, 5, 1}, {4, 5, 1}, {40, 5, 1}, {60, 5, 1}}), pool);
  scenario.workload.front().timeouts.queue = Distribution{.a = 0.0065};
  std::vector<StepSpan> waking;
  for (const StepSpan& span : served(scenario).spans)
    if (span.steps == 0) waking.push_back(span);
  ASSERT_EQ(waking.size(), 3u);
  const auto expect = [&](std::size_t i, double from, double to, double waited) {
    EXPECT_EQ(waking[i].start, ms(from));
    EXPECT_EQ(waking[i].end, ms(to));
    EXPECT_NEAR(waking[i].waiting_time, static_cast<double>(ms(waited)), 1);
    EXPECT_EQ(waking[i].limits.host, ms(to - from));
    EXPECT_EQ(waking[i].limits.total(), ms(to - from));
  };
  expect(0, 0, 7, 6.5 + 3);
  expect(1, 40, 47, 6.5);
  expect(2, 60, 66.5, 6.5);  // the run ends with the last, before the engine is awake
}

TEST_P(ContinuousBatching, AnEngineThatWakesForNobodyTakesNoStep) {
  Pool pool = engine();
  pool.placement.engine.idle_overhead_seconds = 0.007;
  // Each waits for 4 ms. The first is gone when the engine is awake, and the second served; for the
  // third it wakes at 37 and serves the fourth; the last goes, and nobody is there.
  Scenario scenario =
      scenario_of(logged({{0, 5, 1}, {5, 5, 1}, {30, 5, 1}, {36, 1, 1}, {60, 5, 1}}), pool);
  scenario.workload.front().timeouts.queue = Distribution{.a = 0.004};
  EXPECT_EQ(steps(served(scenario)), (std::vector<Step>{{22, 5, 1, 0}, {48, 1, 1, 0}}));
}

}  // namespace
}  // namespace headway
