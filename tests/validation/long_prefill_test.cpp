// A long prefill that blocks short requests: noonghunna/club-3090#712, gemma-4-26b-a4b on two RTX
// 3090, 4,096 tokens a step. A short request that comes during the prefill of 60,000 tokens has its
// first token after 18.0 s; with --long-prefill-token-threshold 2048 after 1.09 s, and the long one
// then takes 19.16 s instead of 18.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "sim/engine/engine.hpp"
#include "sim/metrics/recorder.hpp"
#include "sim/scenario/load.hpp"

namespace headway {
namespace {

constexpr int kLongTokens = 60'000, kShortTokens = 100, kStepTokens = 4096;
constexpr double kSoloLong = 18.0, kSoloShort = 0.05;  // seconds, measured without the other

/// First tokens of the long and the short request, in seconds from their sending.
struct Pair {
  double long_ttft = 0, short_ttft = 0;
};

/// Keeps the records, by class.
struct FirstTokens final : Observer {
  Pair pair;
  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override {
    (record.workload_class == 0 ? pair.long_ttft : pair.short_ttft) =
        to_seconds(record.first_token - record.sent);
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

/// The engine's steps take what the two measurements of one request alone say, and nothing else is
/// fitted: a step of the short prompt 0.05 s, the 15 steps of the long one 18 s.
Pair together(int threshold) {
  const int steps = (kLongTokens + kStepTokens - 1) / kStepTokens;
  const double per_token = (kSoloLong - steps * kSoloShort) / (kLongTokens - steps * kShortTokens);
  const double base = kSoloShort - kShortTokens * per_token;
  const std::string limit =
      threshold > 0 ? fmt::format(", long_prefill_token_threshold: {}", threshold) : "";
  const std::string text = fmt::format(
      "headway: 1\n"
      "workload:\n"
      "  - class: long\n"
      "    arrivals: {{closed: {{users: 1, requests: 1}}}}\n"
      "    input_tokens: {}\n"
      "    output_tokens: 2\n"
      "  - class: short\n"
      "    arrivals: {{closed: {{users: 1, think: 200 ms, requests: 1}}}}\n"
      "    input_tokens: {}\n"
      "    output_tokens: 2\n"
      "fleet:\n"
      "  - pool: cards\n"
      "    step_time: {{base: {:.9f} s, per_token: {:.9f} s}}\n"
      "    kv: {{blocks: 20000}}\n"
      "    max_model_len: 100000\n"
      "    batching: {{continuous: {{max_num_seqs: 256, max_num_batched_tokens: {}{}}}}}\n"
      "run: {{engine: heap}}\n",
      kLongTokens, kShortTokens, base, per_token, kStepTokens, limit);
  const Scenario scenario = parse_scenario(text, "long_prefill.yaml", "");
  FirstTokens watch;
  run_scenario(scenario, watch);
  return watch.pair;
}

TEST(LongPrefill, BlocksAShortRequestUnlessItsChunksAreLimited) {
  const Pair free = together(0), limited = together(2048);
  std::cout << fmt::format(
      "long prefill: short request {:.2f} s (measured 18.0), with chunks of 2,048 {:.2f} s "
      "(measured 1.09); long one {:.2f} and {:.2f} s (measured 18 and 19.16)\n",
      free.short_ttft, limited.short_ttft, free.long_ttft, limited.long_ttft);
  EXPECT_NEAR(free.long_ttft, 18, 0.02 * 18) << "it was fitted to this";
  EXPECT_NEAR(free.short_ttft, 18, 0.2 * 18);
  EXPECT_NEAR(limited.short_ttft, 1.09, 0.2 * 1.09);
  EXPECT_NEAR(limited.long_ttft, 19.16, 0.2 * 19.16);
  EXPECT_GT(limited.long_ttft, free.long_ttft) << "the limit costs the long one more steps";
}

}  // namespace
}  // namespace headway
