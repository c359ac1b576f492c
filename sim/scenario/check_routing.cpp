// Rules over routes and the router.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/scenario/check.hpp"
#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

/// Where the pool of a leg is named.
const Position& leg_place(const Node& class_node, const Route& route, std::size_t leg) {
  static constexpr const char* kKeys[] = {"pools", "shares", "cascade"};
  const Node& node = *class_node.find("route");
  const Node* const list = node.find(kKeys[static_cast<int>(route.kind)]);
  if (!list || list->kind != Node::Kind::list) return node.at;
  return Draft::place_of(list->items[leg], "pool");
}

void fill_routes(Draft& draft) {
  std::vector<std::string> pools;
  for (const Pool& pool : draft.scenario.fleet) pools.push_back(pool.name);
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    Route& route = draft.scenario.workload[i].route;
    std::set<std::uint32_t> seen;
    for (std::size_t leg = 0; leg < route.legs.size(); ++leg) {
      Route::Leg& each = route.legs[leg];
      const auto found = std::find(pools.begin(), pools.end(), each.pool);
      const auto at = [&] { return leg_place(draft.class_node(i), route, leg); };
      if (found == pools.end())
        draft.fail(at(), fmt::format("no pool '{}' in the fleet{}", shown(each.pool),
                                     suggestion(each.pool, pools)));
      each.index = static_cast<std::uint32_t>(found - pools.begin());
      if (!seen.insert(each.index).second)
        draft.fail(at(), fmt::format("pool '{}' stands in the route of class '{}' already; "
                                     "expected each pool once",
                                     each.pool, draft.scenario.workload[i].name));
    }
  }
}

void check_reach(Draft& draft) {
  const auto& classes = draft.scenario.workload;
  for (std::size_t p = 0; p < draft.scenario.fleet.size(); ++p)
    if (std::none_of(classes.begin(), classes.end(),
                     [&](const WorkloadClass& each) { return reaches(each, p); }))
      draft.warn(Draft::place_of(draft.pool_node(p), "pool"),
                 fmt::format("no class's route leads to pool '{}': it serves nobody",
                             draft.scenario.fleet[p].name));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Route& route = classes[i].route;
    if (route.kind != Route::Kind::cascade) continue;
    const Node& last = draft.class_node(i).find("route")->find("cascade")->items.back();
    draft.warn_no_effect(last, "escalate", "no pool is asked after the last");
  }
}

const char* router_name(RouterKind kind) {
  switch (kind) {
    case RouterKind::least_kv:
      return "least_kv";
    case RouterKind::prefix_aware:
      return "prefix_aware";
    case RouterKind::session_affinity:
      return "session_affinity";
    case RouterKind::sticky:
      return "sticky";
    default:
      return "";
  }
}

void check_router(Draft& draft) {
  const RouterKind kind = draft.scenario.router;
  if (kind != RouterKind::least_kv && kind != RouterKind::prefix_aware) return;
  for (const Pool& pool : draft.scenario.fleet)
    if (pool.kind == Pool::Kind::service)
      draft.fail(Draft::place_of(draft.document.root, "router"),
                 fmt::format("router {} compares KV caches, but pool '{}' is a service and has "
                             "none; expected another router",
                             router_name(kind), pool.name));
}

/// The most replicas that a router of the scenario chooses among.
std::int64_t most_choices(const Scenario& scenario) {
  std::int64_t most = 0, fleet = 0;
  for (const Pool& pool : scenario.fleet) fleet += pool.places();
  for (const WorkloadClass& each : scenario.workload) {
    if (each.route.legs.empty()) return fleet;
    std::int64_t together = 0;
    for (const Route::Leg& leg : each.route.legs) {
      const std::int64_t places = scenario.fleet[leg.index].places();
      together += places;
      most = std::max(most, places);
    }
    if (each.route.kind == Route::Kind::any) most = std::max(most, together);
  }
  return most;
}

bool looks_at_loads(RouterKind kind) {
  return kind != RouterKind::random && kind != RouterKind::round_robin &&
         kind != RouterKind::weighted && kind != RouterKind::session_affinity;
}

bool has_common_prompts(const WorkloadClass& each) {
  return each.prefix || each.session ||
         (each.arrivals.kind == Arrivals::Kind::trace &&
          each.arrivals.trace_format == Arrivals::TraceFormat::mooncake);
}

void router_effect(Draft& draft) {
  const Scenario& scenario = draft.scenario;
  const Node& root = draft.document.root;
  if (most_choices(scenario) == 1)
    return draft.warn_no_effect(root, "router",
                                scenario.fleet.size() == 1
                                    ? "the fleet is a single replica"
                                    : "every route leads to a single replica");
  if (!looks_at_loads(scenario.router))
    draft.warn_no_effect(root, "router.metrics_age", "the router looks at no loads");
  if (std::none_of(scenario.fleet.begin(), scenario.fleet.end(),
                   [](const Pool& pool) { return pool.failures.has_value(); }))
    draft.warn_no_effect(root, "router.health_check", "no pool has failures");
  if (scenario.router != RouterKind::weighted)
    for (std::size_t p = 0; p < scenario.fleet.size(); ++p)
      draft.warn_no_effect(draft.pool_node(p), "weight", "the router is not weighted");
  const auto& classes = scenario.workload;
  const auto warn_unless = [&](bool (*has)(const WorkloadClass&), const char* why) {
    if (std::none_of(classes.begin(), classes.end(), has))
      draft.warn(Draft::place_of(root, "router"),
                 fmt::format("router {} {}", router_name(scenario.router), why));
  };
  if (scenario.router == RouterKind::prefix_aware)
    warn_unless(has_common_prompts,
                "finds nothing in common: no class has 'prefix', 'session' or a Mooncake trace");
  if (scenario.router == RouterKind::session_affinity || scenario.router == RouterKind::sticky)
    warn_unless([](const WorkloadClass& each) { return each.session.has_value(); },
                "spreads single requests at random: no class has a 'session'");
}

}  // namespace

bool reaches(const WorkloadClass& each, std::size_t pool) {
  const Route& route = each.route;
  if (route.legs.empty()) return true;
  for (const Route::Leg& leg : route.legs) {
    if (leg.index == pool) return true;
    if (route.kind == Route::Kind::cascade && leg.escalate == 0) return false;
  }
  return false;
}

std::vector<Check> routing_checks() {
  return {
      {"route", "A route names pools of the fleet, each once.", fill_routes},
      {"reach",
       "Warned of: pools that no route leads to, an escalation from a cascade's last pool.",
       check_reach},
      {"router", "Routers least_kv and prefix_aware go with LLM pools only.", check_router},
      {"router_effect",
       "Warned of: a router before a single replica, and what the router does not look at.",
       router_effect},
  };
}

}  // namespace headway
