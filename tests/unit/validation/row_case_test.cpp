// Rows as scenarios, and what a run of them predicts.
#include "sim/validation/row_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "sim/scenario/load.hpp"
#include "sim/validation/row_scenario.hpp"
#include "sim/validation/scratch_folder.hpp"
#include "sim/validation/validation_run.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

RowCase case_of(const MeasuredRow& row) {
  return make_cases({row}, "/nowhere").front();
}

TEST(RowScenario, AnOpenLoopSendsItsRequestsEvenlyAndWaitsForTheAnswers) {
  MeasuredRow row = example_row();
  row.max_num_seqs = 128;
  const RowCase made = case_of(row);
  ASSERT_TRUE(made.scenario.has_value()) << made.not_run;
  const Scenario& scenario = *made.scenario;
  const WorkloadClass& load = scenario.workload.front();
  EXPECT_EQ(load.arrivals.kind, Arrivals::Kind::constant);
  EXPECT_DOUBLE_EQ(load.arrivals.rate, 10);
  EXPECT_EQ(scenario.run.requests, 600);
  EXPECT_TRUE(scenario.run.drain);
  EXPECT_EQ(made.replications, 1);
  EXPECT_DOUBLE_EQ(load.input_tokens->a, 203);
  EXPECT_EQ(scenario.fleet.front().batching.max_num_seqs, 128);
  EXPECT_EQ(made.kind, "dense 16-bit");
  EXPECT_TRUE(made.scored());
}

// 600 requests at 10 /s take a minute, whatever their times; its client holds 440 in flight.
TEST(RowScenario, InferencePerfSendsAnExactNumberAtRandomTimes) {
  MeasuredRow row = example_row();
  row.group = "inference-perf";
  row.chunked_prefill = false;
  const RowCase made = case_of(row);
  ASSERT_TRUE(made.scenario.has_value()) << made.not_run;
  const WorkloadClass& load = made.scenario->workload.front();
  ASSERT_EQ(load.arrivals.kind, Arrivals::Kind::stages);
  ASSERT_EQ(load.arrivals.stages.size(), 1u);
  EXPECT_DOUBLE_EQ(load.arrivals.stages[0].rate, 10);
  EXPECT_DOUBLE_EQ(load.arrivals.stages[0].seconds, 60);
  EXPECT_TRUE(load.arrivals.stages[0].exact);
  EXPECT_EQ(load.max_concurrency, 440);
  EXPECT_FALSE(made.scenario->fleet.front().batching.chunked_prefill);
  EXPECT_EQ(made.replications, 4);
}

TEST(RowCase, TheFiguresOfRandomLoadsAreMeansOverReplications) {
  MeasuredRow row = example_row();
  row.group = "inference-perf";
  std::vector<RowCase> cases = {case_of(row)};
  const ScratchFolder scratch;
  run_cases(cases, scratch.path(), 0, {}, {});
  ASSERT_TRUE(cases[0].failure.empty()) << cases[0].failure;
  ASSERT_EQ(cases[0].replicated.size(), 4u);
  double sum = 0, least = 1e9, most = 0;
  for (const Measures& one : cases[0].replicated) {
    const double ttft = *one[Measure::ttft_p99];
    sum += ttft;
    least = std::min(least, ttft);
    most = std::max(most, ttft);
  }
  EXPECT_LT(least, most);  // other seeds, other queues
  EXPECT_DOUBLE_EQ(*cases[0].predicted[Measure::ttft_p99], sum / 4);
}

TEST(RowScenario, AClosedLoopStartsColdWithAllItsUsers) {
  MeasuredRow row = example_row();
  row.loop = Loop::closed;
  row.requests = 0;
  row.concurrency = 16;
  const Scenario scenario = *case_of(row).scenario;
  EXPECT_EQ(scenario.workload.front().arrivals.users, 16);
  EXPECT_EQ(scenario.workload.front().arrivals.requests, 160);
}

TEST(RowScenario, AStaticBatchIsOneWaveAndIsNotScored) {
  MeasuredRow row = example_row();
  row.loop = Loop::static_batch;
  row.requests = 0;
  row.batch = 32;
  const RowCase made = case_of(row);
  EXPECT_EQ(made.scenario->workload.front().arrivals.users, 32);
  EXPECT_EQ(made.scenario->workload.front().arrivals.requests, 32);
  EXPECT_FALSE(made.scored());
}

TEST(RowScenario, AHostileNoteStaysAComment) {
  MeasuredRow row = example_row();
  row.note = "x\nrun: {seed: 7}\n\"# y";
  const RowCase made = case_of(row);
  ASSERT_TRUE(made.scenario.has_value()) << made.not_run;
  EXPECT_EQ(made.scenario->run.seed, 1u);
}

TEST(RowCase, WhatTheParserRefusesIsToldAndNotRun) {
  MeasuredRow row = example_row();
  row.model = "Llama-3.1-70B";  // 141 GB of weights on one card
  RowCase made = case_of(row);
  EXPECT_FALSE(made.scenario.has_value());
  EXPECT_THAT(made.not_run, HasSubstr("weights"));
  EXPECT_FALSE(made.scored());
  row = example_row();
  row.model = "Llama-2-7b-hf";
  row.input_tokens = 4096;
  EXPECT_THAT(case_of(row).not_run, HasSubstr("at most 4096 tokens"));
}

TEST(RowCase, ASystemIsSaturatedWhereItAnswersLessThanIsOffered) {
  std::vector<MeasuredRow> rows;
  const std::pair<double, double> stages[] = {{50, 49.5}, {92, 91.4}, {150, 101.5}};
  for (const auto& [rate, achieved] : stages) {
    rows.push_back(example_row());
    rows.back().id += std::to_string(rate);
    rows.back().rate = rate;
    rows.back().measured[Measure::requests] = achieved;
  }
  const auto cases = make_cases(rows, "/nowhere");
  EXPECT_FALSE(cases[0].saturated || cases[1].saturated);
  EXPECT_TRUE(cases[2].saturated);
  EXPECT_FALSE(cases[0].near_knee);  // 50 of 101.5
  EXPECT_TRUE(cases[1].near_knee);   // 92 is over 0.85 · 101.5 = 86.3
  EXPECT_TRUE(cases[2].near_knee);
}

TEST(RowCase, StampsInsideTheEngineHoldNoneOfItsOverheadForARequest) {
  RowCase made = case_of(example_row());
  made.scenario->fleet.front().placement.engine.request_overhead_seconds = 0.007;
  Report report;
  report.summary.latencies.ttft_from_sent.count = 1;
  report.summary.latencies.ttft_from_sent.mean.value = 0.030;
  report.summary.makespan_seconds = 2.007;
  report.summary.counts.completed = 20;
  report.summary.counts.output_tokens = 400;
  Measures client = predicted_measures(made, report);
  EXPECT_DOUBLE_EQ(*client[Measure::ttft_mean], 30);
  EXPECT_DOUBLE_EQ(*client[Measure::requests], 20 / 2.007);
  EXPECT_FALSE(client[Measure::e2e_mean].has_value());
  made.row.loop = Loop::trace;
  Measures engine = predicted_measures(made, report);
  EXPECT_DOUBLE_EQ(*engine[Measure::ttft_mean], 23);
  EXPECT_DOUBLE_EQ(*engine[Measure::requests], 10);
  EXPECT_DOUBLE_EQ(*engine[Measure::output_tokens], 200);
}

/// Two stages of one server whose 44 prompts come again.
std::vector<RowCase> stages() {
  MeasuredRow first = example_row();
  first.note = "inference-perf shared-prefix client: 11 system prompts x 4 users, ...";
  MeasuredRow second = first;
  second.id = "row-1";
  second.rate = 20;
  return make_cases({first, second}, "/nowhere");
}

TEST(RowCase, ALaterStageFindsThePromptsOfTheFirstCached) {
  const auto cases = stages();
  ASSERT_TRUE(cases[0].scenario && cases[1].scenario) << cases[0].not_run;
  EXPECT_EQ(cases[0].warming, 0);
  EXPECT_DOUBLE_EQ(cases[0].scenario->workload.front().arrivals.stages.at(0).seconds, 600 / 10.);
  EXPECT_EQ(cases[1].warming, 44);
  EXPECT_DOUBLE_EQ(cases[1].scenario->workload.front().arrivals.stages.at(0).seconds, 644 / 20.);
  const WorkloadClass& load = cases[1].scenario->workload.front();
  ASSERT_TRUE(load.prefix.has_value());
  EXPECT_EQ(load.prefix->groups, 44);
  EXPECT_EQ(load.prefix->tokens, 203);
  EXPECT_TRUE(cases[1].scenario->fleet.front().kv.prefix_caching);
}

TEST(RowCase, RandomPromptsNeedNoPrefixCache) {
  EXPECT_FALSE(case_of(example_row()).scenario->fleet.front().kv.prefix_caching);
}

TEST(RowCase, RequestsThatWarmTheCacheAreNotMeasured) {
  RowCase made = stages()[1];
  made.warming = 1;
  const ExampleFile file(
      "requests.csv",
      "# headway.requests 1\n"
      "request,class,pool,replica,outcome,scheduled_s,sent_s,queued_s,started_s,first_token_s,"
      "finished_s,input_tokens,output_tokens,preemptions,ttft_s,tpot_s,e2e_s\n"
      "1,m,main,0,completed,1,1,1,1,1.1,2,100,10,0,0.1,0.1,1\n"
      "0,m,main,0,completed,0,0,0,0,9,9.5,100,10,0,9,0.1,9.5\n"
      "2,m,main,0,completed,2,2,2,2,2.3,4,100,10,0,0.3,0.1,2\n"
      "3,m,main,0,queue full,3,3,3,,,3,100,10,0,,,\n");
  const Measures measured = measures_of_warm(made, file.path());
  EXPECT_NEAR(*measured[Measure::ttft_mean], 200, 1e-9);
  EXPECT_NEAR(*measured[Measure::ttft_p50], 200, 1e-9);
  EXPECT_NEAR(*measured[Measure::ttft_p90], 100 + 0.9 * 200, 1e-9);
  EXPECT_NEAR(*measured[Measure::tpot_mean], (900 / 9. + 1700 / 9.) / 2, 1e-9);
  EXPECT_NEAR(*measured[Measure::e2e_mean], 1500, 1e-9);
  EXPECT_NEAR(*measured[Measure::requests], 2 / 3., 1e-12);  // sent from 1 s, answered at 4 s
  EXPECT_NEAR(*measured[Measure::total_tokens], 220 / 3., 1e-12);
}

}  // namespace
}  // namespace headway
