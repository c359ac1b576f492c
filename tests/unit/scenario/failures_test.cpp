// What a scenario may say of failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/check.hpp"
#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string failing(const std::string& keys) {
  return with(kChat, "replicas: 2",
              "replicas: 2\n    cold_start: {process: 10 s}\n    failures: {" + keys + "}");
}

std::vector<std::string> warnings(const std::string& keys) {
  return parse(failing(keys)).warnings;
}

TEST(Failures, AreReadAsTheyStand) {
  const Scenario scenario = parse(
      failing("gpu: {mtbf: 50000 h, repair: {exponential: {mean: 4 h}}}, crash: {mtbf: 500 h}, "
              "spot: {mtbf: 20 h}, slow: {share: 5 %, factor: 1.5}"));
  ASSERT_TRUE(scenario.fleet[0].failures.has_value());
  const Failures& failures = *scenario.fleet[0].failures;
  ASSERT_TRUE(failures.gpu && failures.crash);
  EXPECT_EQ(failures.gpu->mtbf_seconds, 50000 * 3600.0);
  EXPECT_EQ(failures.gpu->repair.kind, Distribution::Kind::exponential);
  EXPECT_EQ(failures.crash->repair.a, 0);
  EXPECT_FALSE(failures.node || failures.rack);
  EXPECT_EQ(failures.spot_mtbf_seconds, 72000);
  EXPECT_EQ(failures.spot_notice_seconds, 120);
  EXPECT_EQ(failures.slow_share, 0.05);
  EXPECT_EQ(failures.slow_factor, 1.5);
  EXPECT_EQ(failures.node_gpus, 8);
  EXPECT_EQ(failures.rack_gpus, 64);
  EXPECT_THAT(scenario.warnings, IsEmpty());
}

TEST(Failures, AFaultNeedsItsTimes) {
  EXPECT_THAT(refusal(failing("node: {repair: 1 h}")), HasSubstr("mtbf"));
  EXPECT_THAT(refusal(failing("node: {mtbf: 100 h}")), HasSubstr("repair"));
  EXPECT_THAT(refusal(failing("node: {mtbf: 0 h, repair: 1 h}")), HasSubstr("expected 1 s to"));
  EXPECT_THAT(refusal(failing("slow: {share: 5 %, factor: 0.5}")), HasSubstr("1 to 1000"));
}

TEST(Failures, NodesFillRacks) {
  EXPECT_EQ(refusal(failing("rack: {mtbf: 100 h, repair: 1 h}, node_gpus: 4, rack_gpus: 72")), "");
  EXPECT_THAT(
      refusal(failing("rack: {mtbf: 100 h, repair: 1 h}, node_gpus: 8, rack_gpus: 60")),
      HasSubstr("a rack of 60 GPUs cannot be filled with nodes of 8; expected rack_gpus to be a "
                "multiple of node_gpus"));
}

TEST(Failures, WhatCannotHappenIsWarnedOf) {
  EXPECT_THAT(warnings("crash: {mtbf: 10 h}, node_gpus: 4"),
              ElementsAre(HasSubstr("'node_gpus' has no effect: neither nodes nor racks fail")));
  EXPECT_THAT(warnings("node: {mtbf: 10 h, repair: 1 h}, rack_gpus: 32"),
              ElementsAre(HasSubstr("'rack_gpus' has no effect: racks do not fail")));
  EXPECT_THAT(warnings("slow: {share: 5 %, factor: 1}"),
              ElementsAre(HasSubstr("'slow' has no effect: its factor is 1")));
  EXPECT_THAT(warnings(""), ElementsAre(HasSubstr("'failures' has no effect")));
}

TEST(Failures, AStoreMayBeCut) {
  const Scenario scenario =
      parse(with(kChat, "replicas: 2",
                 "replicas: 2\n    cold_start: {weights_size: 16 GB, store: s3}\n"
                 "stores:\n  - {store: s3, bandwidth: 1 GB/s, cut: {mtbf: 2 h, repair: 30 s}}"));
  ASSERT_EQ(scenario.stores.size(), 1u);
  EXPECT_EQ(scenario.stores[0].cut_mtbf_seconds, 7200);
  EXPECT_EQ(scenario.stores[0].cut_repair.a, 30);
}

}  // namespace
}  // namespace headway
