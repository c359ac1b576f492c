// The shipped Azure conversation scenarios: the replay, and its synthetic stand-in.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "sim/scenario/load.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

// The trace: 19,366 requests in 3501.722 s, on average 1154.7 tokens in and 211.1 out; a share of
// 0.5319 of them has over 1000 input tokens, of 0.3372 over 256 output tokens. (Counted with awk.)
TEST(AzureSynthetic, HasTheRatesAndLengthsOfTheTrace) {
  const Scenario scenario =
      load_scenario(HEADWAY_SOURCE_DIR "/scenarios/azure-conversation-synthetic.yaml");
  ASSERT_EQ(scenario.workload.size(), 1u);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto source = make_source(scenario.workload[0], seed, 0);
    double n = 0, input = 0, output = 0, long_inputs = 0, long_outputs = 0;
    Time at = 0;
    RequestBody body;
    while (source->next(at, body)) {
      ++n;
      input += body.input_tokens;
      output += body.output_tokens;
      long_inputs += body.input_tokens > 1000 ? 1 : 0;
      long_outputs += body.output_tokens > 256 ? 1 : 0;
      ASSERT_LE(body.input_tokens, 14050);
      ASSERT_TRUE(body.output_tokens >= 7 && body.output_tokens <= 1000);
    }
    EXPECT_LT(std::fabs(n - 19'366) / std::sqrt(19'366.0), 4.5);
    EXPECT_LT(to_seconds(at), 3501.722);
    EXPECT_NEAR(input / n, 1154.7, 0.03 * 1154.7);
    EXPECT_NEAR(output / n, 211.1, 0.03 * 211.1);
    EXPECT_NEAR(long_inputs / n, 0.5319, 0.02);
    EXPECT_NEAR(long_outputs / n, 0.3372, 0.02);
  }
}

TEST(AzureReplay, GivesTheWholeTrace) {
  const char* const set = std::getenv("HEADWAY_DATA");
  const std::string data = set && *set ? set : HEADWAY_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(data + "/traces/azure-2023-conv.csv"))
    GTEST_SKIP() << "no HEADWAY_DATA: the Azure conversation trace was not replayed";
  setenv("HEADWAY_DATA", data.c_str(), 1);
  const Scenario scenario = load_scenario(HEADWAY_SOURCE_DIR "/scenarios/azure-conversation.yaml");
  const auto source = make_source(scenario.workload.at(0), scenario.run.seed, 0);
  std::int64_t requests = 0, input = 0, output = 0;
  Time at = 0;
  RequestBody body;
  while (source->next(at, body)) {
    ++requests;
    input += body.input_tokens;
    output += body.output_tokens;
  }
  EXPECT_EQ(requests, 19'366);
  EXPECT_EQ(input, 22'361'870);
  EXPECT_EQ(output, 4'088'665);
}

}  // namespace
}  // namespace headway
