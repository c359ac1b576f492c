// Every file of tests/cli/broken_traces: NAME.csv or NAME.jsonl, and NAME.expect with the format
// that it is said to have and, on the second line, what the error must say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/scenario/input_error.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> broken_traces() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(HEADWAY_SOURCE_DIR "/tests/cli/broken_traces"))
    if (entry.path().extension() != ".expect") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

class BrokenTrace : public testing::TestWithParam<fs::path> {};

TEST_P(BrokenTrace, IsNamedWithItsPlaceAndCause) {
  const std::map<std::string, Arrivals::TraceFormat> formats = {
      {"azure", Arrivals::TraceFormat::azure},
      {"burstgpt", Arrivals::TraceFormat::burstgpt},
      {"mooncake", Arrivals::TraceFormat::mooncake},
      {"plain", Arrivals::TraceFormat::plain}};
  std::ifstream expect(fs::path(GetParam()).replace_extension(".expect"));
  std::string format, message;
  ASSERT_TRUE(std::getline(expect, format) && std::getline(expect, message));

  WorkloadClass workload;
  workload.arrivals.kind = Arrivals::Kind::trace;
  workload.arrivals.trace_path = GetParam();
  workload.arrivals.trace_format = formats.at(format);
  try {
    const auto source = make_source(workload, 1, 0);
    Time at = 0;
    RequestBody body;
    while (source->next(at, body)) {
    }
    FAIL() << "no error; expected " << message;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
    EXPECT_THAT(error.what(), testing::HasSubstr("expected"));
  }
}

INSTANTIATE_TEST_SUITE_P(All, BrokenTrace, testing::ValuesIn(broken_traces()),
                         [](const auto& trace) { return trace.param.stem().string(); });

}  // namespace
}  // namespace headway
