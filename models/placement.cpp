#include "models/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/node_layout.hpp"
#include "models/units.hpp"

namespace headway {
namespace {

constexpr double kHalf = 2;  // bytes of embeddings, LM head, norms, router and activations

std::int32_t rounded_up_share(std::int32_t whole, std::int32_t parts) {
  return (whole + parts - 1) / parts;
}

void check_tensor_split(const Placement& p) {
  const Architecture& a = p.architecture;
  const std::int32_t tensor = p.parallel.tensor;
  const auto divides = [&](std::int32_t figure, const char* what) {
    if (figure % tensor == 0) return;
    throw PlacementError(
        fmt::format("{} has {} {}, which tensor parallelism over {} GPUs does not "
                    "divide; expected a divisor of {}",
                    a.name, figure, what, tensor, figure));
  };
  divides(a.heads, "attention heads");
  // With more GPUs than KV heads each head is kept on several; a latent is kept on all.
  const bool shared = a.kv_heads % tensor == 0 || tensor % a.kv_heads == 0;
  if (!a.latent() && !shared) divides(a.kv_heads, "KV heads");
  if (a.moe_layers() < a.layers) divides(a.intermediate, "MLP columns");
}

void check_expert_split(const Placement& p) {
  const Architecture& a = p.architecture;
  const Parallel& parallel = p.parallel;
  if (a.experts == 0) {
    if (parallel.expert != 1) {
      throw PlacementError(fmt::format(
          "{} has no experts to split over {} GPUs; expected expert: 1", a.name, parallel.expert));
    }
    if (parallel.data != 1) {
      throw PlacementError(
          fmt::format("{} has no experts that {} data-parallel ranks could share; "
                      "expected data: 1, and more replicas",
                      a.name, parallel.data));
    }
    return;
  }
  const std::int32_t group = parallel.stage_gpus();
  if (parallel.expert != 1 && parallel.expert != group) {
    throw PlacementError(fmt::format(
        "experts split over {} GPUs beside tensor parallelism over {}{}; "
        "expected expert: 1 or {}",
        parallel.expert, parallel.tensor,
        parallel.data > 1 ? fmt::format(" on {} data-parallel ranks", parallel.data) : "", group));
  }
  const std::int32_t figure = parallel.expert > 1 ? a.experts : a.moe_intermediate;
  if (figure % group == 0) return;
  throw PlacementError(fmt::format(
      "{} has {} {}, which {} GPUs cannot share evenly; expected a divisor of {}", a.name, figure,
      parallel.expert > 1 ? "experts" : "columns in an expert", group, figure));
}

void check_formats(const Placement& p) {
  const NumberFormat kv = p.precision.kv;
  if (bytes(kv) < 1) {
    throw PlacementError(
        fmt::format("a KV cache in {} is not supported; expected bf16, fp16, fp8 or "
                    "int8",
                    number_format_name(kv)));
  }
  const NumberFormat compute = compute_format(p);
  if (!(p.gpu.flops(compute) > 0)) {
    throw PlacementError(fmt::format("{} does not multiply {}; expected activations in bf16",
                                     p.gpu.name, number_format_name(compute)));
  }
}

void check_sparsity(const Placement& p) {
  if (p.precision.sparsity == Sparsity::none) return;
  const Architecture& a = p.architecture;
  const NumberFormat weights = p.precision.weights, compute = compute_format(p);
  if (!p.gpu.sparse_2_4) {
    throw PlacementError(fmt::format(
        "{} has no matrix units that skip the zeros of 2:4 sparse weights; expected sparsity: none",
        p.gpu.name));
  }
  const bool same = weights == compute || (bytes(weights) == 2 && bytes(compute) == 2);
  if (bytes(weights) < 1 || !same) {
    throw PlacementError(fmt::format(
        "2:4 sparse {} weights beside {} activations are not supported; expected both in 16 bits, "
        "in fp8 or in int8, or sparsity: none",
        number_format_name(weights), number_format_name(compute)));
  }
  if (a.experts > 0 || a.latent()) {
    throw PlacementError(fmt::format(
        "2:4 sparse {} of {} are not supported: no engine has kernels for them; expected "
        "sparsity: none",
        a.experts > 0 ? "experts" : "projections of latent attention", a.name));
  }
}

/// How much longer the rows of experts in mxfp4 are in memory: kernels take them in multiples of
/// 256 columns (2,880 of gpt-oss as 3,072: weights of 13.47 and 64.38 GiB in vLLM's logs on an
/// H100).
double expert_padding(const Placement& p) {
  constexpr std::int32_t kColumns = 256;
  if (p.precision.weights != NumberFormat::mxfp4) return 1;
  const std::int32_t hidden = p.architecture.hidden;
  return static_cast<double>(rounded_up_share(hidden, kColumns)) * kColumns / hidden;
}

/// Bytes of the weights of one layer on one GPU.
double layer_bytes(const Placement& p, bool moe) {
  const Architecture& a = p.architecture;
  const ParameterCount count = count_parameters(a);
  const std::int32_t tensor = p.parallel.tensor;
  const double weight = weight_bytes(p.precision);
  double linear = 0, half = count.norms_and_biases;
  (a.attention_in_16_bits ? half : linear) += attention_weights(a, tensor);
  if (moe) {
    linear += a.experts * count.expert * expert_padding(p) / p.parallel.stage_gpus() +
              count.shared_expert / tensor;
    half += count.router;
  } else {
    linear += count.dense_mlp / tensor;
  }
  return linear * weight + half * kHalf;
}

double fullest_weights(const Placement& p) {
  const Architecture& a = p.architecture;
  const std::int32_t layers = rounded_up_share(a.layers, p.parallel.pipeline);
  const std::int32_t moe = std::min(a.moe_layers(), layers);
  const double stack = moe * layer_bytes(p, true) + (layers - moe) * layer_bytes(p, false);
  const double table = static_cast<double>(rounded_up_share(a.vocab, p.parallel.tensor)) * a.hidden;
  // One stage holds the embedding and the LM head; with more, the first and the last hold one each,
  // also when they are tied.
  const double tables = p.parallel.pipeline > 1 || a.tied_embeddings ? 1 : 2;
  return stack + (tables * table + a.hidden) * kHalf;
}

/// The larger of two moments of a step of max_num_batched_tokens. In a layer: residual stream, norm
/// and block output; gate, up and their product; for experts, a copy of each row an expert. At its
/// end: the last layer's output, and the logits of max_num_seqs sequences in the sampler, which has
/// those of the whole vocabulary on every GPU. The routed experts of data-parallel attention see
/// the tokens of all ranks.
double peak_activations(const Placement& p) {
  const Architecture& a = p.architecture;
  const double tokens = p.max_num_batched_tokens;
  const double tensor = p.parallel.tensor;
  double width = 0;
  if (a.moe_layers() < a.layers) width = 3.0 * a.intermediate / tensor;
  if (a.experts > 0) {
    const double sliced = 3.0 * a.moe_intermediate / p.parallel.stage_gpus();
    const double routed = p.parallel.data * a.experts_per_token * (sliced + a.hidden) +
                          3.0 * a.shared_intermediate / tensor;
    width = std::max(width, routed);
  }
  const double logits = std::min<double>(p.max_num_seqs, tokens) * a.vocab;
  return std::max(tokens * (3.0 * a.hidden + width) * kHalf,
                  tokens * a.hidden * kHalf + logits * p.engine.sampler_bytes_per_logit);
}

/// What SGLang leaves free by its own rule (_handle_gpu_memory_settings of server_args.py, 0.5).
double reserved_bytes(const Placement& p) {
  constexpr double kLargeGpu = 60.0 * 1024 * 1024 * 1024;
  constexpr std::int32_t kLeastTokens = 2048;
  const MemoryReserve& reserve = p.engine.reserve;
  const double bytes =
      reserve.fixed_bytes +
      reserve.bytes_per_token * std::max(p.max_num_batched_tokens, kLeastTokens) +
      reserve.bytes_per_sequence * std::min(p.max_num_seqs, reserve.graph_sequences) +
      reserve.bytes_per_gpu * p.parallel.tensor * p.parallel.pipeline;
  return p.gpu.memory_bytes > kLargeGpu ? std::max(bytes, reserve.least_bytes) : bytes;
}

void check_utilization(const Placement& p) {
  const double utilization = memory_utilization(p);
  if (utilization > 0 && utilization <= 1) return;
  if (p.gpu_memory_utilization || !p.engine.reserve.any())
    throw PlacementError(
        fmt::format("gpu_memory_utilization is {}; expected over 0, at most 1", utilization));
  throw PlacementError(
      fmt::format("{} reserves {} for steps of {} tokens, all of the memory of {}; expected "
                  "gpu_memory_utilization, or fewer max_num_batched_tokens",
                  p.engine.name, format_quantity(reserved_bytes(p), Dimension::bytes),
                  p.max_num_batched_tokens, p.gpu.name));
}

/// Memory of the GPU less what the engine leaves free of it.
double available_bytes(const Placement& p, const MemoryPlan& plan) {
  const double memory = p.gpu.memory_bytes;
  switch (plan.utilization_of) {
    case UtilizationOf::memory:
      return plan.utilization * memory;
    case UtilizationOf::free_at_start:
      return memory - (1 - plan.utilization) * std::max(0.0, memory - plan.overhead_bytes);
    case UtilizationOf::free_at_peak:
      return memory - (1 - plan.utilization) * std::max(0.0, memory - plan.used_bytes());
  }
  return 0;
}

std::string size(double value) {
  return format_quantity(value, Dimension::bytes);
}

/// What the available memory is, in words.
std::string available_text(const MemoryPlan& plan) {
  const std::string rest = format_quantity(1 - plan.utilization, Dimension::fraction);
  switch (plan.utilization_of) {
    case UtilizationOf::memory:
      return "gpu_memory_utilization of the GPU's memory";
    case UtilizationOf::free_at_start:
      return "all but " + rest + " of what is free at the start";
    case UtilizationOf::free_at_peak:
      return "all but " + rest + " of what is free at the peak";
  }
  return "";
}

}  // namespace

double memory_utilization(const Placement& p) {
  constexpr double kUsual = 0.9, kThousandths = 1000;
  if (p.gpu_memory_utilization) return *p.gpu_memory_utilization;
  if (!p.engine.reserve.any()) return kUsual;
  const double share = 1 - reserved_bytes(p) / p.gpu.memory_bytes;
  return std::round(share * kThousandths) / kThousandths;
}

NumberFormat compute_format(const Placement& placement) {
  if (placement.precision.activations) return *placement.precision.activations;
  const NumberFormat format = default_activations(placement.precision.weights);
  return placement.gpu.flops(format) > 0 ? format : NumberFormat::bf16;
}

std::int64_t most_in_graphs(const Placement& placement) {
  const std::int64_t most = placement.engine.graph_tokens;
  return most > 0 ? std::min(most, 2 * std::int64_t{placement.max_num_seqs})
                  : std::numeric_limits<std::int64_t>::max();
}

void check_placement(const Placement& p) {
  check_architecture(p.architecture, p.architecture.name);
  const struct {
    const char* name;
    std::int32_t value;
  } counts[] = {{"tensor", p.parallel.tensor},
                {"pipeline", p.parallel.pipeline},
                {"expert", p.parallel.expert},
                {"data", p.parallel.data},
                {"block_tokens", p.block_tokens},
                {"max_num_seqs", p.max_num_seqs},
                {"max_num_batched_tokens", p.max_num_batched_tokens}};
  for (const auto& count : counts) {
    if (count.value < 1) {
      throw PlacementError(fmt::format("{} is {}; expected at least 1", count.name, count.value));
    }
  }
  check_utilization(p);
  const std::int64_t gpus = std::int64_t{p.parallel.tensor} * p.parallel.pipeline * p.parallel.data;
  if (gpus > p.gpu.gpus_per_node && !(p.gpu.network_bytes_per_second > 0)) {
    throw PlacementError(
        fmt::format("a replica over {} GPUs does not fit into a node of {} {}, and no network "
                    "between such nodes is known; expected tensor · pipeline · data of at most {}",
                    gpus, p.gpu.gpus_per_node, p.gpu.name, p.gpu.gpus_per_node));
  }
  lay_out(p.parallel, p.gpu.gpus_per_node);
  if (p.parallel.pipeline > p.architecture.layers) {
    throw PlacementError(fmt::format(
        "{} pipeline stages for the {} layers of {}; expected at most {}", p.parallel.pipeline,
        p.architecture.layers, p.architecture.name, p.architecture.layers));
  }
  if (!(p.gpu.memory_bytes > 0 && p.gpu.hbm_bytes_per_second > 0)) {
    throw PlacementError(fmt::format("{} has no memory or no bandwidth", p.gpu.name));
  }
  if (gpus > 1 && !(p.gpu.link_bytes_per_second() > 0)) {
    throw PlacementError(fmt::format("{} has no links; expected one GPU a replica", p.gpu.name));
  }
  check_tensor_split(p);
  check_expert_split(p);
  check_formats(p);
  check_sparsity(p);
}

MemoryPlan plan_memory(const Placement& placement) {
  check_placement(placement);
  const Architecture& a = placement.architecture;
  const Parallel& parallel = placement.parallel;
  MemoryPlan plan;
  plan.utilization = memory_utilization(placement);
  plan.utilization_of = placement.engine.utilization_of;
  plan.weight_bytes = fullest_weights(placement);
  plan.activation_bytes = peak_activations(placement);
  plan.overhead_bytes = placement.engine.memory_overhead_bytes;
  if (parallel.gpus() > 1) {
    plan.overhead_bytes += placement.gpu.nvlink_bytes_per_second > 0
                               ? placement.engine.communication_overhead_bytes
                               : placement.engine.pcie_communication_overhead_bytes;
  }
  plan.available_bytes = available_bytes(placement, plan);
  plan.kv_bytes = plan.available_bytes - plan.used_bytes();
  plan.kv_bytes_per_token = rounded_up_share(a.layers, parallel.pipeline) *
                            kv_elements_per_layer(a, parallel.tensor) *
                            bytes(placement.precision.kv);
  const double blocks = plan.kv_bytes / (plan.kv_bytes_per_token * placement.block_tokens);
  plan.kv_blocks =
      parallel.data * static_cast<std::int64_t>(std::clamp(std::floor(blocks), 0.0, 1e12));
  return plan;
}

std::string explain(const MemoryPlan& plan) {
  std::string text = fmt::format(
      "available     {:>9}  {}\n"
      "weights       {:>9}\n"
      "activations   {:>9}  peak of the largest step{}\n"
      "overhead      {:>9}  engine, communication\n",
      size(plan.available_bytes), available_text(plan), size(plan.weight_bytes),
      size(plan.activation_bytes),
      plan.utilization_of == UtilizationOf::free_at_start ? ", in the rest" : "",
      size(plan.overhead_bytes));
  if (plan.fits()) {
    text += fmt::format("KV cache      {:>9}  {} blocks, {} a token\n", size(plan.kv_bytes),
                        plan.kv_blocks, size(plan.kv_bytes_per_token));
  } else {
    text += fmt::format("does not fit: {}\n", explain_sum(plan));
  }
  return text;
}

std::string explain_sum(const MemoryPlan& plan) {
  const double used = plan.used_bytes();
  const std::string activations = plan.utilization_of == UtilizationOf::free_at_start
                                      ? ""
                                      : " + activations " + size(plan.activation_bytes);
  const std::string sum = fmt::format("weights {}{} + overhead {} = {}", size(plan.weight_bytes),
                                      activations, size(plan.overhead_bytes), size(used));
  if (used > plan.available_bytes) {
    return fmt::format("{} > {} available", sum, size(plan.available_bytes));
  }
  if (!plan.fits()) {
    return fmt::format("{} of {} available, which leaves less than one KV block", sum,
                       size(plan.available_bytes));
  }
  return fmt::format("{} + KV cache {} = {} available", sum, size(plan.kv_bytes),
                     size(plan.available_bytes));
}

}  // namespace headway
