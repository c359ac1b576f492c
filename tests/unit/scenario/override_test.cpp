#include "sim/scenario/override.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Set, OverridesAValue) {
  EXPECT_EQ(parse(kChat, {"fleet.main.replicas=8"}).fleet[0].replicas, 8);
}

TEST(Set, TheLastOfTwoWins) {
  EXPECT_EQ(parse(kChat, {"fleet.main.replicas=8", "fleet.main.replicas=3"}).fleet[0].replicas, 3);
}

TEST(Set, CreatesKeysThatAreAbsent) {
  const Scenario scenario =
      parse(kChat, {"router.power_of_two={}", "workload.chat.slo.ttft=1 s",
                    "fleet.main.batching.continuous.max_num_seqs=64", "front.latency=3 ms"});
  EXPECT_EQ(scenario.router, RouterKind::power_of_two);
  EXPECT_DOUBLE_EQ(*scenario.workload[0].slo->ttft_seconds, 1);
  EXPECT_EQ(scenario.fleet[0].batching.max_num_seqs, 64);
  EXPECT_DOUBLE_EQ(scenario.front.latency_seconds, 0.003);
}

TEST(Set, OneMemberOfAOneOfReplacesTheOther) {
  const Arrivals arrivals =
      parse(kShop, {"workload.guest.arrivals.gamma={rate: 2 /s, cv: 2}"}).workload[0].arrivals;
  EXPECT_EQ(arrivals.kind, Arrivals::Kind::gamma);
  EXPECT_DOUBLE_EQ(arrivals.rate, 2);
  const Arrivals rate =
      parse(kShop, {"workload.guest.arrivals.poisson.rate=20 /s"}).workload[0].arrivals;
  EXPECT_EQ(rate.kind, Arrivals::Kind::poisson);
  EXPECT_DOUBLE_EQ(rate.rate, 20);
}

TEST(Set, ReplacingALawKeepsItsClamp) {
  const std::string text =
      with(kChat, "input_tokens: 512", "input_tokens: {exponential: {mean: 99}, max: 200}");
  const Distribution law =
      *parse(text, {"workload.chat.input_tokens.gamma={mean: 50, cv: 2}"}).workload[0].input_tokens;
  EXPECT_EQ(law.kind, Distribution::Kind::gamma);
  EXPECT_DOUBLE_EQ(law.max, 200);
}

TEST(Set, ABareWordChoosesAMember) {
  EXPECT_EQ(parse(kChat, {"router=random"}).router, RouterKind::random);
}

TEST(Set, ItemsOfOtherListsGoByNumber) {
  const std::string text =
      with(kShop, "{poisson: {rate: 1 /s}}", "{stages: [{rate: 1 /s, for: 1 min}]}");
  EXPECT_DOUBLE_EQ(parse(text, {"workload.guest.arrivals.stages.0.rate=7 /s"})
                       .workload[0]
                       .arrivals.stages[0]
                       .rate,
                   7);
  EXPECT_EQ(refusal(text, {"workload.guest.arrivals.stages.1.rate=7 /s"}),
            "--set workload.guest.arrivals.stages.1.rate=7 /s: no item '1' in "
            "workload.guest.arrivals.stages; it has 1 (numbered from 0)");
}

TEST(Set, MistakesNameTheArgument) {
  EXPECT_EQ(refusal(kChat, {"fleet.main.replcas=8"}),
            "--set fleet.main.replcas=8: unknown key 'replcas' in fleet.main; did you mean "
            "'replicas'?");
  EXPECT_EQ(refusal(kChat, {"fleet.man.replicas=8"}),
            "--set fleet.man.replicas=8: no pool named 'man' in fleet; did you mean 'main'?");
  EXPECT_EQ(refusal(kChat, {"fleet.main.replicas=0"}),
            "--set fleet.main.replicas=0: fleet.main.replicas is '0'; expected 1 to 100000");
  EXPECT_EQ(refusal(kChat, {"fleet.main.replicas"}),
            "--set fleet.main.replicas: expected path=value, such as fleet.main.replicas=8");
  EXPECT_THAT(refusal(kChat, {"fleet.main.replicas=010"}),
              AllOf(StartsWith("--set fleet.main.replicas=010: "), HasSubstr("octal")));
  EXPECT_THAT(refusal(kChat, {"fleet.main.replicas.count=1"}), HasSubstr("has no keys"));
  EXPECT_THAT(refusal(kChat, {"fleet..replicas=1"}), HasSubstr("an empty key in the path"));
  EXPECT_THAT(refusal(kChat, {"run.duration=&a 5 s"}), HasSubstr("anchor"));
  EXPECT_THAT(refusal(kChat, {"run.duration="}), HasSubstr("has no value"));
}

TEST(Set, AMistakeOfTheFileIsStillPlacedInTheFile) {
  EXPECT_THAT(refusal(with(kChat, "replicas: 2", "replicas: x"), {"run.seed=5"}),
              StartsWith("s.yaml:12:15: "));
}

TEST(Set, AClampNeedsALawToStandBeside) {
  EXPECT_THAT(refusal(kChat, {"workload.chat.input_tokens.max=5"}),
              HasSubstr("workload.chat.input_tokens={fixed: …, max: …}"));
}

}  // namespace
}  // namespace headway
