#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/scenario/example.hpp"

namespace headway {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Price, SaysInWhichUnitsGpusAreSold) {
  const Scenario scenario =
      parse(kChat, {"fleet.main.price={usd_per_gpu_hour: 2.5, node_gpus: 8, minimum: 1 h}"});
  EXPECT_DOUBLE_EQ(scenario.fleet[0].usd_per_gpu_hour, 2.5);
  EXPECT_EQ(scenario.fleet[0].billed_node_gpus, 8);
  EXPECT_DOUBLE_EQ(scenario.fleet[0].minimum_billing_seconds, 3600);
}

TEST(Price, OfTheCatalogueStaysWhereOnlyTheUnitIsTold) {
  const double catalogue = parse(kChat, {"fleet.main.gpu=h100"}).fleet[0].usd_per_gpu_hour;
  EXPECT_GT(catalogue, 0);
  const Scenario scenario =
      parse(kChat, {"fleet.main.gpu=h100", "fleet.main.price={node_gpus: 4}"});
  EXPECT_DOUBLE_EQ(scenario.fleet[0].usd_per_gpu_hour, catalogue);
  EXPECT_EQ(scenario.fleet[0].billed_node_gpus, 4);
}

TEST(Price, OfNothingIsAPriceToo) {
  const Scenario scenario =
      parse(kChat, {"fleet.main.gpu=h100", "fleet.main.price={usd_per_gpu_hour: 0}"});
  EXPECT_EQ(scenario.fleet[0].usd_per_gpu_hour, 0);
}

TEST(Price, AMinimumOfReplicasThatStayHasNoEffect) {
  const std::string price = "fleet.main.price={usd_per_gpu_hour: 2.5, minimum: 1 h}";
  EXPECT_THAT(parse(kChat, {price}).warnings,
              Contains(HasSubstr("'minimum' has no effect: the pool's replicas stay")));
  EXPECT_THAT(
      parse(kChat, {price, "fleet.main.autoscaler={hpa: {max: 4, target: {queue: 10}}}"}).warnings,
      Not(Contains(HasSubstr("'minimum' has no effect"))));
}

TEST(Price, UnitsOfWhatCostsNothingHaveNoEffect) {
  EXPECT_THAT(parse(kChat, {"fleet.main.price={usd_per_gpu_hour: 0, node_gpus: 8}"}).warnings,
              Contains(HasSubstr("'node_gpus' has no effect: no price is known")));
}

TEST(Price, IsRefusedOutsideItsRange) {
  EXPECT_THAT(refusal(kChat, {"fleet.main.price.node_gpus=1.5"}), HasSubstr("whole number"));
  EXPECT_THAT(refusal(kChat, {"fleet.main.price.minimum=-1 s"}), HasSubstr("minimum"));
}

}  // namespace
}  // namespace headway
