// Public reports of fleets behind a router, replayed; every figure is printed beside the reported
// one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "sim/engine/engine.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/scenario/load.hpp"
#include "sim/workload/draw.hpp"

namespace headway {
namespace {

/// From here on requests are the report's last stage; before, until 50 s, caches are warmed.
constexpr double kStageStart = 200;

/// 750 prompts, once within 50 s and, from 200 s on, twice within 25 s, at random times. Prompts
/// are of 150 groups: of 7,200 tokens the first 6,144 are the group's (12 blocks of 512, for the
/// report's 6,000), the rest are one of five questions.
std::string two_stages() {
  const Draw draw(1, Stream::arrivals, 0);
  std::vector<double> times(2250);
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = i < 750 ? 50 * draw.uniform(i) : kStageStart + 25 * draw.uniform(i);
  std::sort(times.begin(), times.end());
  std::string trace;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t group = i % 150, question = i / 150 % 5;
    std::string ids;
    for (std::size_t block = 0; block < 15; ++block) {
      const std::size_t id =
          block < 12 ? 100 * group + block : 100'000 + 1000 * group + 10 * question + block;
      ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    }
    trace += fmt::format(
        R"({{"timestamp": {:.0f}, "input_length": 7200, "output_length": 1000, "hash_ids": [{}]}})"
        "\n",
        1000 * times[i], ids);
  }
  return trace;
}

struct Stage final : Observer {
  double requests = 0, ttft_sum = 0, e2e_sum = 0, last = 0;
  std::vector<double> ttft;

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override {
    if (to_seconds(record.scheduled) < kStageStart / 2) return;
    ++requests;
    ttft.push_back(to_seconds(record.first_token - record.scheduled));
    ttft_sum += ttft.back();
    e2e_sum += to_seconds(record.finished - record.scheduled);
    last = std::max(last, to_seconds(record.finished));
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}

  double per_second() const { return requests / (last - kStageStart); }
  double mean_ttft() const { return ttft_sum / requests; }
  double mean_e2e() const { return e2e_sum / requests; }
  double p99_ttft() {
    const auto place = ttft.begin() + static_cast<std::ptrdiff_t>(0.99 * requests);
    std::nth_element(ttft.begin(), place, ttft.end());
    return *place;
  }
};

Stage last_stage(const std::string& router) {
  const auto path = std::filesystem::path(testing::TempDir()) / "headway-prefix-routing.jsonl";
  std::ofstream(path) << two_stages();
  const std::string text = fmt::format(
      "headway: 1\nworkload:\n  - class: questions\n"
      "    arrivals: {{trace: {{file: {}, format: mooncake}}}}\n"
      "fleet:\n  - pool: main\n    model: qwen3-32b\n    gpu: h100-sxm-80gb\n"
      "    engine: vllm-0.19\n    parallel: {{tensor: 2}}\n    replicas: 8\nrouter: {}\n"
      "run: {{drain: true, engine: heap}}\n",
      path.string(), router);
  Stage stage;
  run_scenario(parse_scenario(text, "report.yaml", ""), stage);
  std::filesystem::remove(path);
  EXPECT_EQ(stage.requests, 1500);
  return stage;
}

// llm-d/llm-d, guides/inference-scheduling: Qwen3-32B on 16 H100 as eight pairs, 1,500 requests
// within 25 s behind a Kubernetes service (which draws a replica at random), and behind the
// prefix-aware scheduler. What came before that stage is not told: here, each prompt once.
TEST(RoutingReports, APrefixAwareRouterServesTwiceTheRequestsAndAnswersAtOnce) {
  Stage aware = last_stage("{prefix_aware: {}, metrics_age: 50 ms}"),
        around = last_stage("round_robin"), random = last_stage("random");
  const double rate = print_beside("Qwen3-32B, prefix-aware", aware.per_second(), 14.41, "req/s");
  print_beside("  mean TTFT", aware.mean_ttft(), 0.1203, "s");
  print_beside("  p99 TTFT", aware.p99_ttft(), 0.2257, "s");
  const double e2e = print_beside("  mean latency", aware.mean_e2e(), 67.86, "s");
  print_beside("Qwen3-32B, a Kubernetes service, random", random.per_second(), 5.731, "req/s");
  print_beside("  mean TTFT", random.mean_ttft(), 34.91, "s");
  print_beside("  mean latency", random.mean_e2e(), 105.4, "s");
  print_beside("Qwen3-32B, round robin", around.per_second(), 5.731, "req/s");
  print_beside("  mean TTFT", around.mean_ttft(), 34.91, "s");
  EXPECT_GE(aware.per_second(), 2 * around.per_second());
  EXPECT_GE(aware.per_second(), 2 * random.per_second());
  EXPECT_LT(aware.mean_ttft(), 0.5);
  EXPECT_GT(around.mean_ttft(), 20);
  EXPECT_GT(random.mean_ttft(), 20);
  EXPECT_LT(std::fabs(rate), 0.25);
  EXPECT_LT(std::fabs(e2e), 0.25);
}

// llm-d/llm-d-autoscaling#1025: 200 requests/s of ShareGPT for 120 s at Llama-3.1-8B on at most two
// H100: 129.9 /s are achieved, within 181 s, and yet the TTFT is 29 ms at the median: what waits
// does so in the client. Its connections are not told: 512 are taken, as many as two replicas run.
TEST(RoutingReports, WhatIsOfferedIsNotWhatIsAchievedAndTheWaitIsInTheClient) {
  const Scenario scenario = parse_scenario(
      "headway: 1\nworkload:\n  - class: sharegpt\n    arrivals: {poisson: {rate: 200 /s}}\n"
      "    input_tokens: {lognormal: {mean: 217.4, cv: 1}, max: 1024}\n"
      "    output_tokens: {lognormal: {mean: 201.4, cv: 1}, max: 1024}\n"
      "    client: {max_concurrency: 512}\n"
      "fleet:\n  - pool: main\n    model: llama-3.1-8b\n    gpu: h100-sxm-80gb\n"
      "    engine: vllm-0.19\n    replicas: 2\n"
      "run: {duration: 120 s, drain: true, engine: heap}\n",
      "report.yaml", "");
  Recorder recorder(scenario);
  const RunTotals totals = run_scenario(scenario, recorder);
  const Summary summary = recorder.summarise(scenario, totals);
  print_beside("Llama-3.1-8B, offered", summary.offered_per_second, 200, "req/s");
  const double achieved = print_beside("  achieved", summary.achieved_per_second, 129.91, "req/s");
  const double makespan =
      print_beside("  until the last answer", summary.makespan_seconds, 181, "s");
  print_beside("  median TTFT from sending", 1000 * summary.latencies.ttft_from_sent.p50.value,
               28.6, "ms");
  print_beside("  p99 TTFT from sending", 1000 * summary.latencies.ttft_from_sent.p99.value, 415.8,
               "ms");
  EXPECT_NEAR(summary.offered_per_second, 200, 5);
  EXPECT_LT(std::fabs(achieved), 0.15);
  EXPECT_LT(std::fabs(makespan), 0.15);
  EXPECT_LT(summary.latencies.ttft_from_sent.p50.value, 0.2);
  EXPECT_GT(summary.latencies.ttft.p50.value, 10);
}

}  // namespace
}  // namespace headway
