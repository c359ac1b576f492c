// Hostile result files: each is read, or refused in one message.
#include <gtest/gtest.h>

#include <iostream>

#include "mutation.hpp"
#include "sim/report/summary_json.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

std::string example() {
  Report report;
  report.summary.scenario = "fuzz";
  report.summary.classes.resize(2);
  report.summary.pools.resize(2);
  report.summary.pools[0].requests.emplace();
  for (Figures* figures : {&report.summary.latencies.ttft, &report.summary.itl}) {
    figures->count = 10;
    figures->mean = {0.5, 0.01, true};
  }
  report.facts.warnings = {"fuzz.yaml:1:1: a warning"};
  report.facts.sources.resize(1);
  return summary_json(report);
}

/// "" or the message.
std::string read(const std::string& text) {
  try {
    const Report report = parse_summary(text, "summary.json");
    summary_json(report);  // what was read can be written
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(HostileSummaries, AreReadOrRefusedInOneMessage) {
  const std::string whole = example();
  ASSERT_EQ(read(whole), "");
  const std::vector<std::string> words = {"null", "{}",           "[]",   "\"\"", "1e999",
                                          "-1",   "\"unstable\"", "true", "[[[[", "\\ud800"};
  const Budget budget;
  int well = 0;
  std::uint64_t seed = 0;
  for (; seed < 6000 && !budget.spent(); ++seed) {
    FuzzDice dice(seed);
    const std::string text = mutated(whole, dice, words);
    std::string message;
    const double before = budget.seconds();
    ASSERT_NO_THROW(message = read(text)) << "seed " << seed << ":\n" << text;
    ASSERT_LT(budget.seconds() - before, kLongestRound) << "seed " << seed << " takes too long";
    ASSERT_LT(message.size(), 1000u) << "seed " << seed << ": " << message;
    well += message.empty();
  }
  std::cout << seed << " summaries, " << well << " read\n";
  EXPECT_GT(well, static_cast<int>(seed / 20)) << "the mutations are too wild to test much";
}

TEST(HostileSummaries, AVersionOfAMillionBracketsIsNoStackOverflow) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  for (const std::string& text :
       {deep, "{\"format\": " + deep + "}",
        "{\"format\": \"headway.summary\", \"version\": " + deep + "}",
        "{\"format\": \"headway.summary\", \"version\": 1, \"scenario\": " + deep + "}"}) {
    const std::string message = read(text);
    EXPECT_NE(message, "");
    EXPECT_LT(message.size(), 1000u);
  }
}

}  // namespace
}  // namespace headway
