// What keys say, as numbers of the checked scenario.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

Arrivals arrivals(const std::string& yaml) {
  return parse(with(kShop, "{poisson: {rate: 1 /s}}", yaml)).workload[0].arrivals;
}

Distribution tokens(const std::string& yaml) {
  return *parse(with(kChat, "input_tokens: 512", "input_tokens: " + yaml)).workload[0].input_tokens;
}

TEST(Values, TheDesignsExampleIsRead) {
  const Scenario scenario = parse(
      "headway: 1\n"
      "name: customer support chatbot\n"
      "workload:\n"
      "  - class: chat\n"
      "    arrivals: {poisson: {rate: 20 /s}}\n"
      "    input_tokens: {lognormal: {mean: 1155, p95: 4083}, max: 8192}\n"
      "    output_tokens: {lognormal: {mean: 211, p95: 451}, max: 2048}\n"
      "    slo: {ttft: 500 ms, tpot: 50 ms, percentile: 99}\n"
      "fleet:\n"
      "  - pool: main\n"
      "    model: llama-3.1-8b\n"
      "    gpu: h100-sxm-80gb\n"
      "    engine: vllm-0.19\n"
      "    precision: {weights: bf16, kv: bf16}\n"
      "    parallel: {tensor: 1, pipeline: 1, expert: 1}\n"
      "    replicas: 4\n"
      "    batching: {continuous: {max_num_seqs: 256, max_num_batched_tokens: 8192, "
      "chunked_prefill: true}}\n"
      "    kv: {gpu_memory_utilization: 0.9, block_tokens: 16}\n"
      "    price: {usd_per_gpu_hour: 2.99}\n"
      "router: {least_requests: {}}\n"
      "run: {duration: 1 h, warm_up: auto, seed: 1}\n");
  EXPECT_EQ(scenario.name, "customer support chatbot");
  EXPECT_THAT(scenario.warnings, testing::IsEmpty());
  const WorkloadClass& chat = scenario.workload.at(0);
  EXPECT_EQ(chat.arrivals.kind, Arrivals::Kind::poisson);
  EXPECT_DOUBLE_EQ(chat.arrivals.rate, 20);
  EXPECT_DOUBLE_EQ(*chat.slo->ttft_seconds, 0.5);
  EXPECT_DOUBLE_EQ(*chat.slo->tpot_seconds, 0.05);
  EXPECT_FALSE(chat.slo->e2e_seconds);
  EXPECT_DOUBLE_EQ(chat.output_tokens->max, 2048);
  const Pool& pool = scenario.fleet.at(0);
  EXPECT_EQ(pool.kind, Pool::Kind::llm);
  EXPECT_EQ(pool.replicas, 4);
  EXPECT_EQ(pool.placement.architecture.layers, 32);
  EXPECT_EQ(pool.max_model_len, 131072);
  EXPECT_EQ(pool.kv.blocks, pool.memory.kv_blocks);
  EXPECT_DOUBLE_EQ(pool.usd_per_gpu_hour, 2.99);
  EXPECT_EQ(scenario.router, RouterKind::least_requests);
  EXPECT_DOUBLE_EQ(scenario.run.duration_seconds, 3600);
  EXPECT_TRUE(scenario.run.warm_up_auto);
}

TEST(Values, ArrivalsOfEveryKind) {
  EXPECT_DOUBLE_EQ(arrivals("{constant: {rate: 600 /min}}").rate, 10);
  const Arrivals gamma = arrivals("{gamma: {rate: 2 /s, cv: 3.5}}");
  EXPECT_EQ(gamma.kind, Arrivals::Kind::gamma);
  EXPECT_DOUBLE_EQ(gamma.cv, 3.5);
  const Arrivals mmpp =
      arrivals("{mmpp: {states: [{rate: 1 /s, mean: 1 min}, {rate: 36000 /h, mean: 500 ms}]}}");
  ASSERT_EQ(mmpp.states.size(), 2U);
  EXPECT_DOUBLE_EQ(mmpp.states[1].rate, 10);
  EXPECT_DOUBLE_EQ(mmpp.states[0].mean_seconds, 60);
  const Arrivals stages = arrivals("{stages: [{rate: 0 /s, for: 2 min}, {rate: 5 /s, for: 1 h}]}");
  ASSERT_EQ(stages.stages.size(), 2U);
  EXPECT_DOUBLE_EQ(stages.stages[0].seconds, 120);
  const Arrivals diurnal = arrivals("{diurnal: {rate: 4 /s, amplitude: 35 %, peak_at: 14 h}}");
  EXPECT_DOUBLE_EQ(diurnal.amplitude, 0.35);
  EXPECT_DOUBLE_EQ(diurnal.period_seconds, 86400);
  EXPECT_DOUBLE_EQ(diurnal.peak_at_seconds, 50400);
  const Arrivals closed = arrivals("{closed: {users: 50, requests: 1000, think: 2 s}}");
  EXPECT_EQ(closed.users, 50);
  EXPECT_EQ(closed.requests, 1000);
  EXPECT_DOUBLE_EQ(closed.think.a, 2);
  EXPECT_EQ(arrivals("{closed: {users: 1, think: {exponential: {mean: 3 s}}}}").think.kind,
            Distribution::Kind::exponential);
}

TEST(Values, OnlySteadyLoadsAreStationary) {
  EXPECT_TRUE(arrivals("{poisson: {rate: 1 /s}}").stationary());
  EXPECT_TRUE(arrivals("{closed: {users: 5}}").stationary());
  EXPECT_FALSE(arrivals("{closed: {users: 5, requests: 10}}").stationary());
  EXPECT_FALSE(arrivals("{diurnal: {rate: 4 /s, amplitude: 0.5}}").stationary());
  EXPECT_FALSE(arrivals("{stages: [{rate: 5 /s, for: 1 h}]}").stationary());
}

TEST(Values, ATraceIsFoundBesideTheScenarioOrInTheDataFolder) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/log.csv") << "x\n";
  const std::string text =
      with(kShop, "{poisson: {rate: 1 /s}}",
           "{trace: {file: log.csv, format: azure, speed: 2, limit: 10, offset: 3}}");
  const Arrivals beside = parse_scenario(text, "s.yaml", folder).workload[0].arrivals;
  EXPECT_EQ(beside.kind, Arrivals::Kind::trace);
  EXPECT_EQ(beside.trace_format, Arrivals::TraceFormat::azure);
  EXPECT_TRUE(std::ifstream(beside.trace_path).good());
  EXPECT_DOUBLE_EQ(beside.trace_speed, 2);
  EXPECT_EQ(beside.trace_limit, 10);
  EXPECT_EQ(beside.trace_offset, 3);
  const char* const before = std::getenv("HEADWAY_DATA");
  const std::string kept = before ? before : "";
  setenv("HEADWAY_DATA", folder.c_str(), 1);
  EXPECT_EQ(refusal(with(text, "log.csv", "\"${HEADWAY_DATA}/log.csv\"")), "");
  EXPECT_THAT(refusal(with(text, "log.csv", "\"${HEADWAY_DATA}/other.csv\"")),
              HasSubstr("no trace file '" + folder));
  if (before)
    setenv("HEADWAY_DATA", kept.c_str(), 1);
  else
    unsetenv("HEADWAY_DATA");
}

TEST(Values, LawsOfEveryKind) {
  EXPECT_DOUBLE_EQ(tokens("512").a, 512);
  EXPECT_DOUBLE_EQ(tokens("{fixed: 512}").a, 512);
  const Distribution uniform = tokens("{uniform: {low: 5, high: 9}}");
  EXPECT_EQ(uniform.kind, Distribution::Kind::uniform);
  EXPECT_DOUBLE_EQ(distribution_mean(uniform), 7);
  EXPECT_DOUBLE_EQ(tokens("{normal: {mean: 100, sd: 20}}").b, 20);
  EXPECT_DOUBLE_EQ(tokens("{gamma: {mean: 100, cv: 2}}").b, 2);
  EXPECT_DOUBLE_EQ(tokens("{exponential: {mean: 100}}").a, 100);
  const Distribution bins =
      tokens("{histogram: [{low: 1, high: 3, weight: 1}, {low: 4, high: 8, weight: 3}]}");
  ASSERT_EQ(bins.bins.size(), 2U);
  EXPECT_DOUBLE_EQ(distribution_mean(bins), (2.0 + 3 * 6.0) / 4);
}

TEST(Values, ALognormalLawKeepsTheMeanAndTheP95ItWasGivenBy) {
  const Distribution law = tokens("{lognormal: {mean: 1155, p95: 4083}}");
  EXPECT_NEAR(std::exp(law.a + law.b * law.b / 2), 1155, 1e-9);
  EXPECT_NEAR(std::exp(law.a + 1.6448536269514722 * law.b), 4083, 1e-8);
  EXPECT_LT(law.b, 1.6449);
}

TEST(Values, ALognormalLawMayBeGivenByMuAndSigmaOrByMeanAndCv) {
  const Distribution by_mu = tokens("{lognormal: {mu: 6, sigma: 1}}");
  EXPECT_DOUBLE_EQ(by_mu.a, 6);
  EXPECT_DOUBLE_EQ(by_mu.b, 1);
  const Distribution by_cv = tokens("{lognormal: {mean: 100, cv: 1}}");
  EXPECT_NEAR(by_cv.b * by_cv.b, std::log(2.0), 1e-12);
  EXPECT_NEAR(distribution_mean(by_cv), 100, 1e-9);
}

TEST(Values, TheLargestP95OfALognormalLawIs3868ThousandthsOfItsMean) {
  EXPECT_EQ(refusal(with(kChat, "512", "{lognormal: {mean: 1000, p95: 3868}}")), "");
  EXPECT_THAT(refusal(with(kChat, "512", "{lognormal: {mean: 1000, p95: 3869}}")),
              HasSubstr("s.yaml:5:49: no lognormal law has a p95 of 3.869 times its mean"));
}

TEST(Values, TokensAreClampedToWhatCanBeCounted) {
  const Distribution open = tokens("{lognormal: {mu: 6, sigma: 1}}");
  EXPECT_DOUBLE_EQ(open.min, 1);
  EXPECT_DOUBLE_EQ(open.max, 1e7);
  const Distribution closed = tokens("{exponential: {mean: 100}, min: 10, max: 200}");
  EXPECT_DOUBLE_EQ(closed.min, 10);
  EXPECT_DOUBLE_EQ(closed.max, 200);
}

TEST(Values, AServicePoolTakesItsOwnKeys) {
  const Scenario scenario = parse(with(
      kShop, "service: {time: {exponential: {mean: 800 ms}}}",
      "service: {time: 4 ms, servers: 2, batch_factor: [{size: 1, factor: 1}, {size: 8, factor: "
      "2.5}]}\n"
      "    gpus_per_replica: 2\n"
      "    price: {usd_per_gpu_hour: 1.5}\n"
      "    max_queue: 100\n"
      "    batching: {dynamic: {max_size: 8, preferred_sizes: [4, 8], max_queue_delay: 100 us}}"));
  const Pool& bar = scenario.fleet[0];
  EXPECT_EQ(bar.kind, Pool::Kind::service);
  EXPECT_DOUBLE_EQ(bar.service.time.a, 0.004);
  EXPECT_EQ(bar.service.servers, 2);
  EXPECT_DOUBLE_EQ(bar.service.batch_factor.at(1).factor, 2.5);
  EXPECT_EQ(bar.batching.kind, Batching::Kind::dynamic);
  EXPECT_EQ(bar.batching.preferred_sizes, (std::vector<std::int32_t>{4, 8}));
  EXPECT_DOUBLE_EQ(bar.batching.max_queue_delay_seconds, 1e-4);
  EXPECT_EQ(bar.gpus_per_replica, 2);
  EXPECT_EQ(bar.max_queue, 100);
  EXPECT_DOUBLE_EQ(bar.usd_per_gpu_hour, 1.5);
}

TEST(Values, AServiceBatchesOneByOneUnlessToldOtherwise) {
  EXPECT_EQ(parse(kShop).fleet[0].batching.kind, Batching::Kind::none);
  EXPECT_EQ(parse(kChat).fleet[0].batching.kind, Batching::Kind::continuous);
}

TEST(Values, AnEngineOfMeasuredStepTimesNeedsNoCatalogue) {
  const Pool pool = parse(kChat).fleet[0];
  ASSERT_TRUE(pool.step_time);
  EXPECT_DOUBLE_EQ(pool.step_time->base_seconds, 0.010);
  EXPECT_DOUBLE_EQ(pool.step_time->seconds_per_token, 6.25e-6);
  EXPECT_EQ(pool.kv.blocks, 30000);
  EXPECT_EQ(pool.max_model_len, 8192);
  EXPECT_EQ(pool.gpus_per_replica, 1);
}

TEST(Values, TheKvCacheAdmitsAsTold) {
  const Pool pool =
      parse(with(kChat, "{blocks: 30000}",
                 "{blocks: 30000, block_tokens: 32, watermark: 1 %, admission: reserve_all}"))
          .fleet[0];
  EXPECT_EQ(pool.kv.block_tokens, 32);
  EXPECT_EQ(pool.placement.block_tokens, 32);
  EXPECT_DOUBLE_EQ(pool.kv.watermark, 0.01);
  EXPECT_TRUE(pool.kv.reserve_all);
}

TEST(Values, TensorTimesPipelineGpusAreBilled) {
  const Scenario scenario =
      parse(with(kChat, "    step_time: {base: 10 ms, per_token: 6.25 us}\n",
                 "    model: llama-3.1-70b\n    gpu: h100-sxm-80gb\n    engine: vllm-0.19\n"
                 "    parallel: {tensor: 4, pipeline: 2}\n"));
  EXPECT_EQ(scenario.fleet[0].gpus_per_replica, 8);
  EXPECT_GT(scenario.fleet[0].usd_per_gpu_hour, 0) << "the catalogue's price";
  EXPECT_EQ(scenario.fleet[0].kv.blocks, 30000) << "given, not what memory leaves";
}

TEST(Values, RunAndFront) {
  const Scenario scenario = parse(
      with(kShop, "run: {duration: 1 h}",
           "front: {bandwidth: 10 Gbit/s, latency: 5 ms}\n"
           "run: {duration: 2 min, requests: 500, warm_up: 10 s, seed: 9007199254740991, stepping: "
           "reference, engine: heap}"));
  EXPECT_DOUBLE_EQ(scenario.front.bandwidth, 1.25e9);
  EXPECT_DOUBLE_EQ(scenario.front.latency_seconds, 0.005);
  EXPECT_DOUBLE_EQ(scenario.run.duration_seconds, 120);
  EXPECT_EQ(scenario.run.requests, 500);
  EXPECT_FALSE(scenario.run.warm_up_auto);
  EXPECT_DOUBLE_EQ(scenario.run.warm_up_seconds, 10);
  EXPECT_EQ(scenario.run.seed, 9007199254740991ULL);
  EXPECT_EQ(scenario.run.stepping, Run::Stepping::reference);
  EXPECT_EQ(scenario.run.engine, Run::Engine::heap);
}

TEST(Values, AnUnnamedScenarioIsCalledByItsFile) {
  EXPECT_EQ(parse(kShop).name, "s");
}

TEST(Values, TheShippedChatbotHasNothingToWarnOf) {
  EXPECT_THAT(load_scenario(HEADWAY_SOURCE_DIR "/scenarios/chatbot.yaml").warnings,
              testing::IsEmpty());
}

}  // namespace
}  // namespace headway
