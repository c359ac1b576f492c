#include "random_routing.hpp"

#include <algorithm>
#include <numeric>

#include "dice.hpp"

namespace headway {
namespace {

/// Some of the pools, in any order.
Route random_route(Dice& dice, int pools) {
  Route route;
  route.kind = static_cast<Route::Kind>(dice.between(0, 2));
  std::vector<std::uint32_t> order(static_cast<std::size_t>(pools));
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(dice.between(0, static_cast<int>(i) - 1))]);
  const int legs = dice.between(1, pools);
  for (int leg = 0; leg < legs; ++leg) {
    Route::Leg& each = route.legs.emplace_back();
    each.index = order[static_cast<std::size_t>(leg)];
    each.share = dice.real(0.05, 1);
    each.escalate = dice.chance(0.2) ? dice.between(0, 1) : dice.real(0, 0.6);
  }
  return route;
}

}  // namespace

void add_random_routing(std::uint64_t seed, Scenario& scenario) {
  Dice dice(seed, Thrower::routing);
  scenario.router = static_cast<RouterKind>(dice.between(0, static_cast<int>(RouterKind::sticky)));
  RouterRules& rules = scenario.router_rules;
  rules.prefix_weight = dice.chance(0.7) ? 1 : dice.real(0, 3);
  rules.load_weight = dice.chance(0.7) ? 1 : dice.real(0, 3);
  if (dice.chance(0.5)) rules.index_blocks = dice.between(1, 200);
  rules.overflow = dice.between(1, 12);
  // Ages that are round meet the ends of fixed steps.
  if (dice.chance(0.3)) rules.metrics_age_seconds = dice.chance(0.5) ? 0.1 : dice.real(0.001, 1);
  if (dice.chance(0.3))
    rules.health = {dice.chance(0.5) ? 0.1 : dice.real(0.01, 2), dice.between(1, 3),
                    dice.between(1, 3)};
  for (Pool& pool : scenario.fleet) pool.weight = dice.real(0.1, 3);
  for (WorkloadClass& each : scenario.workload)
    if (dice.chance(0.4)) each.route = random_route(dice, static_cast<int>(scenario.fleet.size()));
}

}  // namespace headway
