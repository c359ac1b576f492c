// Every broken scenario of tests/cli/broken is refused with the message that it expects: in its
// first line, or in the file NAME.expect beside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/scenario/load.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::string expected_message(const fs::path& scenario) {
  std::string line;
  if (std::ifstream beside(fs::path(scenario).replace_extension(".expect")); beside) {
    std::getline(beside, line);
    return line;
  }
  std::ifstream stream(scenario);
  std::getline(stream, line);
  const std::string mark = "# expect: ";
  return line.starts_with(mark) ? line.substr(mark.size()) : "";
}

int check_folder(const fs::path& folder) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    ++cases;
    const std::string name = entry.path().filename().string(), expected = expected_message(entry);
    EXPECT_NE(expected, "") << name << " says no message";
    const auto start = std::chrono::steady_clock::now();
    try {
      load_scenario(entry.path().string());
      ADD_FAILURE() << name << " is accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(expected)) << name;
      EXPECT_THAT(error.what(), testing::StartsWith(entry.path().string() + ":")) << name;
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10)) << name;
  }
  return cases;
}

TEST(BrokenScenarios, AreRefusedWithTheirMessages) {
  EXPECT_GE(check_folder(fs::path(HEADWAY_SOURCE_DIR) / "tests/cli/broken"), 60);
}

TEST(BrokenScenarios, OfHostileSizeAreRefusedSoon) {
  const fs::path folder = fs::path(testing::TempDir()) / "headway_broken";
  const std::string command =
      "bash '" HEADWAY_SOURCE_DIR "/tests/cli/broken/generate.sh' '" + folder.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_GE(check_folder(folder), 10);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace headway
