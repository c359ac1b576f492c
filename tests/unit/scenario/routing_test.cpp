// Routes of classes, and the router's rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/check.hpp"
#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A chat with a small and a large pool, and a station beside them.
std::string fleet_of_three(const std::string& route) {
  const std::string engine =
      "    step_time: {base: 10 ms}\n    kv: {blocks: 30000}\n    max_model_len: 8192\n    "
      "replicas: 2\n";
  return "headway: 1\n"
         "workload:\n"
         "  - class: chat\n"
         "    arrivals: {poisson: {rate: 1 /s}}\n"
         "    input_tokens: 512\n"
         "    output_tokens: 180\n" +
         route + "fleet:\n  - pool: small\n" + engine + "  - pool: large\n" + engine +
         "  - pool: rerank\n    service: {time: 10 ms}\nrun: {duration: 1 h}\n";
}

Route route_of(const std::string& route) {
  return parse(fleet_of_three("    route: " + route + "\n")).workload[0].route;
}

std::string refused(const std::string& route) {
  return refusal(fleet_of_three("    route: " + route + "\n"));
}

TEST(Routes, AClassWithoutOneGoesToEveryPool) {
  const Scenario scenario = parse(fleet_of_three(""));
  EXPECT_THAT(scenario.workload[0].route.legs, IsEmpty());
  for (std::size_t p = 0; p < 3; ++p) EXPECT_TRUE(reaches(scenario.workload[0], p));
  EXPECT_THAT(scenario.warnings, IsEmpty());
}

TEST(Routes, NameOnePoolOrSeveral) {
  const Route one = route_of("large");
  ASSERT_EQ(one.legs.size(), 1U);
  EXPECT_EQ(one.kind, Route::Kind::any);
  EXPECT_EQ(one.legs[0].index, 1U);
  const Route two = route_of("{pools: [large, small]}");
  ASSERT_EQ(two.legs.size(), 2U);
  EXPECT_EQ(two.legs[0].index, 1U);
  EXPECT_EQ(two.legs[1].index, 0U);
}

TEST(Routes, GiveSharesOrEscalations) {
  const Route canary =
      route_of("{shares: [{pool: small, share: 95 %}, {pool: large, share: 0.05}]}");
  EXPECT_EQ(canary.kind, Route::Kind::shares);
  EXPECT_DOUBLE_EQ(canary.legs[0].share, 0.95);
  EXPECT_DOUBLE_EQ(canary.legs[1].share, 0.05);
  const Route cascade = route_of("{cascade: [{pool: small, escalate: 30 %}, {pool: large}]}");
  EXPECT_EQ(cascade.kind, Route::Kind::cascade);
  EXPECT_DOUBLE_EQ(cascade.legs[0].escalate, 0.3);
  EXPECT_EQ(cascade.legs[1].index, 1U);
}

TEST(Routes, ASharesLegIsSetByItsName) {
  const Scenario scenario =
      parse(fleet_of_three("    route: {shares: [{pool: small, share: 95 %}, {pool: large, "
                           "share: 5 %}]}\n"),
            {"workload.chat.route.shares.large.share=20 %"});
  EXPECT_DOUBLE_EQ(scenario.workload[0].route.legs[1].share, 0.2);
}

TEST(Routes, NameOnlyPoolsThatThereAreAndEachOnce) {
  EXPECT_THAT(refused("smal"),
              HasSubstr("s.yaml:7:12: no pool 'smal' in the fleet; did you mean 'small'?"));
  EXPECT_THAT(refused("{pools: [small, tiny]}"), HasSubstr("no pool 'tiny' in the fleet"));
  EXPECT_THAT(refused("{pools: [small, large, small]}"),
              HasSubstr("s.yaml:7:35: pool 'small' stands in the route of class 'chat' already"));
  EXPECT_THAT(refused("{cascade: [{pool: small}, {pool: small}]}"),
              HasSubstr("pool 'small' stands on line 7 already"));
}

TEST(Routes, ACascadeHasTwoPoolsAndSharesAreMoreThanNothing) {
  EXPECT_THAT(refused("{cascade: [{pool: small, escalate: 10 %}]}"), HasSubstr("at least 2"));
  EXPECT_THAT(refused("{shares: [{pool: small, share: 0 %}]}"), HasSubstr("share"));
  EXPECT_THAT(refused("{shares: [{pool: small}]}"), HasSubstr("share"));
  EXPECT_THAT(refused("{pools: []}"), HasSubstr("pools"));
}

TEST(Routes, PoolsThatNobodyComesToAreWarnedOf) {
  const auto warnings = [](const std::string& route) {
    return parse(fleet_of_three("    route: " + route + "\n")).warnings;
  };
  EXPECT_THAT(warnings("{pools: [small, large]}"),
              ElementsAre(HasSubstr("no class's route leads to pool 'rerank'")));
  EXPECT_THAT(warnings("{cascade: [{pool: small, escalate: 20 %}, {pool: large, escalate: 10 %}]}"),
              ElementsAre(HasSubstr("'rerank'"),
                          HasSubstr("'escalate' has no effect: no pool is asked after the last")));
  EXPECT_THAT(warnings("{cascade: [{pool: small, escalate: 0 %}, {pool: large}]}"),
              ElementsAre(HasSubstr("'large'"), HasSubstr("'rerank'")));
}

TEST(Routes, LengthsAreNeededWhereAnLlmPoolServesTheClass) {
  const std::string lengths = "    input_tokens: 512\n    output_tokens: 180\n";
  EXPECT_THAT(refusal(with(fleet_of_three("    route: small\n"), lengths, "")),
              HasSubstr("class 'chat' has no 'input_tokens', which an LLM pool needs"));
  EXPECT_EQ(refusal(with(fleet_of_three("    route: rerank\n"), lengths, "")), "");
}

TEST(Routes, RequestsAreTooLongOnlyForPoolsThatTheyComeTo) {
  const std::string longer = with(fleet_of_three("    route: large\n"), "512", "8100");
  EXPECT_THAT(parse(longer).warnings,
              ElementsAre(HasSubstr("'small'"), HasSubstr("'rerank'"), HasSubstr("pool 'large'")));
}

Scenario routed(const std::string& router, const std::string& of_class = "") {
  return parse(with(with(kChat, "run:", "router: " + router + "\nrun:"), "    input_tokens",
                    of_class + "    input_tokens"));
}

const std::string kSession = "    session: {turns: 3}\n";

TEST(RouterRules, AreReadBesideTheKind) {
  const Scenario aware = routed(
      "{prefix_aware: {prefix_weight: 3, load_weight: 2, index_blocks: 5000}, metrics_age: 50 ms}",
      kSession);
  EXPECT_EQ(aware.router, RouterKind::prefix_aware);
  EXPECT_EQ(aware.router_rules.prefix_weight, 3);
  EXPECT_EQ(aware.router_rules.load_weight, 2);
  EXPECT_EQ(aware.router_rules.index_blocks, 5000);
  EXPECT_DOUBLE_EQ(aware.router_rules.metrics_age_seconds, 0.05);
  EXPECT_THAT(aware.warnings, IsEmpty());
  EXPECT_EQ(routed("prefix_aware", kSession).router_rules.index_blocks, 0);
  const Scenario sticky = routed("{sticky: {overflow: 32}}", kSession);
  EXPECT_EQ(sticky.router, RouterKind::sticky);
  EXPECT_EQ(sticky.router_rules.overflow, 32);
  EXPECT_THAT(sticky.warnings, IsEmpty());
  const Scenario checked =
      routed("{least_tokens: {}, health_check: {interval: 5 s, successes: 2}}");
  EXPECT_EQ(checked.router, RouterKind::least_tokens);
  EXPECT_DOUBLE_EQ(checked.router_rules.health.interval_seconds, 5);
  EXPECT_EQ(checked.router_rules.health.failures, 3);
  EXPECT_EQ(checked.router_rules.health.successes, 2);
}

TEST(RouterRules, MetricsOfAPicosecondAreRefused) {
  EXPECT_THAT(refusal(with(kChat, "run:", "router: {least_requests: {}, metrics_age: 0 s}\nrun:")),
              HasSubstr("metrics_age"));
  EXPECT_THAT(refusal(with(kChat, "run:", "router: sticky\nrun:")), HasSubstr("needs values"));
}

TEST(RouterRules, WithoutEffectAreWarnedOf) {
  EXPECT_THAT(routed("{random: {}, metrics_age: 1 s}").warnings,
              ElementsAre(HasSubstr("'metrics_age' has no effect: the router looks at no loads")));
  EXPECT_THAT(routed("{random: {}, health_check: {interval: 1 s}}").warnings,
              ElementsAre(HasSubstr("'health_check' has no effect: no pool has failures")));
  EXPECT_THAT(routed("prefix_aware").warnings,
              ElementsAre(HasSubstr("router prefix_aware finds nothing in common")));
  EXPECT_THAT(routed("session_affinity").warnings,
              ElementsAre(HasSubstr("router session_affinity spreads single requests")));
  EXPECT_THAT(parse(with(kChat, "replicas: 2", "replicas: 2\n    weight: 2")).warnings,
              ElementsAre(HasSubstr("'weight' has no effect: the router is not weighted")));
}

TEST(RouterRules, ARouterBeforeRoutesToSingleReplicasHasNoEffect) {
  const std::string one =
      with(with(with(fleet_of_three("    route: {cascade: [{pool: small, escalate: 5 %}, "
                                    "{pool: large}]}\n"),
                     "    replicas: 2\n", ""),
                "    replicas: 2\n", ""),
           "run:", "router: random\nrun:");
  EXPECT_THAT(parse(one).warnings,
              ElementsAre(HasSubstr("'rerank'"), HasSubstr("'router' has no effect: every route "
                                                           "leads to a single replica")));
}

TEST(RouterRules, KvCachesAreLookedAtWhereThereAreSome) {
  for (const std::string router : {"least_kv", "prefix_aware"})
    EXPECT_THAT(refusal(with(fleet_of_three(""), "run:", "router: " + router + "\nrun:")),
                HasSubstr("router " + router +
                          " compares KV caches, but pool 'rerank' is a "
                          "service and has none"));
}

}  // namespace
}  // namespace headway
