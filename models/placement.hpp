// A model placed on GPUs by an engine: what fits in memory, and the KV blocks that remain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/architecture.hpp"
#include "models/engine.hpp"
#include "models/hardware.hpp"
#include "models/precision.hpp"
#include "models/step_cost.hpp"

namespace headway {

/// How a replica is split over GPUs.
struct Parallel {
  std::int32_t tensor = 1;    // GPUs that share every layer's heads and columns
  std::int32_t pipeline = 1;  // stages that share the layers out
  std::int32_t expert = 1;    // 1: every expert is sliced over the stage's GPUs; else as many GPUs
                              // as the stage has, which hold whole experts
  std::int32_t data = 1;      // ranks of tensor GPUs, each with sequences of its own and all of
                              // attention, dense layers and LM head; experts over all of them

  std::int32_t stage_gpus() const { return tensor * data; }
  std::int32_t gpus() const { return stage_gpus() * pipeline; }
};

struct Placement {
  Architecture architecture;
  Gpu gpu;
  Engine engine;
  Precision precision;
  Parallel parallel;
  std::optional<double> gpu_memory_utilization;  // absent: the engine's default
  std::int32_t block_tokens = 16;
  std::int32_t max_num_seqs = 256;             // of a data-parallel rank
  std::int32_t max_num_batched_tokens = 8192;  // of a rank's micro-batch

  /// The engine schedules a step while the one before it runs, so that who comes meanwhile waits
  /// for the next. In a pipeline arrivals join the micro-batch that leaves next.
  bool schedules_ahead() const { return engine.asynchronous && parallel.pipeline == 1; }
};

/// Throws PlacementError, with what was expected, for a placement that no engine can run: heads, KV
/// heads or widths that the tensor size does not divide, more pipeline stages than layers, experts
/// split otherwise than over a stage's GPUs, data-parallel ranks of a model without experts (they
/// would be replicas), a replica larger than a node of GPUs without a network between nodes, a
/// stage that straddles nodes (models/node_layout.hpp), a format that the GPU cannot multiply, 2:4
/// sparse weights that it cannot skip or that are weight-only, experts' or latent attention's, a
/// utilization outside (0, 1], limits below 1. Everything below calls it first.
void check_placement(const Placement& placement);

/// Tokens of the largest step that the engine's CUDA graphs hold, at most twice max_num_seqs; the
/// largest number there is where that is not known of the engine.
std::int64_t most_in_graphs(const Placement& placement);

/// What the matrix units multiply: the precision's activations; where none are given, the format
/// that goes with the weights if the GPU multiplies it, else bf16 by weight-only kernels, as
/// engines do.
NumberFormat compute_format(const Placement& placement);

/// gpu_memory_utilization, or the engine's default: 0.9, or what its reserve (MemoryReserve) leaves
/// of the GPU's memory, rounded to thousandths; 0 or less where it leaves nothing.
double memory_utilization(const Placement& placement);

/// Bytes on the fullest GPU of a replica. The sum of the parts is available_bytes.
struct MemoryPlan {
  double utilization = 0;  // as memory_utilization() has it
  UtilizationOf utilization_of = UtilizationOf::memory;
  double available_bytes = 0;  // memory of the GPU less what utilization leaves free
  double weight_bytes = 0;
  double activation_bytes = 0;    // peak of the largest step; of free_at_start within what is left
                                  // free, and no part of the sum
  double overhead_bytes = 0;      // the engine's own beside its tensors, communication buffers
  double kv_bytes = 0;            // what remains for KV blocks; ≤ 0: the model does not fit
  double kv_bytes_per_token = 0;  // of one token, on this GPU
  std::int64_t kv_blocks = 0;     // per replica: over all its data-parallel ranks
  bool fits() const { return kv_blocks > 0; }
  /// The sum of the parts but the KV blocks.
  double used_bytes() const {
    const bool apart = utilization_of == UtilizationOf::free_at_start;
    return weight_bytes + (apart ? 0 : activation_bytes) + overhead_bytes;
  }
};

/// KV blocks take what gpu_memory_utilization u leaves of the GPU's memory M beside weights W,
/// activations A and the engine's own O, by the engine's sum (UtilizationOf): u · M − W − A − O
/// (vLLM), u · (M − O) − W (SGLang), u · (M − W − A − O) (TensorRT-LLM).
///
/// Weights: every tensor's share, rounded up to whole layers a pipeline stage; the first stage
/// holds the embedding, the last the LM head. Activations: the larger of the widest moment in a
/// layer of a step of max_num_batched_tokens, and of the sampler over max_num_seqs sequences, which
/// an engine runs before it sizes its cache. CUDA graphs lie outside the sum: vLLM captures them
/// after the cache is sized (until 0.20), into what gpu_memory_utilization leaves. KV blocks: every
/// layer keeps all tokens of a sequence, also layers with local attention, as an engine does whose
/// cache has no blocks of a kind for each (vLLM --disable-hybrid-kv-cache-manager). Throws
/// PlacementError.
MemoryPlan plan_memory(const Placement& placement);

/// The sum that plan_memory made, for people: one line a part.
std::string explain(const MemoryPlan& plan);

/// The sum in one line, for an error: "weights 141 GB + activations … = … > 76.4 GB available".
std::string explain_sum(const MemoryPlan& plan);

}  // namespace headway
