// Models split over GPUs, priced from profiles: fast stepping against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "recording.hpp"
#include "sim/scenario/load.hpp"

namespace headway {
namespace {

Scenario split_model(const std::string& parallel) {
  return parse_scenario(fmt::format(R"(headway: 1
workload:
  - class: chat
    arrivals: {{poisson: {{rate: 12 /s}}}}
    input_tokens: {{lognormal: {{mean: 1500, p95: 5000}}, max: 20000}}
    output_tokens: {{lognormal: {{mean: 150, p95: 400}}, max: 2000}}
fleet:
  - pool: main
    model: mixtral-8x7b
    gpu: h100
    engine: vllm-0.19
    parallel: {}
    kv: {{blocks: 4000}}
    batching: {{continuous: {{max_num_seqs: 24, max_num_batched_tokens: 2048}}}}
run: {{duration: 40 s, seed: 3, engine: heap}}
)",
                                    parallel),
                        "split.yaml", ".");
}

class SplitModel : public testing::TestWithParam<const char*> {};

TEST_P(SplitModel, StepsAlikeInBothModes) {
  Scenario scenario = split_model(GetParam());
  Recording fast = record_run(scenario);
  scenario.run.stepping = Run::Stepping::reference;
  Recording reference = record_run(scenario);
  ASSERT_GT(fast.departed.size(), 200u);
  ASSERT_EQ(fast.departed.size(), reference.departed.size());
  const auto by_id = [](const RequestRecord& a, const RequestRecord& b) { return a.id < b.id; };
  std::sort(fast.departed.begin(), fast.departed.end(), by_id);
  std::sort(reference.departed.begin(), reference.departed.end(), by_id);
  for (std::size_t i = 0; i < fast.departed.size(); ++i) {
    ASSERT_EQ(fast.departed[i].first_token, reference.departed[i].first_token) << i;
    ASSERT_EQ(fast.departed[i].finished, reference.departed[i].finished) << i;
  }
  EXPECT_EQ(fast.gaps, reference.gaps);
  EXPECT_EQ(fast.totals.steps, reference.totals.steps);
}

INSTANTIATE_TEST_SUITE_P(Parallel, SplitModel,
                         testing::Values("{data: 4, expert: 4}", "{tensor: 2, data: 2}",
                                         "{tensor: 2, pipeline: 2}", "{tensor: 4, expert: 4}",
                                         "{tensor: 8, pipeline: 3}",
                                         "{tensor: 2, pipeline: 2, data: 4, expert: 8}"));

}  // namespace
}  // namespace headway
