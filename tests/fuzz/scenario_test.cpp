// Hostile scenario files: each ends in a checked scenario, which runs, or in one message.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "bounded_run.hpp"
#include "mutation.hpp"
#include "sim/scenario/load.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

const std::string kFolder = HEADWAY_SOURCE_DIR "/scenarios";

/// All kinds of arrivals, laws, batchers and routers in a few lines.
const char* const kEverything = R"(headway: 1
name: everything
workload:
  - {class: a, arrivals: {gamma: {rate: 5 /s, cv: 2}}, input_tokens: {normal: {mean: 100, sd: 20}}, output_tokens: {uniform: {low: 1, high: 50}}, priority: 2, client: {max_concurrency: 4, turnaround: 10 ms}}
  - {class: b, arrivals: {mmpp: {states: [{rate: 1 /s, mean: 5 s}, {rate: 20 /s, mean: 1 s}]}}, input_tokens: {lognormal: {mean: 300, p95: 900}, max: 4096}, output_tokens: {gamma: {mean: 80, cv: 0.7}, min: 2}}
  - {class: c, arrivals: {closed: {users: 10, think: {exponential: {mean: 2 s}}, requests: 200}}, input_tokens: {fixed: 512}, output_tokens: {histogram: [{low: 1, high: 9, weight: 2}, {low: 10, high: 99, weight: 1}]}}
  - {class: d, arrivals: {diurnal: {rate: 2 /s, amplitude: 0.5, period: 1 h, peak_at: 10 min}}, input_tokens: 100, output_tokens: 10, request_bytes: {uniform: {low: 1 kB, high: 5 MB}}}
  - {class: e, arrivals: {stages: [{rate: 3 /s, for: 10 s}, {rate: 300 /min, for: 20 s}]}, input_tokens: 7, output_tokens: 3, slo: {ttft: 500 ms, tpot: 50 ms, e2e: 10 s, percentile: 95}}
fleet:
  - {pool: p, model: qwen3-8b, gpu: l40s-48gb, engine: vllm-0.19, order: priority, kv: {block_tokens: 32, watermark: 0.01, admission: optimistic}, batching: {continuous: {max_num_seqs: 16, max_num_batched_tokens: 512, long_prefill_token_threshold: 128, batch_wait_timeout_iters: 20, batch_wait_max_tokens_ratio: 0.9, attention_dp_timeout_iters: 50}}, max_model_len: 8000}
  - {pool: q, step_time: {base: 10 ms, per_token: 10 us, per_context_token: 80 ns, per_prefill_pair: 3 ns}, kv: {blocks: 500, admission: reserve_all}, max_model_len: 4096, batching: {static: {size: 4, timeout: 200 ms}}, max_queue: 20, price: {usd_per_gpu_hour: 1.5}}
  - {pool: r, step_time: {base: 10 ms}, kv: {blocks: 50}, max_model_len: 4096, batching: {dynamic: {max_size: 8, preferred_sizes: [2, 4], max_queue_delay: 5 ms}}, order: shortest_first}
router: {power_of_two: {}}
front: {bandwidth: 1 GB/s, latency: 1 ms}
run: {duration: 30 s, warm_up: 5 s, requests: 1000, seed: 7, stepping: reference, engine: heap}
)";

std::vector<std::string> seeds() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts = {kEverything};
  for (const fs::path& file : files) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

const std::vector<std::string> kWords = {"workload:",
                                         "fleet:",
                                         "arrivals:",
                                         "{poisson: {rate: 5 /s}}",
                                         "input_tokens: ",
                                         "trace",
                                         "closed:",
                                         "service: ",
                                         "replicas: ",
                                         "batching: none\n",
                                         "model: ",
                                         "ms",
                                         " s",
                                         " /h",
                                         " GB/s",
                                         "%",
                                         "engine: heap",
                                         "auto"};

/// What became of a text: a scenario, or a message for people.
struct Reading {
  std::optional<Scenario> scenario;
  std::string message;
};

Reading read(const std::string& text, const std::vector<std::string>& sets = {}) {
  Reading reading;
  try {
    reading.scenario = parse_scenario(text, "fuzz.yaml", kFolder, sets);
  } catch (const InputError& error) {
    reading.message = error.what();
  }
  return reading;
}

/// The message begins with the scenario, or with a scenario that it falls back to.
bool names_its_file(const std::string& message) {
  return message.starts_with("fuzz.yaml") || message.starts_with(kFolder);
}

TEST(HostileScenarios, EndInAScenarioThatRunsOrInOneMessage) {
  ::setenv("HEADWAY_DATA", "/nowhere", 1);  // the same run with and without the data
  const std::vector<std::string> texts = seeds();
  for (const std::string& text : texts) ASSERT_EQ(read(text).message, "");
  const Budget budget;
  int read_well = 0, completed = 0;
  std::uint64_t seed = 0;
  for (; seed < 6000 && !budget.spent(); ++seed) {
    FuzzDice dice(seed);
    const std::string text = mutated(dice.one_of(texts), dice, kWords);
    const double before = budget.seconds();
    Reading reading;
    ASSERT_NO_THROW(reading = read(text)) << "seed " << seed << ":\n" << text;
    ASSERT_LT(budget.seconds() - before, kLongestRound) << "seed " << seed << " takes too long";
    if (!reading.scenario) {
      ASSERT_TRUE(names_its_file(reading.message)) << "seed " << seed << ": " << reading.message;
      ASSERT_LT(reading.message.size(), 20'000u) << "seed " << seed << ": " << reading.message;
      continue;
    }
    ++read_well;
    if (read_well % 4 != 0) continue;  // a run takes longer than its reading
    std::string end;
    ASSERT_NO_THROW(end = bounded_run(*reading.scenario)) << "seed " << seed << ":\n" << text;
    completed += end == "completed";
  }
  std::cout << seed << " texts, " << read_well << " scenarios, every fourth run; " << completed
            << " completed\n";
  EXPECT_GT(read_well, static_cast<int>(seed / 20)) << "the mutations are too wild to test much";
}

TEST(HostileScenarios, HostileOverridesDoToo) {
  const std::vector<std::string> overrides = {"workload.a.arrivals.gamma.rate=7 /s",
                                              "fleet.p.replicas=3",
                                              "run.seed=12",
                                              "fleet.q.batching={dynamic: {max_size: 4}}",
                                              "router=random",
                                              "front.latency=2 ms",
                                              "workload.b.input_tokens={fixed: 5}",
                                              "fleet.p.kv.block_tokens=8"};
  for (const std::string& each : overrides)
    ASSERT_EQ(read(kEverything, {each}).message, "") << each;
  const Budget budget;
  for (std::uint64_t seed = 0; seed < 3000 && !budget.spent(); ++seed) {
    FuzzDice dice(seed + 1'000'000);
    std::vector<std::string> sets = {mutated(dice.one_of(overrides), dice, kWords)};
    if (dice.chance(0.3)) sets.push_back(dice.one_of(overrides));
    ASSERT_NO_THROW(read(kEverything, sets)) << "seed " << seed << ": " << sets[0];
  }
}

TEST(HostileScenarios, DeepNestingAndLongLinesAreNoStackOverflow) {
  const auto repeated = [](const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  for (const std::string piece :
       {"[", "{a: ", "- ", "? ", "{[", "!!x ", "- - ? ", "'", "\"", "a: "}) {
    for (const std::string& before : {std::string(), std::string("headway: 1\nworkload: ")}) {
      const Budget budget;
      ASSERT_NO_THROW(read(before + repeated(piece, 200'000))) << piece;
      ASSERT_LT(budget.seconds(), kLongestRound) << piece;
    }
  }
}

}  // namespace
}  // namespace headway
