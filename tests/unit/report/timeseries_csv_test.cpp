#include "sim/report/timeseries_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

Timeline example() {
  Timeline timeline;
  timeline.bucket_seconds = 0.5;
  timeline.buckets.push_back({10, 8, 1, 1600, 1.5, 0.25, 1.25, 0.1, 0.75, 2, 3, 4, 5, 1.5, 2});
  timeline.buckets.push_back({0, 1, 0, 200, 1.0 / 3, 0, 1.0 / 3, 0.01, 0.2});
  return timeline;
}

TEST(TimeseriesCsv, has_a_line_a_bucket_with_its_start) {
  EXPECT_EQ(
      timeseries_csv(example()),
      "# headway.timeseries version 1; buckets of 0.5 s; counts within the bucket, means over "
      "it\n"
      "start_s,arrivals,completions,rejections,output_tokens,in_system,queue,running,"
      "kv_share,busy_share,timeouts,hang_ups,losses,retries,ready_replicas,existing_replicas\n"
      "0,10,8,1,1600,1.5,0.25,1.25,0.1,0.75,2,3,4,5,1.5,2\n"
      "0.5,0,1,0,200,0.3333333333333333,0,0.3333333333333333,0.01,0.2,0,0,0,0,0,0\n");
}

TEST(TimeseriesCsv, reading_gives_back_what_was_written) {
  const std::string text = timeseries_csv(example());
  EXPECT_EQ(timeseries_csv(parse_timeseries(text, "t.csv")), text);
  EXPECT_EQ(parse_timeseries(text, "t.csv").buckets.at(1).in_system, 1.0 / 3);
}

TEST(TimeseriesCsv, refuses_other_versions_and_damaged_lines_with_their_number) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_timeseries(text, "t.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  std::string text = timeseries_csv(example());
  EXPECT_THAT(message("a,b\n"), HasSubstr("t.csv:1: not a time line"));
  std::string other = text;
  other.replace(other.find("version 1"), 9, "version 2");
  EXPECT_THAT(message(other), HasSubstr("version 2; this headway reads version 1"));
  EXPECT_THAT(message(text + "1,2,3\n"), HasSubstr("t.csv:5: a damaged line"));
  EXPECT_THAT(message(text + "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n"),
              HasSubstr("t.csv:5: a damaged line"));
}

}  // namespace
}  // namespace headway
