// vLLM's serving-benchmark JSON as rows, and what is refused.
#include "sim/validation/bench_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "sim/validation/row_case.hpp"

namespace headway {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// A result of 4 requests in 2 s, its keys in vLLM's order; `rate` and `rest` as JSON.
std::string result(const std::string& rate = "2.0", const std::string& rest = "") {
  return R"({"date": "20260101-000000", "backend": "vllm",
 "model_id": "meta-llama/Llama-3.1-8B-Instruct", "tokenizer_id": "x", "num_prompts": 4,
 "request_rate": )" +
         rate + R"(, "burstiness": 1.0, "max_concurrency": null,
 "duration": 2.0, "completed": 4, "total_input_tokens": 400, "total_output_tokens": 80,
 "request_throughput": 2.0, "mean_ttft_ms": 25.5, "median_ttft_ms": 25.0, "p99_ttft_ms": 30.0,
 "mean_tpot_ms": 8.25, "mean_itl_ms": 8.3, "mean_e2el_ms": 182.25)" +
         rest + "}\n";
}

BenchSetup setup() {
  BenchSetup setup;
  setup.engine = "vllm-0.11";
  setup.gpu = "h100-sxm-80gb";
  return setup;
}

MeasuredRow row_of(const std::string& json, const BenchSetup& with = setup()) {
  const ExampleFile file("idle run.json", json);
  return read_bench_json(file.path(), with);
}

std::string refused(const std::string& json, const BenchSetup& with = setup()) {
  return refusal([&] { row_of(json, with); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(BenchJson, ARateIsAPoissonLoadWithTheFiguresOfTheFile) {
  const MeasuredRow row = row_of(result());
  EXPECT_EQ(row.id, "idle-run");
  EXPECT_EQ(row.loop, Loop::open_constant);
  EXPECT_EQ(row.rate, 2);
  EXPECT_EQ(row.interval_cv, 1);
  EXPECT_EQ(row.requests, 4);
  EXPECT_EQ(row.input_tokens, 100);
  EXPECT_EQ(row.output_tokens, 20);
  EXPECT_EQ(row.measured[Measure::ttft_mean], 25.5);
  EXPECT_EQ(row.measured[Measure::tpot_mean], 8.25);
  EXPECT_EQ(row.measured[Measure::e2e_mean], 182.25);
  EXPECT_EQ(row.measured[Measure::requests], 2);
  EXPECT_EQ(row.measured[Measure::output_tokens], 40);
  const RowCase made = make_cases({row}, "").front();
  ASSERT_TRUE(made.scenario) << made.not_run;
  EXPECT_EQ(made.scenario->workload.front().arrivals.kind, Arrivals::Kind::poisson);
}

TEST(BenchJson, BurstinessIsTheShapeOfGammaIntervals) {
  // A gamma law of shape 4 has a coefficient of variation of 1/√4.
  const MeasuredRow row = row_of(replaced(result(), "\"burstiness\": 1.0", "\"burstiness\": 4"));
  EXPECT_EQ(row.interval_cv, 0.5);
  const RowCase made = make_cases({row}, "").front();
  ASSERT_TRUE(made.scenario) << made.not_run;
  EXPECT_EQ(made.scenario->workload.front().arrivals.kind, Arrivals::Kind::gamma);
}

TEST(BenchJson, WithoutARateAConcurrencyIsAClosedLoopAndNoneIsEverythingAtOnce) {
  EXPECT_EQ(row_of(result("\"inf\"")).loop, Loop::all_at_once);
  const MeasuredRow row =
      row_of(replaced(result("\"inf\""), "\"max_concurrency\": null", "\"max_concurrency\": 3"));
  EXPECT_EQ(row.loop, Loop::closed);
  EXPECT_EQ(row.concurrency, 3);
  EXPECT_EQ(make_cases({row}, "").front().scenario->workload.front().arrivals.users, 3);
}

TEST(BenchJson, LengthsOfEveryRequestAreTheirHistogram) {
  const MeasuredRow row = row_of(
      result("2.0", R"(, "input_lens": [50, 100, 100, 150], "output_lens": [20, 20, 20, 20])"));
  const RowCase made = make_cases({row}, "").front();
  ASSERT_TRUE(made.scenario) << made.not_run;
  const Distribution& law = *made.scenario->workload.front().input_tokens;
  EXPECT_EQ(law.kind, Distribution::Kind::histogram);
  ASSERT_EQ(law.bins.size(), 4u);
  EXPECT_EQ(law.bins.front().low, 50);
  EXPECT_EQ(law.bins.back().high, 150);
}

TEST(BenchJson, RepeatedPromptsHitTheCacheThatAFirstRoundFilled) {
  BenchSetup again = setup();
  again.repeated = true;
  const RowCase made = make_cases({row_of(result(), again)}, "").front();
  ASSERT_TRUE(made.scenario) << made.not_run;
  EXPECT_EQ(made.warming, 4);
  EXPECT_EQ(made.scenario->run.requests, 8);
  EXPECT_EQ(made.scenario->workload.front().prefix->groups, 4);
  EXPECT_THAT(refused(result("\"inf\""), again), HasSubstr("request_rate: no rate"));
}

TEST(BenchJson, WhatTheFileDoesNotSayIsAskedForByOption) {
  BenchSetup part = setup();
  part.gpu.clear();
  EXPECT_THAT(refused(result(), part), EndsWith("expected --gpu"));
  part = setup();
  part.engine.clear();
  EXPECT_THAT(refused(result(), part), EndsWith("expected --engine"));
  const std::string unknown = replaced(result(), "Llama-3.1-8B-Instruct", "Llama-9");
  EXPECT_THAT(refused(unknown), HasSubstr("model_id: the catalogue has no model"));
  part = setup();
  part.model = "llama-3.1-8b";
  EXPECT_EQ(row_of(unknown, part).model, "llama-3.1-8b");
}

TEST(BenchJson, WrongFilesAreRefusedWithTheirKeyOrPlace) {
  EXPECT_THAT(refused("{\"num_prompts\": 4,\n oops}"), HasSubstr("idle run.json:2:2: no JSON"));
  EXPECT_THAT(refused(""), HasSubstr(":1:1: no JSON"));
  EXPECT_THAT(refused(result() + result()), HasSubstr("no JSON; expected one result"));
  EXPECT_THAT(refused("[1]"), HasSubstr("no object"));
  EXPECT_THAT(refused(replaced(result(), "\"duration\"", "\"durations\"")),
              HasSubstr("duration: is missing"));
  EXPECT_THAT(refused(replaced(result(), "\"duration\"", "\"durations\"")), HasSubstr("durations"));
  EXPECT_THAT(refused(replaced(result(), "25.5", "\"fast\"")),
              HasSubstr("mean_ttft_ms: is '\"fast\"'; expected a number"));
  EXPECT_THAT(refused(replaced(result(), "25.5", "-1")), HasSubstr("mean_ttft_ms: is '-1'"));
  EXPECT_THAT(refused(replaced(result(), "25.5", "1e999")), HasSubstr("a number is too large"));
  EXPECT_THAT(refused(replaced(result(), "\"completed\": 4", "\"completed\": 3")),
              HasSubstr("completed: 1 of 4 requests failed"));
  EXPECT_THAT(refused(replaced(result(), "\"num_prompts\": 4", "\"num_prompts\": 4.5")),
              HasSubstr("expected a whole number"));
  EXPECT_THAT(refused(result("0")), HasSubstr("request_rate: is '0'"));
  EXPECT_THAT(refused(result("\"fast\"")), HasSubstr("request_rate"));
  EXPECT_THAT(refused(result("2.0", ", \"input_lens\": [1, 2]")),
              HasSubstr("input_lens: has 2 entries; expected 4"));
  EXPECT_THAT(refused(result("2.0", ", \"output_lens\": [1, 2, 3, -4]")),
              HasSubstr("output_lens: holds '-4'"));
  EXPECT_THAT(refused(result("2.0", ", \"ramp_up_strategy\": \"linear\"")),
              HasSubstr("ramp_up_strategy"));
  EXPECT_THAT(refusal([] { read_bench_json("/nowhere/x.json", setup()); }),
              HasSubstr("/nowhere/x.json: cannot be read"));
}

}  // namespace
}  // namespace headway
