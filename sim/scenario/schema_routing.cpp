// Where requests go: routes of classes, and the router.
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// A member of the router's one-of; what it takes are rules.
Field kind_of_router(std::string key, RouterKind kind, std::string help,
                     SchemaPtr schema = record({})) {
  return bound<Scenario>(
      std::move(key),
      [kind](Scenario& scenario) {
        scenario.router = kind;
        return &scenario.router_rules;
      },
      std::move(schema), std::move(help));
}

SchemaPtr prefix_aware_schema() {
  const SchemaPtr weight = number(Dimension::count, 0, 1e6);
  return record(
      {field("prefix_weight", &RouterRules::prefix_weight, weight,
             "What the share of the prompt is worth that the replica was sent before.")
           .otherwise("1")
           .from("llm-d prefix-cache-scorer"),
       field("load_weight", &RouterRules::load_weight, weight,
             "What the tokens outstanding there cost, as a share of those that its KV cache has "
             "room for.")
           .otherwise("1")
           .from("llm-d load-aware-scorer"),
       field("index_blocks", &RouterRules::index_blocks, whole_number(1, 1e9),
             "KV blocks of prompts that the router remembers of a replica, longest unused first "
             "to go; of the shortest block_tokens of the fleet.")
           .otherwise_in_words("as many as the replica's KV cache has")
           .from("Gateway API Inference Extension, prefix plugin: lruCapacityPerServer")});
}

SchemaPtr sticky_schema() {
  return record({field("overflow", &RouterRules::overflow, whole_number(1, 1e9),
                       "Requests outstanding at its replica from which on one goes to the replica "
                       "with the fewest.")
                     .needed()});
}

SchemaPtr health_check_schema() {
  return record({field("interval", &HealthCheck::interval_seconds,
                       number(Dimension::time, 1e-3, 86400), "Between two looks at all replicas.")
                     .needed()
                     .from("Kubernetes readinessProbe: periodSeconds"),
                 field("failures", &HealthCheck::failures, whole_number(1, 1000),
                       "Looks in a row that find a replica failed until it gets no more requests.")
                     .otherwise("3")
                     .from("Kubernetes readinessProbe: failureThreshold"),
                 field("successes", &HealthCheck::successes, whole_number(1, 1000),
                       "Looks in a row that find a replica ready until it gets requests again.")
                     .otherwise("1")
                     .from("Kubernetes readinessProbe: successThreshold")});
}

Field pool_of_leg() {
  return field("pool", &Route::Leg::pool, naming("pool", name_schema()), "Name of the pool.")
      .needed();
}

std::vector<Route::Leg>* legs(Route& route, Route::Kind kind) {
  route.kind = kind;
  return &route.legs;
}

/// The name of a pool, added to the legs that are its target.
SchemaPtr bare_pool() {
  auto schema = std::make_shared<Schema>(*text());
  schema->store_text = [](const Target& target, const std::string& value,
                          const std::filesystem::path&) {
    std::any_cast<std::vector<Route::Leg>*>(target)->emplace_back().pool = value;
  };
  return schema;
}

/// The name of a pool, of a leg that is its target.
SchemaPtr pool_name() {
  auto schema = std::make_shared<Schema>(*text());
  schema->store_text = [](const Target& target, const std::string& value,
                          const std::filesystem::path&) {
    std::any_cast<Route::Leg*>(target)->pool = value;
  };
  return schema;
}

}  // namespace

SchemaPtr router_schema() {
  auto schema = std::make_shared<Schema>(*one_of(
      {kind_of_router("random", RouterKind::random, "Any replica, as likely."),
       kind_of_router("round_robin", RouterKind::round_robin, "One after the other."),
       kind_of_router("least_requests", RouterKind::least_requests,
                      "The replica with the fewest requests waiting and running."),
       kind_of_router("power_of_two", RouterKind::power_of_two,
                      "The one with fewer requests of two drawn at random."),
       kind_of_router("least_kv", RouterKind::least_kv,
                      "The replica with the least KV cache in use. LLM pools only."),
       kind_of_router("weighted", RouterKind::weighted,
                      "Any replica, as likely as its pool's weight says."),
       kind_of_router("least_tokens", RouterKind::least_tokens,
                      "The replica with the fewest input and output tokens outstanding."),
       kind_of_router("least_expected_wait", RouterKind::least_expected_wait,
                      "The fewest tokens outstanding over the tokens a second that the replica "
                      "served of late."),
       kind_of_router("prefix_aware", RouterKind::prefix_aware,
                      "The replica that was sent the most of the prompt before, unless its load "
                      "outweighs that. LLM pools only.",
                      prefix_aware_schema()),
       kind_of_router("session_affinity", RouterKind::session_affinity,
                      "A conversation stays at its replica, by consistent hashing."),
       kind_of_router("sticky", RouterKind::sticky,
                      "The same, but what is too much for a replica goes elsewhere.",
                      sticky_schema())}));
  schema->siblings.push_back(
      bound<Scenario>(
          "metrics_age",
          [](Scenario& scenario) { return &scenario.router_rules.metrics_age_seconds; },
          number(Dimension::time, 1e-3, 3600),
          "The router sees the replicas' loads as they were at the last multiple of this.")
          .otherwise_in_words("it sees them as they are")
          .from("Gateway API Inference Extension: refresh-metrics-interval"));
  schema->siblings.push_back(
      bound<Scenario>(
          "health_check", [](Scenario& scenario) { return &scenario.router_rules.health; },
          health_check_schema(),
          "How the router learns that replicas failed, and that they are ready again.")
          .otherwise_in_words("it knows at once"));
  return schema;
}

SchemaPtr route_schema() {
  using Leg = Route::Leg;
  auto schema = std::make_shared<Schema>(*one_of(
      {bound<Route>(
           "pools", [](Route& route) { return legs(route, Route::Kind::any); },
           list<Leg>(naming("pool", pool_name()), 1),
           "Any of these pools: the router chooses among all replicas.")
           .such_as("[main]"),
       bound<Route>(
           "shares", [](Route& route) { return legs(route, Route::Kind::shares); },
           list<Leg>(record({pool_of_leg(),
                             field("share", &Leg::share, number_above(Dimension::fraction, 0, 1),
                                   "Share of the requests that goes there, beside the others'.")
                                 .needed()}),
                     1, "pool"),
           "A pool drawn by its share, request by request: a canary."),
       bound<Route>(
           "cascade", [](Route& route) { return legs(route, Route::Kind::cascade); },
           list<Leg>(record({pool_of_leg(),
                             field("escalate", &Leg::escalate, number(Dimension::fraction, 0, 1),
                                   "Probability that the answer from there is not good enough, so "
                                   "that the next pool is asked too.")
                                 .otherwise("0")}),
                     2, "pool"),
           "One pool after the other, until an answer is good enough: a small model first.")
           .from("FrugalGPT, arXiv 2305.05176")}));
  schema->bare = naming("pool", bare_pool());
  return schema;
}

}  // namespace headway
