// Public reports of models split over cards, replayed; every figure is printed beside the reported
// one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "measured_run.hpp"
#include "report_run.hpp"

namespace headway {
namespace {

// Mistral-7B-v0.1 has attention over 4,096 tokens, unlike its later versions (its config.json).
std::string mistral_v01() {
  const auto path = std::filesystem::path(testing::TempDir()) / "mistral-7b-v0.1.json";
  std::ofstream(path) << R"({"model_type": "mistral", "hidden_size": 4096,
    "intermediate_size": 14336, "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
    "sliding_window": 4096})";
  return path.string();
}

// vllm-project/vllm#1888: Mistral-7B in fp16, 100 prompts of 10,240 + 1,024 tokens, offline, on one
// A100 and on eight: 0.575 and 0.27 requests/s. The engine is of 2023: the direction counts, over
// PCIe, where the all-reduces of eight cards cost what they save.
TEST(Reports, ASmallModelIsNoFasterOverEightCardsAndReplicasAre) {
  const Load load = at_once(100, 10240, 1024);
  Deployment one{mistral_v01(), "a100-pcie-80gb", "vllm-0.11"};
  one.precision = "{weights: fp16, kv: fp16}";
  Deployment eight = one, replicas = one;
  eight.parallel = "{tensor: 8}";
  replicas.replicas = 8;
  const double tp1 = run_report(one, load).achieved_per_second,
               tp8 = run_report(eight, load).achieved_per_second,
               eight_replicas = run_report(replicas, load).achieved_per_second;
  print_beside("Mistral-7B, one A100", tp1, 0.575, "req/s");
  print_beside("Mistral-7B, TP 8", tp8, 0.27, "req/s", "an engine of 2023");
  std::cout << fmt::format("Mistral-7B, eight replicas: {:.3f} req/s\n", eight_replicas);
  EXPECT_LE(tp8, tp1);
  EXPECT_GT(eight_replicas, 3 * tp8);
  EXPECT_LE(std::fabs(tp1 / 0.575 - 1), 0.25);
}

// NVIDIA/TensorRT-LLM#1144: Llama-13B at 3 requests/s on four A100 of 40 GB: p90 of the latency
// 6.4 s with TP 4, 10.2 s with PP 2 × TP 2; PP 4 cannot sustain it. The report states neither
// lengths nor limits: 512 + 512 tokens and 32 sequences are chosen.
Summary llama_13b(const std::string& parallel) {
  Load load{"{poisson: {rate: 3 /s}}", "512", "512"};
  load.run = "{duration: 2 h, seed: 1, engine: heap}";
  Deployment d{"llama-2-13b", "a100-sxm-40gb", "trtllm-1.0"};
  d.precision = "{weights: fp16, kv: fp16}";
  d.batching = "{max_num_seqs: 32, max_num_batched_tokens: 8192}";
  d.parallel = parallel;
  return run_report(d, load);
}

TEST(Reports, AtThreeRequestsASecondTensorBeatsPipelineAndFourStagesAreUnstable) {
  const Summary tensor = llama_13b("{tensor: 4}"), mixed = llama_13b("{tensor: 2, pipeline: 2}"),
                stages = llama_13b("{pipeline: 4}");
  print_beside("Llama-13B, TP 4, p90", tensor.latencies.e2e.p90.value, 6.4, "s",
               verdict_name(tensor.stability.verdict));
  print_beside("Llama-13B, PP 2 TP 2, p90", mixed.latencies.e2e.p90.value, 10.2, "s",
               verdict_name(mixed.stability.verdict));
  std::cout << "Llama-13B, PP 4: " << verdict_name(stages.stability.verdict) << "\n";
  EXPECT_EQ(tensor.stability.verdict, Verdict::stable);
  EXPECT_EQ(mixed.stability.verdict, Verdict::stable);
  EXPECT_LT(tensor.latencies.e2e.p90.value, mixed.latencies.e2e.p90.value);
  EXPECT_EQ(stages.stability.verdict, Verdict::unstable);
}

// vllm-project/vllm#16300: QwQ-32B on A100-80GB, vLLM 0.7.2, one batch of 1 + 200 tokens.
struct Latency {
  int batch, tensor;
  double measured_seconds;
};
const std::vector<Latency> kQwq = {{1, 2, 5.5},   {1, 4, 3.91},  {1, 8, 3.15},   {16, 2, 6.07},
                                   {16, 4, 4.77}, {16, 8, 4.25}, {128, 2, 11.34}};

double qwq_seconds(const Latency& point) {
  Deployment d{"qwq-32b", "a100-sxm-80gb", "vllm-0.11"};
  d.parallel = fmt::format("{{tensor: {}}}", point.tensor);
  return run_report(d, at_once(point.batch, 1, 200)).makespan_seconds;
}

TEST(Reports, LatencyOfQwq32bFallsSublinearlyWithTheTensorSize) {
  std::vector<double> predicted;
  for (const Latency& point : kQwq) {
    predicted.push_back(qwq_seconds(point));
    print_beside(fmt::format("QwQ-32B, TP {}, batch {}", point.tensor, point.batch),
                 predicted.back(), point.measured_seconds, "s");
  }
  for (const std::size_t first : {0, 3}) {  // TP 2, 4, 8 of one batch size
    const double two = predicted[first], four = predicted[first + 1], eight = predicted[first + 2];
    EXPECT_GT(two, four);
    EXPECT_GT(four, eight);
    EXPECT_GT(4 * four, 2 * two);  // GPU-seconds rise
    EXPECT_GT(8 * eight, 4 * four);
  }
}

// tenstorrent/tt-inference-server#356: DeepSeek-R1-0528-AWQ on 8 × H100 under vLLM, one user.
struct OneUser {
  int input, output;
  double ttft_ms, tpot_ms, e2e_ms;
};
const std::vector<OneUser> kDeepSeek = {
    {128, 128, 47.3, 16.1, 2091.9},   {128, 1024, 27.3, 16.1, 16505.0},
    {1024, 128, 105.3, 16.1, 2154.1}, {2048, 128, 127.3, 16.3, 2192.5},
    {3072, 128, 131.7, 16.4, 2209.7}, {4096, 128, 120.1, 16.4, 2208.6}};

Latencies deepseek_r1(const OneUser& point) {
  Deployment d{"deepseek-r1", "h100-sxm-80gb", "vllm-0.11"};
  d.precision = "{weights: int4, kv: bf16}";
  d.parallel = "{tensor: 8}";
  return run_report(d, {"{closed: {users: 1, requests: 8}}", std::to_string(point.input),
                        std::to_string(point.output)})
      .latencies;
}

TEST(Reports, DeepSeekR1ForOneUserAnswersAtItsStepTime) {
  std::vector<double> tpots;
  for (const OneUser& point : kDeepSeek) {
    const Latencies l = deepseek_r1(point);
    const std::string name = fmt::format("DeepSeek-R1, {} + {}, ", point.input, point.output);
    const double ttft = 1e3 * l.ttft.mean.value, tpot = 1e3 * l.tpot.mean.value,
                 e2e = 1e3 * l.e2e.mean.value;
    print_beside(name + "TTFT", ttft, point.ttft_ms, "ms");
    print_beside(name + "TPOT", tpot, point.tpot_ms, "ms");
    print_beside(name + "E2E", e2e, point.e2e_ms, "ms");
    EXPECT_NEAR(e2e, ttft + tpot * (point.output - 1), 1e-6 * e2e);
    tpots.push_back(tpot);
  }
  EXPECT_GT(tpots[5], tpots[2]);        // more context, more to read:
  EXPECT_LT(tpots[5], 1.1 * tpots[2]);  // little, beside the weights
}

}  // namespace
}  // namespace headway
