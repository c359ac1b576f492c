// Tenants, and the orders of queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two classes before a pool of this order.
std::string two_classes(const std::string& first, const std::string& second,
                        const std::string& pool) {
  return "headway: 1\n"
         "workload:\n"
         "  - {class: chat, arrivals: {poisson: {rate: 5 /s}}, input_tokens: 100, "
         "output_tokens: 50" +
         first +
         "}\n"
         "  - {class: batch, arrivals: {poisson: {rate: 5 /s}}, input_tokens: 100, "
         "output_tokens: 50" +
         second +
         "}\n"
         "fleet:\n"
         "  - {pool: main, step_time: {base: 10 ms}, kv: {blocks: 1000}, max_model_len: 4000" +
         pool +
         "}\n"
         "run: {duration: 1 min}\n";
}

TEST(Tenants, ClassesBelongToThem) {
  const Scenario scenario =
      parse(two_classes(", tenant: acme", ", tenant: acme2", ", order: fair, max_wait: 30 s") +
            "tenants:\n"
            "  - {tenant: acme, weight: 2.5}\n"
            "  - {tenant: acme2, request_rate: 600 /min, token_rate: 3600000 /h, burst: 10 s}\n");
  EXPECT_THAT(scenario.warnings, IsEmpty());
  ASSERT_EQ(scenario.tenants.size(), 2U);
  EXPECT_DOUBLE_EQ(scenario.tenants[0].weight, 2.5);
  EXPECT_EQ(scenario.tenants[0].requests_per_second, 0);
  EXPECT_EQ(scenario.tenants[0].tokens_per_second, 0);
  EXPECT_DOUBLE_EQ(scenario.tenants[1].weight, 1);
  EXPECT_DOUBLE_EQ(scenario.tenants[1].requests_per_second, 10);
  EXPECT_DOUBLE_EQ(scenario.tenants[1].tokens_per_second, 1000);
  EXPECT_DOUBLE_EQ(scenario.tenants[1].burst_seconds, 10);
  EXPECT_EQ(scenario.workload[0].tenant_index, 0U);
  EXPECT_EQ(scenario.workload[1].tenant_index, 1U);
  EXPECT_EQ(scenario.fleet[0].order, QueueOrder::fair);
  EXPECT_DOUBLE_EQ(scenario.fleet[0].max_wait_seconds, 30);
}

TEST(Tenants, AClassWithoutOneIsItsOwn) {
  const Scenario scenario =
      parse(two_classes("", ", tenant: acme", ", order: fair") + "tenants: [{tenant: acme}]\n");
  EXPECT_THAT(scenario.warnings, IsEmpty());
  ASSERT_EQ(scenario.tenants.size(), 2U);
  EXPECT_EQ(scenario.tenants[1].name, "chat");
  EXPECT_EQ(scenario.workload[0].tenant_index, 1U);
  EXPECT_EQ(scenario.workload[1].tenant_index, 0U);
  // The list may say what the class's own tenant weighs.
  const Scenario named =
      parse(two_classes("", "", ", order: fair") + "tenants: [{tenant: batch, weight: 0.5}]\n");
  ASSERT_EQ(named.tenants.size(), 2U);
  EXPECT_EQ(named.workload[1].tenant_index, 0U);
  EXPECT_EQ(named.workload[0].tenant_index, 1U);
}

TEST(Tenants, ThatAreNotThereAreRefused) {
  EXPECT_THAT(
      refusal(two_classes(", tenant: acne", "", ", order: fair") + "tenants: [{tenant: acme}]\n"),
      HasSubstr("s.yaml:3:"));
  EXPECT_THAT(
      refusal(two_classes(", tenant: acne", "", ", order: fair") + "tenants: [{tenant: acme}]\n"),
      HasSubstr("no tenant is named 'acne'; did you mean 'acme'?"));
  EXPECT_THAT(refusal(two_classes(", tenant: acme", "", "")),
              HasSubstr("no tenant is named 'acme'; expected one of 'tenants', and there is none"));
  EXPECT_THAT(refusal(two_classes("", "", "") + "tenants: [{tenant: a, weight: 0}]\n"),
              HasSubstr("0.001 to 1000"));
}

TEST(Tenants, AndOrdersThatChangeNothingAreWarnedOf) {
  EXPECT_THAT(parse(two_classes("", "", "") + "tenants: [{tenant: chat, weight: 2}]\n").warnings,
              ElementsAre(HasSubstr("'tenants' has no effect: no pool has the order 'fair', and no "
                                    "tenant has a rate limit")));
  EXPECT_THAT(
      parse(two_classes("", "", "") +
            "tenants: [{tenant: chat, weight: 2, request_rate: 9 /s}, {tenant: x, burst: 1 s}]\n")
          .warnings,
      ElementsAre(HasSubstr("'weight' has no effect"),
                  HasSubstr("tenant 'x' has no effect: no class belongs to it"),
                  HasSubstr("'burst' has no effect: there is no rate to limit")));
  EXPECT_THAT(
      parse(two_classes(", tenant: a", ", tenant: a", ", order: fair") + "tenants: [{tenant: a}]\n")
          .warnings,
      ElementsAre(HasSubstr("'order' has no effect: all requests are of one tenant")));
  EXPECT_THAT(parse(two_classes("", "", ", order: deadline")).warnings,
              ElementsAre(HasSubstr("'order' has no effect: no class has an SLO on ttft or e2e")));
  EXPECT_THAT(
      parse(two_classes("", ", slo: {e2e: 9 s}", ", order: deadline, max_wait: 1 s")).warnings,
      ElementsAre(HasSubstr("'max_wait' has no effect: the order is by deadlines")));
  EXPECT_THAT(parse(two_classes("", "", ", max_wait: 1 s")).warnings,
              ElementsAre(HasSubstr("'max_wait' has no effect: the order is fcfs")));
}

}  // namespace
}  // namespace headway
