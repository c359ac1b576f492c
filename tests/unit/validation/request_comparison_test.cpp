// A run beside the log of the real one.
#include "sim/validation/request_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

/// Two requests: queued at 0 and 1 s, first tokens after 1 and 3 s, 11 tokens, last after 2 and 7
/// s.
std::vector<LoggedRequest> log_of_two() {
  return {{0, 100, 11, 1000, 1000.5, 1001, 1002}, {1, 200, 11, 1001, 1002, 1004, 1008}};
}

TEST(RequestComparison, EveryLatencyIsTakenFromEnteringTheQueue) {
  // Predicted: TTFT 1.5 and 3.5 s, E2E 3 and 7 s.
  const std::vector<PredictedRequest> predicted = {{100, 11, 0, 0.5, 1.5, 3},
                                                   {200, 11, 1, 2, 4.5, 8}};
  const auto compared = compare_latencies(log_of_two(), predicted);
  ASSERT_EQ(compared.size(), 3u);
  const LatencyComparison &ttft = compared[0], &tpot = compared[1], &e2e = compared[2];
  EXPECT_NEAR(ttft.mean.measured, 2, 1e-12);
  EXPECT_NEAR(ttft.mean.predicted, 2.5, 1e-12);
  EXPECT_NEAR(ttft.p50.measured, 2, 1e-12);
  EXPECT_NEAR(ttft.p90.measured, 1 + 0.9 * 2, 1e-12);
  EXPECT_NEAR(ttft.p99.predicted, 1.5 + 0.99 * 2, 1e-12);
  EXPECT_NEAR(ttft.mean_difference, 0.5, 1e-12);
  EXPECT_NEAR(ttft.correlation, 1, 1e-12);
  EXPECT_NEAR(tpot.mean.measured, (1 + 4) / 2. / 10, 1e-12);
  EXPECT_NEAR(tpot.mean.predicted, (1.5 + 3.5) / 2. / 10, 1e-12);
  EXPECT_NEAR(tpot.mean_difference, 0.05, 1e-12);
  EXPECT_NEAR(e2e.mean.measured, (2 + 7) / 2., 1e-12);
  EXPECT_NEAR(e2e.mean_difference, 0.5, 1e-12);
}

TEST(RequestComparison, OtherRequestsAreRefused) {
  std::vector<PredictedRequest> predicted = {{100, 11, 0, 0.5, 1.5, 3}};
  EXPECT_THAT(refusal([&] { compare_latencies(log_of_two(), predicted); }),
              HasSubstr("the log has 2 requests and the trace 1"));
  predicted.push_back({200, 12, 1, 2, 4.5, 8});
  EXPECT_THAT(refusal([&] { compare_latencies(log_of_two(), predicted); }),
              HasSubstr("request 1 has 200 + 11 tokens"));
}

TEST(RequestComparison, RunningAndWaitingAreCountedWhenTheLogWasSampled) {
  const std::vector<PredictedRequest> predicted = {{1, 2, 0, 0.5, 1.5, 3}, {1, 2, 1, 2, 4.5, 8}};
  // On the log's clock the run starts at 0.25 s: its times are 0.25, 1.25, 2.25 and 9.75.
  const std::vector<LoggedState> log = {
      {0.5, 0, 1, 0}, {1.5, 1, 1, 0}, {2.5, 1, 0, 0}, {10, 0, 0, 0}};
  const auto states = compare_states(log, predicted, 0.25);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_NEAR(states[0].measured_mean, 0.5, 1e-12);
  EXPECT_NEAR(states[0].predicted_mean, (0 + 1 + 2 + 0) / 4., 1e-12);
  EXPECT_NEAR(states[0].mean_difference, 0.25, 1e-12);
  EXPECT_NEAR(states[1].predicted_mean, (1 + 1 + 0 + 0) / 4., 1e-12);
  EXPECT_NEAR(states[1].mean_difference, 0, 1e-12);
  EXPECT_TRUE(states[0].recorded);
}

TEST(RequestComparison, ALogOfZerosDidNotRecordTheCache) {
  Timeline timeline;
  timeline.bucket_seconds = 2;
  timeline.buckets.resize(2);
  timeline.buckets[1].kv_share = 0.5;
  const StateComparison kv = compare_kv({{1, 1, 1, 0}, {3, 1, 1, 0}, {9, 1, 1, 0}}, timeline, 0);
  EXPECT_FALSE(kv.recorded);
  EXPECT_NEAR(kv.predicted_mean, 0.5 / 3, 1e-12);
}

TEST(EngineLog, RequestsComeInOrderOfTheirNumbers) {
  const ExampleFile file(
      "log.jsonl",
      R"({"request_id":"b-1","input_toks":2,"output_toks":3,"queued_ts":5,"scheduled_ts":6,"first_token_ts":7,"last_token_ts":8})"
      "\n"
      R"({"request_id":"b-0","input_toks":1,"output_toks":2,"queued_ts":1,"scheduled_ts":2,"first_token_ts":3,"last_token_ts":4})"
      "\n");
  const auto requests = read_request_log(file.path());
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].input_tokens, 1);
  EXPECT_EQ(requests[1].output_tokens, 3);
  EXPECT_DOUBLE_EQ(requests[1].last_token, 8);
}

TEST(EngineLog, ADamagedLogIsRefusedWithItsLine) {
  const std::string good =
      R"({"request_id":"b-0","input_toks":1,"output_toks":2,"queued_ts":1,"scheduled_ts":2,"first_token_ts":3,"last_token_ts":4})"
      "\n";
  const auto refused = [](const std::string& text) {
    const ExampleFile file("log.jsonl", text);
    return refusal([&] { read_request_log(file.path()); });
  };
  EXPECT_THAT(refused(good + "[1]\n"), HasSubstr("log.jsonl:2:1: no JSON object"));
  EXPECT_THAT(refused(good + "{\"a\":\n"), HasSubstr(":2:1: no JSON object"));
  EXPECT_THAT(refused("{\"request_id\":\"b-0\"}\n"), HasSubstr("no number input_toks"));
  EXPECT_THAT(refused("{\"request_id\":\"b\"}\n"), HasSubstr("ends with its number"));
  EXPECT_THAT(refused(good + good), HasSubstr("request number 1 is missing or stands twice"));
  std::string backwards = good;
  backwards.replace(backwards.find("\"last_token_ts\":4"), 17, "\"last_token_ts\":2");
  EXPECT_THAT(refused(backwards), HasSubstr("stamps out of order"));
}

TEST(EngineLog, StatesAndTheFirstArrivalAreRead) {
  const ExampleFile states("s.csv",
                           "t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n"
                           "1.0,9069.0,166.0,9,2,12.5\n");
  const auto log = read_state_log(states.path());
  ASSERT_EQ(log.size(), 1u);
  EXPECT_DOUBLE_EQ(log[0].running, 9);
  EXPECT_DOUBLE_EQ(log[0].waiting, 2);
  EXPECT_DOUBLE_EQ(log[0].kv_share, 0.125);
  const ExampleFile trace("t.csv", "input_toks,output_toks,arrival_time_ns\n1,2,46926808\n");
  EXPECT_DOUBLE_EQ(first_arrival_seconds(trace.path()), 0.046926808);
}

}  // namespace
}  // namespace headway
