#include "sim/report/requests_csv.hpp"

#include <gtest/gtest.h>

#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

constexpr Time kSecond = 1'000'000'000'000;
constexpr Time kMillisecond = kSecond / 1000;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string line_for(const RequestRecord& record) {
  TemporaryFolder folder;
  RequestsCsv csv(folder / "requests.csv", example_scenario());
  csv.on_departure(record.finished, record);
  csv.file().commit();
  const std::vector<std::string> lines = lines_of(file_text(folder / "requests.csv"));
  return lines.size() == 3 ? lines[2] : "not three lines";
}

TEST(RequestsCsv, names_format_version_and_columns_with_units) {
  TemporaryFolder folder;
  RequestsCsv csv(folder / "requests.csv", example_scenario());
  csv.file().commit();
  const std::vector<std::string> lines = lines_of(file_text(folder / "requests.csv"));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].substr(0, 29), "# headway.requests version 1;");
  EXPECT_EQ(lines[1],
            "request,class,pool,replica,outcome,scheduled_s,sent_s,queued_s,started_s,"
            "first_token_s,finished_s,input_tokens,output_tokens,prefix_hit_tokens,preemptions,"
            "ttft_s,tpot_s,e2e_s,attempts,escalations");
}

// Scheduled at 1 s, first token 250 ms later, 10 more tokens in 3 s: TPOT is 300 ms.
TEST(RequestsCsv, a_completed_request_has_ttft_tpot_and_e2e_from_its_scheduled_arrival) {
  RequestRecord record;
  record.id = 17;
  record.replica = 1;
  record.scheduled = kSecond;
  record.sent = kSecond + kMillisecond;
  record.queued = record.sent + kMillisecond;
  record.started = record.queued + 8 * kMillisecond;
  record.first_token = kSecond + 250 * kMillisecond;
  record.finished = record.first_token + 3 * kSecond;
  record.input_tokens = 512;
  record.output_tokens = 11;
  record.prefix_hit_tokens = 496;
  record.preemptions = 2;
  EXPECT_EQ(line_for(record),
            "17,chat,main,1,completed,1.000000000,1.001000000,1.002000000,1.010000000,"
            "1.250000000,4.250000000,512,11,496,2,0.250000000,0.300000000,3.250000000,1,0");
}

TEST(RequestsCsv, a_single_token_has_no_tpot) {
  RequestRecord record;
  record.queued = record.started = 0;
  record.first_token = record.finished = 1'234'567;
  record.input_tokens = 3;
  record.output_tokens = 1;
  EXPECT_EQ(line_for(record),
            "0,chat,main,0,completed,0.000000000,0.000000000,0.000000000,0.000000000,"
            "0.000001235,0.000001235,3,1,0,0,0.000001235,,0.000001235,1,0");
}

TEST(RequestsCsv, a_rejected_request_has_empty_fields_for_what_it_did_not_reach) {
  RequestRecord record;
  record.workload_class = 1;
  record.scheduled = record.sent = record.finished = 5 * kSecond;
  record.input_tokens = 9000;
  record.output_tokens = 100;
  record.outcome = Outcome::rejected_overload;
  const std::string times = ",5.000000000,5.000000000,,,,5.000000000,9000,100,0,0,,,,1,0";
  EXPECT_EQ(line_for(record), "0,\"long, quoted\",,,too many inside" + times);
  record.outcome = Outcome::rejected_model_length;  // the replica that refused it is known
  EXPECT_EQ(line_for(record), "0,\"long, quoted\",main,0,longer than max_model_len" + times);
}

TEST(RequestsCsv, a_request_that_timed_out_at_its_third_attempt_says_both) {
  RequestRecord record;
  record.scheduled = kSecond;
  record.sent = record.queued = 2 * kSecond;
  record.started = 3 * kSecond;
  record.finished = 4 * kSecond;
  record.input_tokens = 10;
  record.output_tokens = 20;
  record.attempts = 3;
  record.escalations = 1;
  record.outcome = Outcome::timed_out;
  EXPECT_EQ(line_for(record),
            "0,chat,main,0,timed out,1.000000000,2.000000000,2.000000000,3.000000000,,4.000000000,"
            "10,20,0,0,,,,3,1");
}

TEST(RequestsCsv, the_longest_run_and_large_counts_fit_a_line) {
  RequestRecord record;
  record.id = UINT64_MAX;
  record.replica = 2;
  record.scheduled = record.sent = record.queued = record.started = 0;
  record.first_token = record.finished = kNever - 1;
  record.input_tokens = record.output_tokens = INT32_MAX;
  record.prefix_hit_tokens = record.preemptions = INT32_MAX;
  record.attempts = record.escalations = INT32_MAX;
  EXPECT_EQ(line_for(record),
            "18446744073709551615,chat,reranker,0,completed,0.000000000,0.000000000,0.000000000,"
            "0.000000000,9223372.036854776,9223372.036854776,2147483647,2147483647,2147483647,"
            "2147483647,9223372.036854776,0.000000000,9223372.036854776,2147483647,2147483647");
}

TEST(CsvField, is_quoted_by_rfc_4180_only_where_needed) {
  EXPECT_EQ(csv_field("chat"), "chat");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
}

}  // namespace
}  // namespace headway
