// Mooncake's conversation trace (Qin et al., "Mooncake", FAST 2025) has a known reuse: 36.6 % of
// its prompts' blocks of 512 tokens stood in an earlier prompt. An unlimited prefix cache finds
// them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/workload/source.hpp"

namespace headway {
namespace {

struct Hits final : Observer {
  std::int64_t tokens = 0, requests = 0;
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override {
    ++requests;
    tokens += record.prefix_hit_tokens;
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

TEST(MooncakeTrace, AnUnlimitedCacheFindsWhatItsPromptsHaveInCommon) {
  const char* const data = std::getenv("HEADWAY_DATA");
  const std::string file = std::string(data ? data : "") + "/traces/mooncake-conversation.jsonl";
  if (!data || !std::filesystem::exists(file)) {
    GTEST_SKIP() << "no HEADWAY_DATA: the reuse in Mooncake's trace was not compared";
  }
  Scenario scenario;
  scenario.workload.resize(1);
  scenario.workload[0].arrivals.kind = Arrivals::Kind::trace;
  scenario.workload[0].arrivals.trace_format = Arrivals::TraceFormat::mooncake;
  scenario.workload[0].arrivals.trace_path = file;
  scenario.workload[0].output_tokens = Distribution{.a = 1};
  scenario.fleet.resize(1);
  Pool& pool = scenario.fleet[0];
  pool.kv.block_tokens = 512;
  pool.kv.blocks = 1'000'000;
  pool.max_model_len = 1'000'000;
  pool.batching.max_num_batched_tokens = 1'000'000;
  pool.batching.max_num_seqs = 10'000;
  pool.step_time = LinearStepCost{.base_seconds = 1e-6};
  scenario.run.engine = Run::Engine::heap;
  Hits hits;
  run_scenario(scenario, hits);

  // By hand: of the full blocks of a prompt, but for its last token, those that stood before.
  std::set<std::uint64_t> seen;
  std::int64_t blocks = 0, found = 0;
  Time at = 0;
  RequestBody body;
  for (const auto source = make_source(scenario.workload[0], 1, 0); source->next(at, body);) {
    bool all = true;
    std::int64_t block = 0;
    for (const Content::Part& part : body.content.shared) {
      all = !seen.insert(part.identity).second && all;
      ++blocks;
      found += all && ++block * 512 < body.input_tokens;
    }
  }
  EXPECT_EQ(hits.requests, 12'031);
  EXPECT_EQ(blocks, 288'500);
  EXPECT_EQ(hits.tokens, found * 512);
  EXPECT_NEAR(static_cast<double>(hits.tokens) / 512 / static_cast<double>(blocks), 0.366, 0.0005);
}

}  // namespace
}  // namespace headway
