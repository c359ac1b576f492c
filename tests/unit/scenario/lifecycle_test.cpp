// Autoscalers, cold starts, stores and deploys as scenarios say them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string chat(const std::string& keys) {
  return with(kChat, "    replicas: 2\n", keys);
}

const std::string kPhases = "    cold_start: {process: 25 s, weights: 16 s, compile: 30 s}\n";

Autoscaler scaled(const std::string& autoscaler) {
  return *parse(chat("    autoscaler: " + autoscaler + "\n" + kPhases)).fleet[0].autoscaler;
}

std::string refused(const std::string& autoscaler) {
  return refusal(chat("    autoscaler: " + autoscaler + "\n" + kPhases));
}

TEST(AutoscalerKeys, HpaHasKubernetesDefaults) {
  const Autoscaler hpa = scaled("{hpa: {max: 8, target: {concurrency: 32}}}");
  EXPECT_EQ(hpa.kind, Autoscaler::Kind::hpa);
  EXPECT_EQ(hpa.min, 1);
  EXPECT_EQ(hpa.max, 8);
  ASSERT_EQ(hpa.targets.size(), 1U);
  EXPECT_EQ(hpa.targets[0].metric, Autoscaler::Metric::concurrency);
  EXPECT_EQ(hpa.targets[0].value, 32);
  EXPECT_EQ(hpa.poll_seconds, 15);
  EXPECT_EQ(hpa.tolerance, 0.1);
  EXPECT_EQ(hpa.up.window_seconds, 0);
  EXPECT_EQ(hpa.down.window_seconds, 300);
  ASSERT_EQ(hpa.up.policies.size(), 2U);
  EXPECT_EQ(hpa.up.policies[0].replicas, 4);
  EXPECT_EQ(hpa.up.policies[1].share, 1);
  ASSERT_EQ(hpa.down.policies.size(), 1U);
  EXPECT_EQ(hpa.down.policies[0].share, 1);
  EXPECT_EQ(hpa.down.policies[0].period_seconds, 15);
}

TEST(AutoscalerKeys, PoliciesThatAreGivenTakeThePlaceOfTheDefaultOnes) {
  const Autoscaler hpa = scaled(
      "{hpa: {max: 8, target: {kv_use: 70 %}, scale_down: {window: 60 s, select: smallest, "
      "policies: [{replicas: 1, period: 2 min}]}, scale_up: {select: disabled}}}");
  ASSERT_EQ(hpa.down.policies.size(), 1U);
  EXPECT_EQ(hpa.down.policies[0].replicas, 1);
  EXPECT_EQ(hpa.down.policies[0].share, 0);
  EXPECT_EQ(hpa.down.policies[0].period_seconds, 120);
  EXPECT_EQ(hpa.down.window_seconds, 60);
  EXPECT_FALSE(hpa.down.select_largest);
  EXPECT_TRUE(hpa.up.disabled);
}

TEST(AutoscalerKeys, KedaRayAndThePredictiveOneHaveTheirOwnDefaults) {
  const Autoscaler keda = scaled("{keda: {max: 4, targets: [{queue: 10, activation: 2}]}}");
  EXPECT_EQ(keda.min, 0);
  EXPECT_EQ(keda.cool_down_seconds, 300);
  EXPECT_EQ(keda.activation_poll_seconds, 30);
  EXPECT_EQ(keda.targets[0].activation, 2);
  const Autoscaler ray = scaled("{ray: {max: 4}}");
  EXPECT_EQ(ray.targets.at(0).metric, Autoscaler::Metric::concurrency);
  EXPECT_EQ(ray.targets[0].value, 2);
  EXPECT_EQ(ray.look_back_seconds, 30);
  EXPECT_EQ(ray.upscale_delay_seconds, 30);
  EXPECT_EQ(ray.downscale_delay_seconds, 600);
  const Autoscaler predictive = scaled("{predictive: {max: 4, requests_per_second: 5 /s}}");
  EXPECT_EQ(predictive.targets.at(0).metric, Autoscaler::Metric::requests_per_second);
  EXPECT_EQ(predictive.targets[0].value, 5);
  EXPECT_EQ(predictive.horizon_seconds, 300);
}

TEST(AutoscalerKeys, ASchedule) {
  const Autoscaler hpa = scaled(
      "{hpa: {max: 8, target: {queue: 5}}, schedule: [{at: 8 h, min: 4}, {at: 18 h, min: 1}]}");
  ASSERT_EQ(hpa.schedule.size(), 2U);
  EXPECT_EQ(hpa.schedule[0].at_seconds, 8 * 3600);
  EXPECT_EQ(hpa.schedule[1].min, 1);
  EXPECT_EQ(hpa.schedule_period_seconds, 86400);
}

TEST(AutoscalerKeys, WhatCannotBeIsRefusedByName) {
  EXPECT_THAT(refused("{hpa: {max: 4}}"), HasSubstr("expected 'target' or 'targets'"));
  EXPECT_THAT(refused("{hpa: {min: 5, max: 4, target: {queue: 5}}}"),
              HasSubstr("min (5) of pool 'main' is above max (4)"));
  EXPECT_THAT(refused("{hpa: {min: 0, max: 4, target: {queue: 5}}}"),
              HasSubstr("min is '0'; expected 1 to 100000"));
  EXPECT_THAT(refused("{hpa: {max: 4, target: {queue: 5}}, schedule: [{at: 1 h, min: 5}]}"),
              HasSubstr("above the autoscaler's max (4)"));
  EXPECT_THAT(refused("{hpa: {max: 4, target: {queue: 5}}, schedule: [{at: 1 h, min: 2}, {at: 1 "
                      "h, min: 3}]}"),
              HasSubstr("slots do not ascend"));
  EXPECT_THAT(refused("{hpa: {max: 4, target: {queue: 5}}, schedule: [{at: 25 h, min: 2}]}"),
              HasSubstr("begins after schedule_period"));
  EXPECT_THAT(refused("{keda: {max: 4, target: {kv_use: 70 %}}}"),
              HasSubstr("at zero replicas of pool 'main' nothing would be measured"));
  EXPECT_THAT(refused("{hpa: {max: 4, target: {queue: 5}, scale_up: {policies: [{period: 5 s}]}}}"),
              HasSubstr("expected replicas or share"));
  EXPECT_THAT(refused("{hpa: {max: 4, target: {queu: 5}}}"), HasSubstr("did you mean 'queue'?"));
  EXPECT_THAT(refusal(with(kShop, "run:",
                           "    autoscaler: {hpa: {max: 4, target: {tpot: 50 ms}}}\n"
                           "run:")),
              HasSubstr("pool 'bar' is a service, which has no tokens and no KV cache"));
}

TEST(AutoscalerKeys, WithoutReplicasAPoolStartsWithTheLeastNumber) {
  const auto replicas = [](const std::string& keys) {
    return parse(chat(keys + kPhases)).fleet[0].replicas;
  };
  EXPECT_EQ(replicas("    autoscaler: {hpa: {min: 3, max: 8, target: {queue: 5}}}\n"), 3);
  EXPECT_EQ(replicas("    autoscaler: {keda: {max: 8, target: {queue: 5}}}\n"), 1);
  EXPECT_EQ(replicas("    replicas: 2\n    autoscaler: {hpa: {max: 8, target: {queue: 5}}}\n"), 2);
}

TEST(AutoscalerKeys, WhatHasNoEffectIsNamed) {
  EXPECT_THAT(parse(chat("    autoscaler: {hpa: {max: 4, target: {queue: 5, percentile: 90, "
                         "activation: 1}}, schedule_period: 2 h}\n" +
                         kPhases))
                  .warnings,
              ElementsAre(HasSubstr("'schedule_period' has no effect: there is no schedule"),
                          HasSubstr("'percentile' has no effect: the target is no latency"),
                          HasSubstr("'activation' has no effect: the autoscaler is not keda")));
}

const std::string kPlaced =
    "headway: 1\n"
    "workload:\n"
    "  - class: chat\n"
    "    arrivals: {poisson: {rate: 1 /s}}\n"
    "    input_tokens: 512\n"
    "    output_tokens: 180\n"
    "fleet:\n"
    "  - pool: main\n"
    "    model: llama-3.1-8b\n"
    "    gpu: h100-sxm-80gb\n"
    "    engine: vllm-0.19\n"
    "    autoscaler: {hpa: {max: 4, target: {queue: 5}}}\n"
    "run: {duration: 1 h}\n";

TEST(ColdStartKeys, AbsentOnesAreTheEnginesAndTheModels) {
  const Scenario scenario = parse(kPlaced);
  EXPECT_THAT(scenario.warnings, IsEmpty());
  const Pool& pool = scenario.fleet[0];
  ASSERT_TRUE(pool.cold_start.has_value());
  // As `headway check` says them of this pool.
  EXPECT_EQ(pool.cold_start->process->a, 25);
  EXPECT_EQ(pool.cold_start->compile->a, 30);
  EXPECT_EQ(pool.cold_start->capture->a, 6);
  EXPECT_FALSE(pool.cold_start->weights.has_value());
  EXPECT_NEAR(pool.cold_start->weight_bytes, 16.06e9, 0.02e9);
  ASSERT_EQ(scenario.stores.size(), 1U);
  EXPECT_EQ(scenario.stores[pool.cold_start->store_index].bandwidth, 1e9);
}

TEST(ColdStartKeys, AreFilledOnlyWhereReplicasStart) {
  const std::string fixed =
      with(kPlaced, "    autoscaler: {hpa: {max: 4, target: {queue: 5}}}\n", "    replicas: 2\n");
  EXPECT_FALSE(parse(fixed).fleet[0].cold_start.has_value());
  EXPECT_THAT(parse(with(fixed, "    replicas: 2\n", kPhases)).warnings,
              Contains(HasSubstr("'cold_start' has no effect: no replica of the pool starts")));
  EXPECT_THAT(parse(chat("    deploys: [{at: 10 min}]\n")).warnings,
              ElementsAre(HasSubstr("replicas of pool 'main' start in no time")));
}

TEST(ColdStartKeys, StoresAreNamedAndShared) {
  const std::string named = with(
      with(kPlaced, "run:", "stores: [{store: bucket, bandwidth: 10 GB/s, latency: 20 ms}]\nrun:"),
      "    autoscaler", "    cold_start: {store: bucket, image_size: 12 GB}\n    autoscaler");
  const Scenario scenario = parse(named);
  EXPECT_THAT(scenario.warnings, IsEmpty());
  ASSERT_EQ(scenario.stores.size(), 1U);
  EXPECT_EQ(scenario.stores[0].bandwidth, 1e10);
  EXPECT_EQ(scenario.stores[0].latency_seconds, 0.02);
  EXPECT_EQ(scenario.fleet[0].cold_start->store_index, 0U);
  EXPECT_EQ(scenario.fleet[0].cold_start->image_bytes, 12e9);
  EXPECT_THAT(refusal(with(named, "{store: bucket, image", "{store: buckt, image")),
              HasSubstr("no store is named 'buckt'; did you mean 'bucket'?"));
  EXPECT_THAT(parse(with(named, "{store: bucket, image", "{image")).warnings,
              ElementsAre(HasSubstr("store 'bucket' has no effect: no cold_start names it")));
  EXPECT_THAT(parse(with(named, "image_size: 12 GB", "weights: 20 s")).warnings,
              ElementsAre(HasSubstr("'store' has no effect")));
}

TEST(ColdStartKeys, WhatCannotBeIsRefusedByName) {
  const auto cold = [](const std::string& keys) {
    return with(kPlaced, "    autoscaler", "    cold_start: " + keys + "\n    autoscaler");
  };
  EXPECT_THAT(refusal(cold("{weights: 20 s, weights_size: 3 GB}")),
              HasSubstr("both 'weights' and 'weights_size'"));
  EXPECT_THAT(refusal(cold("{image: 20 s, image_size: 3 GB}")),
              HasSubstr("both 'image' and 'image_size'"));
  EXPECT_THAT(refusal(cold("{stock_out: 1}")), HasSubstr("expected 0 to"));
  EXPECT_THAT(refusal(with(cold("{quota: 2}"), "    model", "    replicas: 3\n    model")),
              HasSubstr("quota (2) of pool 'main' is below its replicas (3)"));
  EXPECT_THAT(parse(cold("{quota: 9, stock_retry: 5 s}")).warnings,
              ElementsAre(HasSubstr("'stock_retry' has no effect: stock_out is 0"),
                          HasSubstr("'quota' has no effect: the pool never has more replicas")));
}

TEST(DeployKeys, HaveKubernetesNumbersAndAscend) {
  const Scenario scenario = parse(
      chat("    deploys: [{at: 10 min}, {at: 20 min, surge: 0, unavailable: 1}]\n" + kPhases));
  ASSERT_EQ(scenario.fleet[0].deploys.size(), 2U);
  EXPECT_EQ(scenario.fleet[0].deploys[0].surge, 1);
  EXPECT_EQ(scenario.fleet[0].deploys[0].unavailable, 0);
  EXPECT_THAT(refusal(chat("    deploys: [{at: 10 min, surge: 0}]\n")),
              HasSubstr("expected surge or unavailable above 0"));
  EXPECT_THAT(refusal(chat("    deploys: [{at: 10 min}, {at: 9 min}]\n")),
              HasSubstr("deploys do not ascend"));
  EXPECT_THAT(parse(chat("    deploys: [{at: 2 h}]\n" + kPhases)).warnings,
              ElementsAre(HasSubstr("the run's load ends before it")));
}

TEST(DeployKeys, ASurgeNeedsRoomWithinTheQuota) {
  const std::string deployed = chat(
      "    replicas: 2\n    deploys: [{at: 10 min}]\n    cold_start: {process: 9 s, quota: 2}\n");
  EXPECT_THAT(parse(deployed).warnings, ElementsAre(HasSubstr("leaves no room for a surge")));
  EXPECT_THAT(parse(with(deployed, "quota: 2", "quota: 3")).warnings,
              ElementsAre(HasSubstr("'quota' has no effect")));
  EXPECT_THAT(parse(with(deployed, "10 min}", "10 min, unavailable: 1}")).warnings, IsEmpty());
}

}  // namespace
}  // namespace headway
