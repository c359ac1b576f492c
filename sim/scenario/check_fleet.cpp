// Rules over pools, and what follows from their keys: memory, KV blocks, GPUs.
#include <fmt/format.h>

#include <algorithm>

#include "models/profile.hpp"
#include "sim/scenario/check.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

/// Calls rule(pool, its node) for every pool of a kind.
template <class Rule>
void each_pool(Draft& draft, Pool::Kind kind, Rule rule) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i)
    if (draft.scenario.fleet[i].kind == kind) rule(draft.scenario.fleet[i], draft.pool_node(i));
}

void check_pool_kind(Draft& draft) {
  const Schema& pool_schema = *scenario_schema().find("fleet")->schema->item;
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const bool service = pool.kind == Pool::Kind::service;
    const std::string other = service ? kLlmPools : kServicePools;
    for (const Entry& entry : draft.pool_node(i).entries)
      if (pool_schema.find(entry.key)->only_for == other)
        draft.fail(entry.key_at,
                   fmt::format("'{}' is a key of {}, but pool '{}' {} 'service'", entry.key, other,
                               pool.name, service ? "has" : "has no"));
  }
}

void fill_batching(Draft& draft) {
  each_pool(draft, Pool::Kind::service, [&](Pool& pool, const Node& node) {
    const Entry* const entry = Draft::given(node, "batching");
    if (!entry) pool.batching.kind = Batching::Kind::none;
    if (pool.batching.kind == Batching::Kind::continuous)
      draft.fail(entry->value.at,
                 fmt::format("pool '{}' is a service, which forms no batches of tokens; expected "
                             "one of: none, {{static: …}}, {{dynamic: …}}",
                             pool.name));
  });
}

void check_service_time(Draft& draft) {
  each_pool(draft, Pool::Kind::service, [&](Pool& pool, const Node& node) {
    if (law_upper_bound(pool.service.time) <= 0)
      draft.fail(
          Draft::place_of(node, "service.time"),
          fmt::format("service of pool '{}' takes no time; expected more than 0 s", pool.name));
  });
}

void check_token_budget(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    const Batching& batching = pool.batching;
    if (batching.kind != Batching::Kind::continuous) return;
    if (batching.max_num_batched_tokens < batching.max_num_seqs)
      draft.fail(Draft::place_of(node, "batching.continuous.max_num_batched_tokens"),
                 fmt::format("max_num_batched_tokens ({}) is below max_num_seqs ({}); expected a "
                             "token for every sequence",
                             batching.max_num_batched_tokens, batching.max_num_seqs));
  });
}

/// TensorRT-LLM's defaults (AttentionDpConfig): one of the two keys turns the rule on.
void fill_rank_balance(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node&) {
    std::int32_t &timeout = pool.batching.attention_dp_timeout_iters,
                 &together = pool.batching.attention_dp_batching_wait_iters;
    if (timeout < 0 && together >= 0) timeout = 50;
    if (together < 0 && timeout >= 0) together = 10;
  });
}

bool steps_are_given(const Pool& pool, const Node& node) {
  return pool.step_time && Draft::given(node, "kv.blocks") && Draft::given(node, "max_model_len");
}

void fill_model(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    if (!steps_are_given(pool, node)) {
      for (const char* const key : {"model", "gpu", "engine"})
        if (!node.find(key))
          draft.fail(node.at, fmt::format("pool '{}' has no '{}'; expected model, gpu and engine, "
                                          "or step_time, kv.blocks and max_model_len",
                                          pool.name, key));
    }
    const std::int64_t longest = pool.placement.architecture.max_positions;
    if (pool.max_model_len == 0) {
      pool.max_model_len = longest;
    } else if (node.find("model") && pool.max_model_len > longest) {
      draft.fail(Draft::place_of(node, "max_model_len"),
                 fmt::format("max_model_len is {}, but {} reads at most {} tokens",
                             pool.max_model_len, pool.placement.architecture.name, longest));
    }
  });
}

void check_unchunked_budget(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    const Batching& batching = pool.batching;
    if (batching.kind != Batching::Kind::continuous || batching.chunked_prefill) return;
    if (batching.max_num_batched_tokens < pool.max_model_len)
      draft.fail(Draft::place_of(node, "batching.continuous.chunked_prefill"),
                 fmt::format("without chunked_prefill a step must hold the longest prompt: "
                             "max_num_batched_tokens ({}) is below max_model_len ({})",
                             batching.max_num_batched_tokens, pool.max_model_len));
  });
}

/// The model that pruning leaves.
void fill_pruning(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    if (!pool.pruning.any() || !node.find("model")) return;
    pool.unpruned = pool.placement.architecture;
    try {
      pool.placement.architecture = pruned(*pool.unpruned, pool.pruning);
    } catch (const ModelError& error) {
      draft.fail(Draft::place_of(node, "pruning"),
                 fmt::format("pool '{}': pruning of {}: {}", pool.name, pool.unpruned->name,
                             error.what()));
    }
  });
}

/// A quantised checkpoint's formats, where the scenario states none.
void fill_precision(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    const auto& checkpoint = pool.placement.architecture.checkpoint;
    if (!checkpoint || !node.find("model")) return;
    Precision& precision = pool.placement.precision;
    const bool stated = Draft::given(node, "precision.weights");
    if (!stated && !checkpoint->unknown.empty())
      draft.fail(Draft::place_of(node, "model"),
                 fmt::format("pool '{}': the quantization_config of {} is not known: {}; or state "
                             "precision.weights",
                             pool.name, pool.placement.architecture.name, checkpoint->unknown));
    if (!stated) {
      precision.weights = checkpoint->weights;
      if (!Draft::given(node, "precision.activations"))
        precision.activations = checkpoint->activations;
      if (!Draft::given(node, "precision.sparsity")) precision.sparsity = checkpoint->sparsity;
    }
    if (!Draft::given(node, "precision.kv") && checkpoint->kv) precision.kv = *checkpoint->kv;
  });
}

/// What the batcher makes of the largest step, for the memory of activations.
void fill_largest_step(Pool& pool) {
  const Batching& batching = pool.batching;
  Placement& placement = pool.placement;
  placement.block_tokens = pool.kv.block_tokens;
  if (batching.kind == Batching::Kind::continuous) {
    placement.max_num_seqs = batching.max_num_seqs;
    placement.max_num_batched_tokens = batching.max_num_batched_tokens;
    return;
  }
  // Without a token budget, a prompt is read in one step: room for the longest.
  placement.max_num_seqs = batching.kind == Batching::Kind::fixed     ? batching.size
                           : batching.kind == Batching::Kind::dynamic ? batching.max_size
                                                                      : 1;
  placement.max_num_batched_tokens = static_cast<std::int32_t>(std::min<std::int64_t>(
      std::max<std::int64_t>(pool.max_model_len, placement.max_num_seqs), 100'000'000));
}

/// Every data-parallel rank has a scheduler of its own with these limits, and every micro-batch of
/// a pipeline max_num_batched_tokens of its own; the replica's step is all of them together. A
/// prompt's chunk stays on one rank.
void fill_step_limits(Draft& draft, Pool& pool, const Node& node) {
  const std::int32_t ranks = pool.placement.parallel.data,
                     stages = pool.placement.parallel.pipeline;
  Batching& batching = pool.batching;
  const bool continuous = batching.kind == Batching::Kind::continuous;
  if (ranks > 1 && !continuous)
    draft.fail(Draft::place_of(node, "parallel.data"),
               fmt::format("{} data-parallel ranks of pool '{}' step together; expected "
                           "continuous batching, or data: 1",
                           ranks, pool.name));
  if (!continuous) return;
  const auto times = [](std::int32_t one, std::int64_t count) {
    return static_cast<std::int32_t>(std::min<std::int64_t>(2'000'000'000, count * one));
  };
  std::int32_t& chunk = batching.long_prefill_token_threshold;
  const std::int32_t budget = batching.max_num_batched_tokens;
  if (batching.chunked_prefill && (chunk > 0 || ranks > 1))
    chunk = times(chunk > 0 ? std::min(chunk, budget) : budget, stages);
  batching.max_num_seqs = times(batching.max_num_seqs, ranks);
  batching.max_num_batched_tokens = times(budget, std::int64_t{ranks} * stages);
}

bool is_placed(const Node& node) {
  return node.find("model") && node.find("gpu") && node.find("engine");
}

/// What an engine's own rule leaves free, where that, and not the scenario, says so.
std::string reserve_text(const Placement& placement) {
  if (placement.gpu_memory_utilization || !placement.engine.reserve.any()) return "";
  const double rest = 1 - memory_utilization(placement);
  return fmt::format(
      "; {} leaves {} of the memory free for steps of {} tokens: expected fewer "
      "max_num_batched_tokens, or gpu_memory_utilization",
      placement.engine.name, format_quantity(rest, Dimension::fraction),
      placement.max_num_batched_tokens);
}

void fill_memory(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    pool.gpus_per_replica = pool.placement.parallel.gpus();
    fill_largest_step(pool);
    fill_step_limits(draft, pool, node);
    if (!is_placed(node)) return;
    try {
      pool.memory = plan_memory(pool.placement);
    } catch (const ModelError& error) {
      draft.fail(Draft::place_of(node, Draft::given(node, "parallel") ? "parallel" : "model"),
                 fmt::format("pool '{}': {}", pool.name, error.what()));
    }
    if (!pool.memory.fits())
      draft.fail(Draft::place_of(node, "model"),
                 fmt::format("{} does not fit on {} x {} (pool '{}'): {}{}",
                             pool.placement.architecture.name, pool.gpus_per_replica,
                             pool.placement.gpu.name, pool.name, explain_sum(pool.memory),
                             reserve_text(pool.placement)));
    if (pool.kv.blocks == 0) pool.kv.blocks = pool.memory.kv_blocks;
  });
}

/// Requests that are too long are rejected when they come; a scenario that is bound to have some
/// says so before.
void check_longest_request(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node&) {
    const double cache = static_cast<double>(pool.blocks_of_rank()) * pool.kv.block_tokens;
    const auto limit = static_cast<double>(pool.max_model_len);
    const auto number = static_cast<std::size_t>(&pool - draft.scenario.fleet.data());
    for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
      const WorkloadClass& each = draft.scenario.workload[i];
      if (!each.input_tokens || !each.output_tokens || !reaches(each, number)) continue;
      const double longest =
          law_upper_bound(*each.input_tokens) + law_upper_bound(*each.output_tokens);
      if (!(longest > std::min(cache, limit)) || longest > 1e9) continue;
      const std::string what =
          limit <= cache ? "max_model_len" : "the tokens that its KV cache holds";
      draft.warn(Draft::place_of(draft.class_node(i), "input_tokens"),
                 fmt::format("class '{}' has requests of up to {:.0f} tokens; those over {} of "
                             "pool '{}' ({:.0f}) are rejected",
                             each.name, longest, what, pool.name, std::min(cache, limit)));
    }
  });
}

/// Profiles of the catalogue are found by the GPU's name; one that the pool names may be of any.
void check_profile_gpu(Draft& draft) {
  each_pool(draft, Pool::Kind::llm, [&](Pool& pool, const Node& node) {
    if (pool.step_time) return;
    for (const std::string& file : pool.profiles) {
      const std::string of = read_profile(file).gpu;
      if (!profile_is_for(of, pool.placement.gpu.name))
        draft.warn(Draft::place_of(node, "profile"),
                   fmt::format("the profile is of {}, the GPU of pool '{}' is {}", shown(of),
                               pool.name, pool.placement.gpu.name));
    }
  });
}

}  // namespace

std::vector<Check> fleet_checks() {
  return {
      {"pool_kind", "A service pool has no keys of LLM pools, and the other way round.",
       check_pool_kind},
      {"batching", "A service pool batches by: none, static, dynamic.", fill_batching},
      {"service_time", "A service takes time.", check_service_time},
      {"token_budget", "max_num_batched_tokens is at least max_num_seqs.", check_token_budget},
      {"rank_balance",
       "Of attention_dp_timeout_iters and attention_dp_batching_wait_iters, the one that is not "
       "given beside the other is 50, or 10.",
       fill_rank_balance},
      {"model",
       "An LLM pool has a model, a gpu and an engine, or step_time, kv.blocks and max_model_len; "
       "max_model_len is within the model's longest context.",
       fill_model},
      {"unchunked_budget",
       "Without chunked_prefill, max_num_batched_tokens is at least max_model_len.",
       check_unchunked_budget},
      {"pruning",
       "Pruning takes out at least a layer, a KV head or 64 columns, and leaves as many.",
       fill_pruning},
      {"precision",
       "Where precision does not say, a config.json's quantization_config does; one of an unknown "
       "method needs precision.weights.",
       fill_precision},
      {"memory",
       "The model fits in the memory of its GPUs, and the split divides its heads and experts; "
       "data-parallel ranks batch continuously.",
       fill_memory},
      {"longest_request", "Warned of: requests that a pool will reject as too long.",
       check_longest_request},
      {"profile_gpu", "Warned of: a profile of another GPU than the pool's.", check_profile_gpu},
  };
}

}  // namespace headway
