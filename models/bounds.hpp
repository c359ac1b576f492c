// What can be said about a replica without simulating it: the step times of plain batches, and a
// rate that no schedule exceeds.
#pragma once

#include <cstdint>
#include <vector>

#include "models/placement.hpp"
#include "models/step_cost.hpp"

namespace headway {

/// One decode step of a batch whose sequences all have the same context.
struct PlainBatch {
  std::int32_t sequences = 0;
  double step_seconds = 0;
  double tokens_per_second = 0;  // sequences / step_seconds
  bool fits = false;             // the contexts fit into the KV blocks and max_num_seqs
  StepLimits limits;
};

/// Batches of 1, 8, 32, 64, 128 and 256 sequences with `context` tokens each (at least 1).
std::vector<PlainBatch> plain_batches(const Placement& placement, const MemoryPlan& plan,
                                      const StepCost& cost, std::int64_t context);

/// The largest rate that a replica sustains, and what it takes.
struct ThroughputBound {
  double requests_per_second = 0;  // 0: a request does not fit into the KV blocks
  double output_tokens_per_second = 0;
  double step_seconds = 0;
  double sequences = 0;  // decoding at the same time, mean
  const char* limited_by =
      "";  // of the batch: "KV blocks", "max_num_seqs", "max_num_batched_tokens"
};

/// In the steady state of a saturated replica r requests finish in every step, so a step holds
/// r·(O − 1) decoding sequences with I + O/2 tokens of context on average, and r·I prompt
/// tokens with r·I·(I + 1)/2 pairs. r is the largest for which the contexts fit into the KV blocks,
/// the sequences into max_num_seqs and the tokens into max_num_batched_tokens; the bound is r /
/// t(step). An even mix is the cheapest: t is convex but for the launches that are paid once a
/// step, so uneven steps are no faster. (Where contexts of a step straddle an attention window, t
/// is concave instead, and steps of short contexts alone could be a little faster.) Lengths are
/// means; unequal lengths only lower the rate. `input_tokens` and `output_tokens` are at least 1.
/// Throws nothing; NaN counts as 1.
ThroughputBound throughput_bound(const Placement& placement, const MemoryPlan& plan,
                                 const StepCost& cost, double input_tokens, double output_tokens);

}  // namespace headway
