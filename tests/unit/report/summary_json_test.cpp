#include "sim/report/summary_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "sim/scenario/input_error.hpp"
#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

std::string message_for(const std::string& text) {
  try {
    parse_summary(text, "result.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SummaryJson, reading_gives_back_what_was_written) {
  Report report = example_report();
  report.summary.latencies.client_delay.unstable = true;
  report.summary.cost.usd_per_request.reset();
  report.facts.stopped_by = "the time limit of 10 s";
  report.provenance.wall_seconds = 0.125;
  const std::string text = summary_json(report);
  const Report again = parse_summary(text, "result.json");
  EXPECT_EQ(summary_json(again), text);
  EXPECT_EQ(again.summary.stability.verdict, Verdict::stable);
  EXPECT_EQ(again.summary.warm_up.how, WarmUp::How::mser5);
  EXPECT_EQ(again.summary.latencies.ttft.p99.half_width, 0.004);
  EXPECT_EQ(again.summary.latencies.ttft.p95.half_width, std::nullopt);
  EXPECT_TRUE(again.summary.latencies.client_delay.unstable);
  EXPECT_EQ(again.summary.cost.usd_per_request, std::nullopt);
  EXPECT_EQ(again.summary.pools.at(0).memory_bandwidth, 0.65);
  EXPECT_EQ(again.facts.sources.at(1).pool, "reranker");
}

// 72,200 requests and 14.44 M output tokens in 3,610 s are 20 requests and 4,000 tokens a second.
TEST(SummaryJson, has_the_keys_of_vllms_serving_benchmark_in_its_units_from_sending) {
  const auto json = nlohmann::json::parse(summary_json(example_report()));
  EXPECT_EQ(json.at("duration"), 3610.0);
  EXPECT_EQ(json.at("completed"), 72200);
  EXPECT_EQ(json.at("request_throughput"), 20.0);
  EXPECT_EQ(json.at("output_throughput"), 4000.0);
  EXPECT_DOUBLE_EQ(json.at("total_token_throughput"), (83391000.0 + 14440000.0) / 3610);
  EXPECT_DOUBLE_EQ(json.at("mean_ttft_ms"), 36.0);
  EXPECT_DOUBLE_EQ(json.at("p99_ttft_ms"), 144.0);
  EXPECT_DOUBLE_EQ(json.at("median_tpot_ms"), 10.8);
  EXPECT_DOUBLE_EQ(json.at("mean_itl_ms"), 12.5);
  EXPECT_DOUBLE_EQ(json.at("mean_e2el_ms"), 2250.0);
  EXPECT_EQ(json.at("latency").at("ttft").at("mean").at("seconds"), 0.040);
}

TEST(SummaryJson, requests_by_pool_stand_where_there_are_several_pools) {
  Report report = example_report();
  report.summary.pools.push_back(report.summary.pools[0]);
  PoolRequests requests;
  requests.completed = 70;
  requests.lost = 2;
  requests.good_share = 0.9;
  requests.ttft = example_figures(0.05);
  requests.e2e.count = 70;
  requests.e2e.unstable = true;
  report.summary.pools[1].requests = requests;
  const std::string text = summary_json(report);
  const auto pools = nlohmann::json::parse(text).at("pools");
  EXPECT_TRUE(pools.at(0).at("requests").is_null());
  EXPECT_EQ(pools.at(1).at("requests").at("ttft").at("mean").at("seconds"), 0.05);
  const Report again = parse_summary(text, "result.json");
  EXPECT_EQ(summary_json(again), text);
  EXPECT_FALSE(again.summary.pools.at(0).requests.has_value());
  EXPECT_EQ(again.summary.pools.at(1).requests->completed, 70);
  EXPECT_TRUE(again.summary.pools.at(1).requests->e2e.unstable);
}

TEST(ParseSummary, a_result_from_before_requests_by_pool_is_read) {
  std::string text = summary_json(example_report());
  const std::string key = ",\n   \"requests\": null";
  ASSERT_NE(text.find(key), std::string::npos);
  text.erase(text.find(key), key.size());
  EXPECT_FALSE(parse_summary(text, "result.json").summary.pools.at(0).requests.has_value());
}

TEST(SummaryJson, an_unstable_system_has_no_wait_in_any_key) {
  Report report = example_report();
  report.summary.stability.verdict = Verdict::unstable;
  for (Figures* figures :
       {&report.summary.latencies.ttft, &report.summary.latencies.ttft_from_sent})
    figures->unstable = true;
  const auto json = nlohmann::json::parse(summary_json(report));
  EXPECT_TRUE(json.at("mean_ttft_ms").is_null());
  EXPECT_FALSE(json.at("latency").at("ttft").contains("mean"));
}

TEST(SummaryJson, a_number_that_is_not_finite_is_null) {
  Report report = example_report();
  report.summary.offered_per_second = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(summary_json(report), HasSubstr("\"offered_requests_per_second\": null"));
}

TEST(SummaryJson, provenance_is_the_last_block_and_the_only_difference_between_two_machines) {
  Report here = example_report(), there = example_report();
  here.provenance.host = "here";
  there.provenance.host = "there";
  there.provenance.wall_seconds = 9;
  const std::string a = summary_json(here), b = summary_json(there);
  const std::size_t at = a.find("\n \"provenance\": {");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(a.substr(0, at), b.substr(0, at));
  EXPECT_EQ(a.substr(a.find("}", at)), "}\n}\n");
}

TEST(ParseSummary, refuses_other_text_other_versions_and_damaged_results_by_name) {
  EXPECT_THAT(message_for(""), HasSubstr("result.json: not a result of headway"));
  EXPECT_THAT(message_for("[1, 2]"), HasSubstr("not a result of headway"));
  EXPECT_THAT(message_for(R"({"format": 3})"), HasSubstr("not a result of headway"));
  EXPECT_EQ(message_for(R"({"format": "headway.summary", "version": 2})"),
            "result.json: a headway.summary of version 2; this headway reads version 1");
  EXPECT_THAT(message_for(R"({"format": "headway.summary", "version": 1})"),
              HasSubstr("result.json: a damaged headway.summary"));
  std::string text = summary_json(example_report());
  text.replace(text.find("\"stable\""), 8, "\"steady\"");
  EXPECT_THAT(message_for(text), HasSubstr("unknown verdict \"steady\""));
}

}  // namespace
}  // namespace headway
