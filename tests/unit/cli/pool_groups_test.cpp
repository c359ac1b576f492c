#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/cli/offered_load.hpp"

namespace headway {
namespace {

using ::testing::ElementsAre;

OfferedLoad load(double rate, double input) {
  OfferedLoad of;
  of.per_second = rate;
  of.input_tokens = of.new_tokens = input;
  of.output_tokens = 10;
  return of;
}

/// Four pools, a class for each route.
Scenario routed(const std::vector<Route>& routes) {
  Scenario scenario;
  scenario.fleet.resize(4);
  for (const Route& route : routes) scenario.workload.emplace_back().route = route;
  return scenario;
}

Route route(Route::Kind kind, const std::vector<Route::Leg>& legs) {
  Route made;
  made.kind = kind;
  made.legs = legs;
  return made;
}

TEST(PoolGroups, without_routes_all_pools_serve_all) {
  const auto groups = pool_groups(routed({{}, {}}), {load(3, 100), load(1, 500)});
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_THAT(groups[0].pools, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(groups[0].per_offered, 1);
  EXPECT_EQ(groups[0].load.per_second, 4);
  EXPECT_EQ(groups[0].load.input_tokens, 200) << "(3 · 100 + 1 · 500) / 4";
}

// Class 0: 10 /s, 80 % to pool 0, 20 % to pool 2. Class 1: 4 /s, pool 1, every fourth on to pool 2.
TEST(PoolGroups, shares_and_cascades_bring_each_pool_its_part) {
  const Scenario scenario =
      routed({route(Route::Kind::shares, {{"", 0, 0.8, 0}, {"", 2, 0.2, 0}}),
              route(Route::Kind::cascade, {{"", 1, 1, 0.25}, {"", 2, 1, 0.5}})});
  const auto groups = pool_groups(scenario, {load(10, 100), load(4, 400)});
  ASSERT_EQ(groups.size(), 4U);
  EXPECT_DOUBLE_EQ(groups[0].load.per_second.value(), 8);
  EXPECT_DOUBLE_EQ(groups[0].per_offered, 8.0 / 14);
  EXPECT_DOUBLE_EQ(groups[1].load.per_second.value(), 4);
  EXPECT_DOUBLE_EQ(groups[1].load.input_tokens, 400);
  EXPECT_DOUBLE_EQ(groups[2].load.per_second.value(), 2 + 1);
  EXPECT_DOUBLE_EQ(groups[2].load.input_tokens, 200) << "(2 · 100 + 1 · 400) / 3";
  EXPECT_FALSE(groups[3].reached);
  EXPECT_EQ(groups[3].load.per_second, 0);
}

TEST(PoolGroups, a_choice_among_pools_makes_a_group_of_them) {
  const Scenario scenario = routed({route(Route::Kind::any, {{"", 0, 1, 0}, {"", 2, 1, 0}}),
                                    route(Route::Kind::any, {{"", 2, 1, 0}, {"", 3, 1, 0}}),
                                    route(Route::Kind::any, {{"", 1, 1, 0}})});
  const auto groups = pool_groups(scenario, {load(1, 100), load(2, 100), load(5, 100)});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_THAT(groups[0].pools, ElementsAre(0, 2, 3));
  EXPECT_EQ(groups[0].load.per_second, 3);
  EXPECT_THAT(groups[1].pools, ElementsAre(1));
  EXPECT_EQ(groups[1].load.per_second, 5);
}

TEST(PoolGroups, closed_loops_alone_count_by_the_request) {
  const Scenario scenario = routed({route(Route::Kind::cascade, {{"", 0, 1, 0.1}, {"", 1, 1, 0}})});
  OfferedLoad closed = load(0, 100);
  closed.per_second.reset();
  const auto groups = pool_groups(scenario, {closed});
  EXPECT_EQ(groups[0].per_offered, 1);
  EXPECT_DOUBLE_EQ(groups[1].per_offered, 0.1);
  EXPECT_FALSE(groups[1].load.per_second.has_value());
}

}  // namespace
}  // namespace headway
