// A pipeline: what one of the micro-batches in flight has of a step.
#pragma once

#include <cstdint>

#include "models/step_cost.hpp"

namespace headway {

/// The micro-batches of a step of a pipeline.
struct MicroBatches {
  std::int64_t count = 1;  // in flight at the same time, 1 to as many as there are stages
  StepShape fullest;       // what the fullest of them holds
  double drain = 0;        // by how much of its time on all stages the last piece of a prompt that
                           // several of them carry follows the first
};

/// A step is one round of a pipeline with `stages` stages, in which every running sequence passes
/// all of them once, in one of at most as many micro-batches (vLLM keeps up to
/// pipeline_parallel_size batches in flight, each with its own scheduler step and its own
/// max_num_batched_tokens, here `most_tokens`; a sequence is in one of them at a time, but for the
/// chunks of a prompt). Sequences and prompt chunks are spread evenly, rounded up; chunks are taken
/// as equal, and one longer than `most_tokens` goes in full pieces and a rest, one behind the
/// other.
///
/// The drain of such pieces is idle time only where nothing follows: a step whose tokens fill every
/// micro-batch has more behind it.
MicroBatches micro_batches(const StepShape& step, std::int32_t stages, std::int64_t most_tokens);

/// Time of a round: the fullest micro-batch passes all stages, the drain included; no stage is
/// faster than its own work for all micro-batches. vLLM gives every stage layers / stages of the
/// layers, rounded down, and one of the rest to the stages before the last, which has the LM head
/// (get_pp_indices). `layers_seconds` is the fullest micro-batch's time on all layers,
/// `head_seconds` that on the LM head, `stage_seconds` what every stage adds (the engine's own part
/// of a step on the device).
double round_seconds(const MicroBatches& batches, std::int32_t stages, std::int32_t layers,
                     double layers_seconds, double head_seconds, double stage_seconds);

}  // namespace headway
