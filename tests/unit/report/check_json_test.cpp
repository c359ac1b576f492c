#include "sim/report/check_json.hpp"

#include <gtest/gtest.h>

#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

TEST(CheckJson, comes_back_as_it_was_written) {
  const CheckReport report{
      "chat", 30.0, 51.99, {{"main", 51.99, "max_num_seqs", 1, 12}}, {"chat.yaml:3:1: no effect"}};
  const CheckReport read = parse_check(check_json(report), "the text");
  EXPECT_EQ(read.scenario, "chat");
  EXPECT_EQ(read.offered_per_second, 30.0);
  EXPECT_EQ(read.bound_per_second, 51.99);
  ASSERT_EQ(read.pools.size(), 1u);
  EXPECT_EQ(read.pools[0].limited_by, "max_num_seqs");
  EXPECT_EQ(read.pools[0].replicas_least, 1);
  EXPECT_EQ(read.pools[0].replicas_most, 12);
  EXPECT_EQ(read.warnings, report.warnings);
}

TEST(CheckJson, of_a_closed_loop_offers_no_rate) {
  EXPECT_EQ(parse_check(check_json({}), "the text").offered_per_second, std::nullopt);
}

TEST(CheckJson, of_another_version_is_refused) {
  std::string text = check_json({});
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
  EXPECT_THROW(parse_check(text, "the text"), InputError);
  EXPECT_THROW(parse_check("{}", "the text"), InputError);
  EXPECT_THROW(parse_check("[", "the text"), InputError);
}

}  // namespace
}  // namespace headway
