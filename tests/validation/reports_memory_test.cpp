// Public reports of systems that memory or a cap on sequences limits, replayed; every figure is
// printed beside the reported one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "report_run.hpp"

namespace headway {
namespace {

// gpustack docs/performance-lab/qwen3-32b/h100.md: Qwen3-32B in bf16 on one H100 of 80 GB, vLLM
// 0.11.0, all defaults. A lone sequence takes 43.4 ms a token: 65.5 GB of weights at 1.5 TB/s, so
// the card is one with PCIe (2.0 TB/s), not SXM (3.35 TB/s). 256 sequences are taken, not stated:
// the sampler's peak of the default 1,024 would leave too few blocks for the report's longest
// prompts.
Deployment qwen3_32b_on_h100() {
  Deployment d{"qwen3-32b", "h100-pcie-80gb", "vllm-0.11"};
  d.batching = "{max_num_seqs: 256, max_num_batched_tokens: 8192}";
  return d;
}

TEST(Reports, Qwen3_32bOnOneH100IsStarvedOfKvMemory) {
  struct Point {
    const char* name;
    Load load;
    double measured_seconds;
  };
  const std::vector<Point> points = {{"ShareGPT, 1000 prompts", sharegpt_at_once(1000), 178.01},
                                     {"4000 + 200, 500 prompts", at_once(500, 4000, 200), 976.29},
                                     {"2000 + 100, 500 prompts", at_once(500, 2000, 100), 328.04}};
  for (const Point& point : points) {
    const Summary summary = run_report(qwen3_32b_on_h100(), point.load);
    const double error =
        print_beside(std::string("Qwen3-32B, ") + point.name, summary.makespan_seconds,
                     point.measured_seconds, "s", summary.bottleneck.resource);
    EXPECT_LE(std::fabs(error), 0.20) << point.name;
    EXPECT_EQ(summary.bottleneck.resource, "KV memory") << point.name;
    EXPECT_LT(total_tokens_per_second(summary), 4000) << point.name;
  }
  const double ttft =
      1e3 * run_report(qwen3_32b_on_h100(), points[0].load).latencies.ttft.mean.value;
  // Of all prompts at once TTFT is a wait, and comes out 30 % short here: with so few blocks a
  // small error of the memory is a large one of the wait, and the server's limits are inferred.
  EXPECT_LE(std::fabs(print_beside("Qwen3-32B, ShareGPT, TTFT", ttft, 78118.74, "ms")), 0.35);
}

// vllm-project/vllm#17788: Qwen3-32B on one H100 NVL, --max-num-seqs 32, ShareGPT, 1,000 prompts at
// once: 3.26 requests/s, and "almost the same" in fp8. The cap is the limit: rate × residence is
// 32, but for the drain.
TEST(Reports, ACapOf32SequencesIsTheBottleneckInBf16AndInFp8) {
  Deployment capped{"qwen3-32b", "h100-nvl-94gb", "vllm-0.11"};
  capped.batching = "{max_num_seqs: 32, max_num_batched_tokens: 8192}";
  Deployment fp8 = capped, wider = capped;
  fp8.precision = "{weights: fp8, kv: bf16}";
  wider.batching = "{max_num_seqs: 96, max_num_batched_tokens: 8192}";
  const Load load = sharegpt_at_once(1000);
  for (const Deployment& d : {capped, fp8}) {
    const Summary summary = run_report(d, load);
    print_beside("Qwen3-32B, 32 sequences, " + d.precision, summary.achieved_per_second, 3.26,
                 "req/s", summary.bottleneck.resource);
    const double residence = summary.latencies.e2e.mean.value - summary.latencies.queue.mean.value;
    EXPECT_NEAR(summary.achieved_per_second * residence, 32, 2.5);
    EXPECT_EQ(summary.bottleneck.resource, "sequence slots (max_num_seqs)");
  }
  const double rate = run_report(capped, load).achieved_per_second;
  EXPECT_GT(run_report(wider, load).achieved_per_second, 1.5 * rate);
}

// gpustack
// docs/performance-lab/references/the-impact-of-quantization-on-vllm-inference-performance.md:
// Qwen3-8B, vLLM 0.9.2, ShareGPT, 1,000 prompts at once.
struct Arm {
  const char* gpu;
  const char* name;
  const char* precision;
  double measured, measured_bf16;  // tokens per second, input and output
};

/// The gain over bf16, predicted and measured, is of the same sign.
void expect_sign(const Arm& arm) {
  const auto rate = [&](const std::string& precision) {
    Deployment d{"qwen3-8b", arm.gpu, "vllm-0.11"};
    d.precision = precision;
    // Output rate × TPOT of the A100 and H100 arms: up to 1,000 sequences ran at a time.
    d.batching = !std::string(arm.gpu).starts_with("rtx")
                     ? "{max_num_seqs: 1024, max_num_batched_tokens: 8192}"
                     : "{max_num_seqs: 256, max_num_batched_tokens: 2048}";
    return total_tokens_per_second(run_report(d, sharegpt_at_once(1000)));
  };
  const double base = rate("{weights: bf16, kv: bf16}"), other = rate(arm.precision);
  const double gain = other / base - 1, measured = arm.measured / arm.measured_bf16 - 1;
  std::cout << fmt::format(
      "{:<16} {:<10} {:>8.0f} tokens/s, bf16 {:>8.0f}: {:>+5.1f} %, measured {:>+5.1f} %\n",
      arm.gpu, arm.name, other, base, 100 * gain, 100 * measured);
  EXPECT_EQ(gain > 0, measured > 0) << arm.gpu << ", " << arm.name;
}

TEST(Reports, WeightOnlyQuantisationWinsOnACardThatIsStarvedOfMemory) {
  expect_sign({"rtx-4090-24gb", "AWQ", "{weights: int4, kv: bf16}", 5653.4, 3869.3});
  expect_sign({"rtx-4090-24gb", "GPTQ int8", "{weights: int8, activations: bf16, kv: bf16}",
               4918.98, 3869.3});
}

TEST(Reports, WeightOnlyQuantisationLosesOnAComputeBoundCard) {
  expect_sign({"a100-sxm-80gb", "AWQ", "{weights: int4, kv: bf16}", 9611.61, 10338.25});
  expect_sign({"a100-sxm-80gb", "GPTQ int4", "{weights: int4, kv: bf16}", 8129.27, 10338.25});
  expect_sign({"h100-sxm-80gb", "AWQ", "{weights: int4, kv: bf16}", 9756.06, 13305.38});
}

TEST(Reports, Fp8WinsOnAComputeBoundCard) {
  expect_sign({"h100-sxm-80gb", "FP8", "{weights: fp8, kv: bf16}", 15275.64, 13305.38});
  expect_sign({"h100-sxm-80gb", "fp8 KV", "{weights: bf16, kv: fp8}", 13513.19, 13305.38});
}

}  // namespace
}  // namespace headway
