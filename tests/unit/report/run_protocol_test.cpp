#include "sim/report/run_protocol.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

TEST(RunProtocol, says_its_format_and_version_first) {
  EXPECT_EQ(hello_line(), "{\"format\":\"headway.run\",\"version\":1}\n");
  EXPECT_EQ(parse_run_line(R"({"format":"headway.run","version":1})").version, 1);
}

TEST(RunProtocol, tells_progress_in_simulated_seconds_and_requests) {
  EXPECT_EQ(progress_line({0.25, 900.5, 18010, 17950}),
            "{\"progress\":0.25,\"simulated_seconds\":900.5,\"offered\":18010,\"done\":17950}\n");
  const RunMessage message = parse_run_line(progress_line({0.25, 900.5, 18010, 17950}));
  ASSERT_TRUE(message.progress);
  EXPECT_EQ(message.progress->departed, 17950);
}

TEST(RunProtocol, carries_a_result_of_many_lines_in_one_line) {
  const std::string result = "{\n \"name\": \"\u00e9t\u00e9\"\n}\n";
  const std::string line = result_line(result);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(parse_run_line(line).result, result);
}

TEST(RunProtocol, an_error_carries_whose_it_is) {
  const RunMessage wrong = parse_run_line(error_line("trace.csv:3: \"x\"", true));
  EXPECT_EQ(wrong.error->text, "trace.csv:3: \"x\"");
  EXPECT_TRUE(wrong.error->wrong_input);
  EXPECT_FALSE(parse_run_line(error_line("no space", false)).error->wrong_input);
}

TEST(RunProtocol, a_line_of_another_kind_says_nothing) {
  for (const char* line :
       {"", "[1]", "{}", "{\"progress\":\"half\"}", "garbage", "{\"error\":3}"}) {
    const RunMessage message = parse_run_line(line);
    EXPECT_FALSE(message.version || message.progress || message.result || message.error) << line;
  }
}

}  // namespace
}  // namespace headway
