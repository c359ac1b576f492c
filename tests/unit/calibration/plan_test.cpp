// The measuring plan: as many points as were found to be enough, in shapes that a step asks for.
#include "calibration/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "calibration/calibration_error.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/plan_axis.hpp"
#include "models/catalog.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

PlanRequest request_of(const std::string& model) {
  PlanRequest request;
  request.architecture = load_model(model);
  request.limits.gpus = 8;
  return request;
}

std::map<std::string, int> count_by_operator(const std::vector<OperatorPoint>& plan) {
  std::map<std::string, int> counts;
  for (const OperatorPoint& point : plan) ++counts[point.op];
  return counts;
}

TEST(PlanAxis, EndsComeFirstThenTheMiddle) {
  EXPECT_THAT(refinement_order(9), testing::ElementsAre(0, 8, 4, 2, 6, 1, 3, 5, 7));
  EXPECT_THAT(refinement_order(1), testing::ElementsAre(0));
  EXPECT_TRUE(refinement_order(0).empty());
}

TEST(PlanAxis, TokensHaveBothSidesOfATileAndTheLargestStep) {
  const std::vector<std::int64_t> tokens = token_axis(8192);
  for (const std::int64_t m : {1, 16, 128, 129, 256, 257, 2048, 8192})
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), m), 1) << m;
  EXPECT_TRUE(std::is_sorted(tokens.begin(), tokens.end()));
  EXPECT_EQ(token_axis(300).back(), 257);
}

TEST(Plan, OfADenseModelHasThePointsThatWereFoundToBeEnough) {
  PlanRequest request = request_of("llama-3.1-8b");
  request.tensor = {2};
  const auto counts = count_by_operator(make_plan(request));
  EXPECT_NEAR(counts.at("gemm"), 180 + 9, 10);
  EXPECT_NEAR(counts.at("attention_decode") + counts.at("attention_mixed"), 50 + 10, 8);
  EXPECT_NEAR(counts.at("attention_prefill"), 16, 2);
  EXPECT_EQ(
      counts.at("norm") + counts.at("activation") + counts.at("rotary") + counts.at("embedding"),
      30);
  EXPECT_EQ(counts.at("sampler"), 9);
  EXPECT_EQ(counts.at("all_reduce"), 14);
  EXPECT_EQ(counts.count("moe"), 0u);
}

TEST(Plan, OfAMixtureOfExpertsMeasuresThem) {
  const auto counts = count_by_operator(make_plan(request_of("qwen3-30b-a3b")));
  EXPECT_EQ(counts.at("moe"), 28);
  EXPECT_EQ(counts.count("all_reduce"), 0u);  // one GPU
}

TEST(Plan, HasTheShapesOfALayerOnOneGpu) {
  // Llama-3.1-8B on two GPUs: q 2048, k and v 512 each, MLP 7168, vocabulary 64128.
  PlanRequest request = request_of("llama-3.1-8b");
  request.tensor = {2};
  std::set<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const OperatorPoint& point : make_plan(request)) {
    if (point.op == "gemm") shapes.insert({point.n, point.k});
    if (point.op.starts_with("attention")) {
      EXPECT_EQ(point.heads, 16);
      EXPECT_EQ(point.kv_heads, 4);
    }
  }
  EXPECT_THAT(shapes, testing::UnorderedElementsAre(std::pair(3072, 4096), std::pair(4096, 2048),
                                                    std::pair(14336, 4096), std::pair(4096, 7168),
                                                    std::pair(64128, 4096)));
}

TEST(Plan, ReachesTheLargestBatchAndStaysWithinTheLimits) {
  PlanRequest request = request_of("llama-3.1-8b");
  request.limits.max_num_seqs = 96;
  request.limits.max_num_batched_tokens = 1000;
  request.limits.max_model_len = 3000;
  request.limits.memory_bytes = 64e6;
  std::int64_t largest = 0;
  for (const OperatorPoint& p : make_plan(request)) {
    if (p.op == "attention_decode") largest = std::max(largest, p.batch);
    EXPECT_LE(p.m, 1000) << point_text(p);
    EXPECT_LE(p.chunk + p.prefix, 3000) << point_text(p);
    EXPECT_LE(std::max(p.context, p.longest), 3000) << point_text(p);
    if (p.op == "attention_decode" && p.longest == 0) {
      EXPECT_LE(4 * p.batch * p.context * 8 * 128, 64'000'000) << point_text(p);
    }
    if (p.op == "gemm") {
      EXPECT_LE(2 * p.n * p.k, 64'000'000) << point_text(p);
    }
    std::string key;
    EXPECT_EQ(point_fault(p, key), "");
  }
  EXPECT_EQ(largest, 96);
}

TEST(Plan, CutShortStillCoversEveryOperator) {
  const std::vector<OperatorPoint> plan = make_plan(request_of("qwen3-30b-a3b"));
  const std::vector<OperatorPoint> start(
      plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(plan.size() / 4));
  EXPECT_EQ(count_by_operator(start).size(), count_by_operator(plan).size());
  std::set<std::int64_t> batches;
  for (const OperatorPoint& point : start)
    if (point.op == "attention_decode") batches.insert(point.batch);
  EXPECT_GE(batches.size(), 2u);
}

TEST(Plan, HasNoPointTwiceAndFp8BesideItsSixteenBits) {
  PlanRequest request = request_of("qwen3-30b-a3b");
  request.precisions = {"bf16", "fp8"};
  request.tensor = {1, 2};
  std::set<std::string> texts;
  std::set<std::string> gemms, caches;
  for (const OperatorPoint& point : make_plan(request)) {
    EXPECT_TRUE(texts.insert(point_text(point)).second) << point_text(point);
    if (point.op == "gemm") gemms.insert(point.format);
    if (point.op == "attention_decode") caches.insert(point.kv);
    if (point.op == "sampler") {
      EXPECT_EQ(point.format, "bf16");
    }
  }
  EXPECT_THAT(gemms, testing::ElementsAre("bf16", "fp8"));
  EXPECT_THAT(caches, testing::ElementsAre("bf16", "fp8"));
}

TEST(Plan, WindowedLayersAreMeasuredBesideTheOthers) {
  std::set<std::int64_t> windows;
  for (const OperatorPoint& point : make_plan(request_of("gpt-oss-20b")))
    if (point.op == "attention_decode") windows.insert(point.window);
  EXPECT_THAT(windows, testing::ElementsAre(0, 128));
}

TEST(Plan, WhatNoEngineRunsIsRefused) {
  PlanRequest request = request_of("llama-3.1-8b");
  request.tensor = {3};
  EXPECT_THAT(error_of<SampleError>([&] { make_plan(request); }), HasSubstr("(3)"));
  request = request_of("llama-3.1-8b");
  request.precisions = {"bf17"};
  EXPECT_THAT(error_of<SampleError>([&] { make_plan(request); }), HasSubstr("did you mean bf16?"));
  request = request_of("llama-3.1-8b");
  request.limits.max_num_seqs = 0;
  EXPECT_THAT(error_of<SampleError>([&] { make_plan(request); }), HasSubstr("max_num_seqs"));
}

}  // namespace
}  // namespace headway
