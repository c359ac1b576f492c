// Keys that a scenario gives but that change nothing in it: warned of by name.
#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/check.hpp"

namespace headway {
namespace {

template <class Predicate>
bool any_pool(const Draft& draft, Predicate predicate) {
  return std::any_of(draft.scenario.fleet.begin(), draft.scenario.fleet.end(), predicate);
}

bool is_llm(const Pool& pool) {
  return pool.kind == Pool::Kind::llm;
}

void priority_effect(Draft& draft) {
  const bool ordered =
      any_pool(draft, [](const Pool& pool) { return pool.order == QueueOrder::priority; });
  const auto& classes = draft.scenario.workload;
  const bool differ = std::any_of(classes.begin(), classes.end(), [&](const auto& each) {
    return each.priority != classes.front().priority;
  });
  const FrontAdmission& admission = draft.scenario.admission;
  const bool shed = admission.max_requests > 0 && !admission.shed.empty();
  if (!ordered && !shed)
    for (std::size_t i = 0; i < classes.size(); ++i)
      draft.warn_no_effect(draft.class_node(i), "priority",
                           "no pool has the order 'priority', and admission sheds nobody");
  if (differ) return;
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i)
    if (draft.scenario.fleet[i].order == QueueOrder::priority)
      draft.warn_no_effect(draft.pool_node(i), "order", "all classes have the same priority");
}

void token_effect(Draft& draft) {
  if (any_pool(draft, is_llm)) return;
  const Front& front = draft.scenario.front;
  const auto& tenants = draft.scenario.tenants;
  const bool by_length =
      any_pool(draft,
               [](const Pool& pool) {
                 return pool.order == QueueOrder::shortest_first || pool.order == QueueOrder::fair;
               }) ||
      (front.balancer && front.balancer->seconds_per_input_token > 0) ||
      (front.tokenizer && front.tokenizer->seconds_per_input_token > 0) ||
      std::any_of(tenants.begin(), tenants.end(),
                  [](const Tenant& tenant) { return tenant.tokens_per_second > 0; });
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const Node& node = draft.class_node(i);
    draft.warn_no_effect(node, "slo.tpot", "no LLM pool makes tokens");
    draft.warn_no_effect(node, "output_tokens", "no LLM pool makes tokens");
    if (!by_length) draft.warn_no_effect(node, "input_tokens", "no LLM pool reads tokens");
  }
  draft.warn_no_effect(draft.document.root, "run.stepping", "no LLM pool makes steps");
}

void front_effect(Draft& draft) {
  const auto& classes = draft.scenario.workload;
  const bool sized = std::any_of(classes.begin(), classes.end(),
                                 [](const auto& each) { return each.request_bytes.has_value(); });
  if (!sized)
    draft.warn_no_effect(draft.document.root, "front.bandwidth", "no class has request_bytes");
  if (draft.scenario.front.bandwidth > 0) return;
  for (std::size_t i = 0; i < classes.size(); ++i)
    draft.warn_no_effect(draft.class_node(i), "request_bytes", "front.bandwidth is not given");
}

void warm_up_effect(Draft& draft) {
  if (!draft.scenario.stationary())
    draft.warn_no_effect(draft.document.root, "run.warm_up",
                         "nothing is trimmed from traces, stages, daily shapes and closed loops "
                         "of a given number of requests");
}

/// Keys that hold prompts back (sim/serving/prompt_hold.hpp).
void hold_effect(Draft& draft, const Pool& pool, const Node& node) {
  const std::string continuous = "batching.continuous.";
  const Batching& batching = pool.batching;
  const auto warn = [&](const char* key, bool stated, const std::string& why) {
    if (stated) draft.warn_no_effect(node, continuous + key, why);
  };
  const bool timeout = batching.batch_wait_timeout_iters > 0,
             ratio = batching.batch_wait_max_tokens_ratio > 0;
  if (pool.placement.parallel.data > 1) {
    const char* const why = "parallel.data is above 1, where attention_dp_timeout_iters holds";
    warn("batch_wait_timeout_iters", timeout, why);
    warn("batch_wait_max_tokens_ratio", ratio, why);
    return;
  }
  warn("batch_wait_timeout_iters", timeout && !ratio, "batch_wait_max_tokens_ratio is 0");
  warn("batch_wait_max_tokens_ratio", ratio && !timeout, "batch_wait_timeout_iters is 0");
  for (const char* const key : {"attention_dp_timeout_iters", "attention_dp_batching_wait_iters"})
    warn(key, true, "parallel.data is 1");
}

void batching_effect(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    if (pool.batching.kind == Batching::Kind::continuous && !pool.batching.chunked_prefill)
      draft.warn_no_effect(node, "batching.continuous.long_prefill_token_threshold",
                           "chunked_prefill is false");
    hold_effect(draft, pool, node);
    if (pool.batching.kind == Batching::Kind::none)
      draft.warn_no_effect(node, "service.batch_factor", "batching is none");
  }
}

void placement_effect(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    if (!is_llm(pool)) continue;
    if (pool.step_time) draft.warn_no_effect(node, "profile", "step_time is given");
    const bool placed = node.find("model") && node.find("gpu") && node.find("engine");
    if (placed) continue;
    const std::string why =
        "step_time, kv.blocks and max_model_len stand for the model, and model, gpu and engine are "
        "not all given";
    for (const char* const key : {"model", "engine", "precision", "pruning", "parallel.expert",
                                  "kv.gpu_memory_utilization"})
      draft.warn_no_effect(node, key, why);
  }
}

bool caches_prefixes(const Pool& pool) {
  return is_llm(pool) && pool.batching.kind == Batching::Kind::continuous && pool.kv.prefix_caching;
}

void prefix_effect(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    if (!is_llm(pool)) continue;
    if (pool.batching.kind != Batching::Kind::continuous) {
      draft.warn_no_effect(node, "kv.prefix_caching", "batching is not continuous");
      draft.warn_no_effect(node, "kv.on_preemption", "batching is not continuous");
    } else if (!pool.kv.prefix_caching) {
      draft.warn_no_effect(node, "kv.on_preemption", "prefix_caching is false");
    } else if (pool.kv.reserve_all) {
      draft.warn_no_effect(node, "kv.on_preemption", "admission is reserve_all");
    }
  }
  if (any_pool(draft, caches_prefixes)) return;
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i)
    draft.warn_no_effect(draft.class_node(i), "prefix", "no pool caches prefixes");
}

void session_effect(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    const WorkloadClass& each = draft.scenario.workload[i];
    if (each.prefix && each.prefix->order == SharedPrefix::Order::round_robin)
      draft.warn_no_effect(draft.class_node(i), "prefix.zipf", "order is round_robin");
    if (each.session && law_upper_bound(each.session->turns) < 1.5)
      draft.warn_no_effect(draft.class_node(i), "session.think_time", "there is a single turn");
  }
}

}  // namespace

std::vector<Check> effect_checks() {
  return {
      {"priority_effect", "Warned of: priorities that no queue looks at, and the other way round.",
       priority_effect},
      {"token_effect", "Warned of: token keys where no pool handles tokens.", token_effect},
      {"front_effect", "Warned of: request sizes without a link, and the other way round.",
       front_effect},
      {"warm_up_effect", "Warned of: a warm-up of a load that is not stationary.", warm_up_effect},
      {"batching_effect", "Warned of: batching keys that the batcher does not look at.",
       batching_effect},
      {"prefix_effect", "Warned of: prefix caching keys without a cache, and the other way round.",
       prefix_effect},
      {"session_effect",
       "Warned of: think times without a second turn, frequencies in a fixed order.",
       session_effect},
      {"placement_effect", "Warned of: model keys of a pool whose step time is given.",
       placement_effect},
  };
}

}  // namespace headway
