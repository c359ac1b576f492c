// Rules over autoscalers, cold starts, stores and deploys, and what follows from their keys.
#include <fmt/format.h>

#include <algorithm>

#include "models/start_up.hpp"
#include "sim/scenario/autoscaler_kind.hpp"
#include "sim/scenario/check.hpp"
#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

/// Calls rule(pool, its node) for every pool.
template <class Rule>
void each_pool(Draft& draft, Rule rule) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i)
    rule(draft.scenario.fleet[i], draft.pool_node(i));
}

/// The node of the autoscaler's one member.
const Node& settings_node(const Pool& pool, const Node& node) {
  return Draft::given(node, "autoscaler")
      ->value.find_entry(autoscaler_key(pool.autoscaler->kind))
      ->value;
}

void check_autoscaler_limits(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    if (!pool.autoscaler) return;
    const Autoscaler& settings = *pool.autoscaler;
    if (settings.min > settings.max)
      draft.fail(Draft::place_of(settings_node(pool, node), "min"),
                 fmt::format("min ({}) of pool '{}' is above max ({}); expected min ≤ max",
                             settings.min, pool.name, settings.max));
    const Entry* const schedule = Draft::given(node, "autoscaler.schedule");
    for (std::size_t i = 0; i < settings.schedule.size(); ++i) {
      const Autoscaler::Slot& slot = settings.schedule[i];
      const Position& at = schedule->value.items[i].at;
      if (slot.min > settings.max)
        draft.fail(at, fmt::format("min ({}) of this slot is above the autoscaler's max ({})",
                                   slot.min, settings.max));
      if (slot.at_seconds >= settings.schedule_period_seconds)
        draft.fail(at, "this slot begins after schedule_period; expected a time within it");
      if (i > 0 && slot.at_seconds <= settings.schedule[i - 1].at_seconds)
        draft.fail(at, "slots do not ascend; expected each after the one before");
    }
    if (settings.schedule.empty())
      draft.warn_no_effect(node, "autoscaler.schedule_period", "there is no schedule");
  });
}

bool of_tokens(Autoscaler::Metric metric) {
  using Metric = Autoscaler::Metric;
  return metric == Metric::kv_use || metric == Metric::tpot || metric == Metric::tokens_per_second;
}

/// Whether requests that wait at the front are part of the metric, so that it sees load at zero.
bool sees_the_front(Autoscaler::Metric metric) {
  return metric == Autoscaler::Metric::concurrency || metric == Autoscaler::Metric::queue;
}

/// The nodes of the autoscaler's targets, in order; empty for kinds that have but one.
std::vector<const Node*> target_nodes(const Node& settings) {
  std::vector<const Node*> nodes;
  if (const Node* const one = settings.find("target")) nodes.push_back(one);
  if (const Node* const several = settings.find("targets"))
    for (const Node& each : several->items) nodes.push_back(&each);
  return nodes;
}

void check_targets(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    if (!pool.autoscaler) return;
    const Autoscaler& settings = *pool.autoscaler;
    const Node& settings_at = settings_node(pool, node);
    const auto nodes = target_nodes(settings_at);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Autoscaler::Target& target = settings.targets[i];
      if (pool.kind == Pool::Kind::service && of_tokens(target.metric))
        draft.fail(nodes[i]->at,
                   fmt::format("pool '{}' is a service, which has no tokens and no KV "
                               "cache; expected another target",
                               pool.name));
      if (target.metric != Autoscaler::Metric::ttft && target.metric != Autoscaler::Metric::tpot)
        draft.warn_no_effect(*nodes[i], "percentile", "the target is no latency");
      if (settings.kind != Autoscaler::Kind::keda)
        draft.warn_no_effect(*nodes[i], "activation", "the autoscaler is not keda");
    }
    const bool from_zero = settings.kind == Autoscaler::Kind::keda && settings.min == 0;
    if (from_zero && std::none_of(settings.targets.begin(), settings.targets.end(),
                                  [](const auto& each) { return sees_the_front(each.metric); }))
      draft.fail(
          settings_at.at,
          fmt::format("at zero replicas of pool '{}' nothing would be measured, and it would "
                      "stay there; expected a target on concurrency or queue, which see "
                      "the requests that wait at the front, or min above 0",
                      pool.name));
  });
}

void fill_replicas(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    if (pool.autoscaler && !node.find("replicas"))
      pool.replicas = std::max(1, pool.autoscaler->min);
  });
}

void check_deploys(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    const Entry* const deploys = Draft::given(node, "deploys");
    for (std::size_t i = 0; i < pool.deploys.size(); ++i) {
      const Position& at = deploys->value.items[i].at;
      if (i > 0 && pool.deploys[i].at_seconds <= pool.deploys[i - 1].at_seconds)
        draft.fail(at, "deploys do not ascend; expected each after the one before");
      const double duration = draft.scenario.run.duration_seconds;
      if (duration > 0 && pool.deploys[i].at_seconds >= duration)
        draft.warn(at, "this deploy has no effect: the run's load ends before it");
    }
  });
}

bool ever_starts(const Pool& pool) {
  return pool.autoscaler || pool.failures || !pool.deploys.empty();
}

Distribution fixed_seconds(double seconds) {
  Distribution law;
  law.a = seconds;
  return law;
}

void check_two_ways(Draft& draft, const Node& node, const char* law, const char* size) {
  const Entry* const second = Draft::given(node, size);
  if (second && node.find(law))
    draft.fail(second->key_at,
               fmt::format("cold_start has both '{}' and '{}'; expected one of them", law, size));
}

/// Phases that the scenario leaves to the engine and the model.
void fill_phases(Pool& pool, const Node* given) {
  ColdStart& start = *pool.cold_start;
  const Engine& engine = pool.placement.engine;
  if (!start.process) start.process = fixed_seconds(engine.start_process_seconds);
  if (!start.compile) start.compile = fixed_seconds(engine.start_compile_seconds);
  if (!start.capture) start.capture = fixed_seconds(engine.start_capture_seconds);
  const bool sized = given && given->find("weights_size");
  if (!start.weights && !sized)
    start.weight_bytes = pool.gpus_per_replica * pool.memory.weight_bytes;
}

/// The store of a pool that loads something, by name or one of its own.
void fill_store(Draft& draft, Pool& pool, const Node* given) {
  ColdStart& start = *pool.cold_start;
  const bool loads =
      (!start.image && start.image_bytes > 0) || (!start.weights && start.weight_bytes > 0);
  auto& stores = draft.scenario.stores;
  if (!start.store.empty()) {
    std::vector<std::string> names;
    names.reserve(stores.size());
    for (const Store& store : stores) names.push_back(store.name);
    const auto named = std::find(names.begin(), names.end(), start.store);
    if (named == names.end())
      draft.fail(given->find("store")->at,
                 fmt::format("no store is named '{}'{}", shown(start.store),
                             names.empty() ? "; expected one of 'stores', and there is none"
                                           : suggestion(start.store, names)));
    start.store_index = static_cast<std::uint32_t>(named - names.begin());
    if (!loads) draft.warn_no_effect(*given, "store", "the replicas load nothing from it");
  } else if (loads) {
    start.store_index = static_cast<std::uint32_t>(stores.size());
    stores.push_back({.name = pool.name, .bandwidth = kFileServerBytesPerSecond});
  }
}

void fill_cold_start(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    const Node* const given = node.find("cold_start");
    const bool placed = pool.memory.available_bytes > 0;
    if (!ever_starts(pool)) {
      draft.warn_no_effect(node, "cold_start",
                           "no replica of the pool starts: it has no autoscaler, no failures and "
                           "no deploys");
    } else if (!given && !placed) {
      draft.warn(Draft::given(node, pool.autoscaler        ? "autoscaler"
                                    : pool.deploys.empty() ? "failures"
                                                           : "deploys")
                     ->key_at,
                 fmt::format("replicas of pool '{}' start in no time: it has no model, and no "
                             "cold_start says how long they take",
                             pool.name));
    }
    if (given) {
      check_two_ways(draft, *given, "image", "image_size");
      check_two_ways(draft, *given, "weights", "weights_size");
    } else if (ever_starts(pool)) {
      pool.cold_start.emplace();
    } else {
      return;
    }
    fill_phases(pool, given);
    fill_store(draft, pool, given);
    if (pool.cold_start->stock_out == 0 && given)
      draft.warn_no_effect(*given, "stock_retry", "stock_out is 0");
  });
}

void check_quota(Draft& draft) {
  each_pool(draft, [&](Pool& pool, const Node& node) {
    if (!pool.cold_start || pool.cold_start->quota == 0) return;
    if (pool.cold_start->quota < pool.replicas)
      draft.fail(Draft::place_of(node, "cold_start.quota"),
                 fmt::format("quota ({}) of pool '{}' is below its replicas ({}); expected as many "
                             "at least",
                             pool.cold_start->quota, pool.name, pool.replicas));
    for (const Deploy& deploy : pool.deploys)
      if (deploy.unavailable == 0 && !pool.autoscaler && pool.cold_start->quota == pool.replicas) {
        draft.warn(Draft::place_of(node, "deploys"),
                   fmt::format("the quota ({}) of pool '{}' leaves no room for a surge, and no "
                               "replica may be missing: such a deploy replaces nothing",
                               pool.cold_start->quota, pool.name));
        break;
      }
    if (pool.cold_start->quota >= pool.places())
      draft.warn_no_effect(node, "cold_start.quota", "the pool never has more replicas");
  });
}

void store_effect(Draft& draft) {
  const Entry* const given = Draft::given(draft.document.root, "stores");
  for (std::size_t i = 0; given && i < given->value.items.size(); ++i) {
    const std::string& name = draft.scenario.stores[i].name;
    const bool used = std::any_of(
        draft.scenario.fleet.begin(), draft.scenario.fleet.end(),
        [&](const Pool& pool) { return pool.cold_start && pool.cold_start->store == name; });
    if (!used)
      draft.warn(given->value.items[i].at,
                 fmt::format("store '{}' has no effect: no cold_start names it", name));
  }
}

}  // namespace

std::vector<Check> lifecycle_checks() {
  return {
      {"autoscaler_limits",
       "An autoscaler's min is at most its max, and its schedule ascends within its period.",
       check_autoscaler_limits},
      {"autoscaler_targets",
       "Targets on tokens and KV use go with LLM pools; at zero replicas, KEDA needs a target on "
       "concurrency or queue.",
       check_targets},
      {"autoscaler_start",
       "With an autoscaler, a pool that does not say its replicas starts with min of them, at "
       "least 1.",
       fill_replicas},
      {"deploys", "Deploys ascend.", check_deploys},
      {"cold_start",
       "Replicas that start take the engine's phases and read the model's weights from a store of "
       "the pool's own, where cold_start does not say otherwise; a phase has a law or a size, not "
       "both; the store is one of stores.",
       fill_cold_start},
      {"quota", "The quota covers the pool's replicas.", check_quota},
      {"store_effect", "Warned of: stores that nothing loads from.", store_effect},
  };
}

}  // namespace headway
