// What one engine step costs: seconds (and the resource that was the limit) from the step's batch.
#pragma once

#include <cstdint>
#include <memory>

#include "models/units.hpp"

namespace headway {

/// One engine step as integer aggregates over its batch. Costs are functions of these integers
/// only, so that fast and reference stepping get the same picoseconds, bit for bit.
struct StepShape {
  std::int64_t prefill_tokens = 0;  // Σ over prefill chunks of the chunk's length
  std::int64_t prefill_pairs = 0;  // Σ over prefill chunks of (query, key) pairs: c·p + c·(c+1)/2,
                                   // c the chunk's length, p the tokens before it
  std::int32_t prefill_sequences = 0;  // prefill chunks in the step
  std::int32_t decode_sequences = 0;   // sequences that decode one token
  std::int64_t decode_context =
      0;  // Σ over decode sequences of keys read, the new token's included
  std::int64_t decode_context_longest = 0;  // the longest of those contexts; 0: none decodes
  std::int32_t sampled = 0;  // sequences that sample a token: decodes and finished prefills

  std::int64_t tokens() const { return prefill_tokens + decode_sequences; }
};

/// Picoseconds of a step's time on the GPU by where the figures come from; see TimeSource. All 0
/// where the step cost is stated coefficients. `outside` is the part of any source for shapes
/// beyond those measured.
struct StepSources {
  Picoseconds profile = 0, interpolation = 0, roofline = 0;
  Picoseconds outside = 0;
};

/// Picoseconds of a step by what was the limit while they passed. The sum of the four is the step's
/// duration.
struct StepLimits {
  Picoseconds compute = 0;           // arithmetic units
  Picoseconds memory_bandwidth = 0;  // HBM traffic: weights, KV cache
  Picoseconds network = 0;           // collectives between GPUs
  Picoseconds host = 0;              // engine overhead on the CPU, kernel launches
  StepSources sources;

  /// The step's duration.
  Picoseconds total() const { return compute + memory_bandwidth + network + host; }

  /// Sums and products stay at kEndOfTime when they would pass it.
  StepLimits& operator+=(const StepLimits& other);
  StepLimits operator*(std::int64_t count) const;
};

/// Duration of engine steps. Immutable once made; safe to share between threads.
class StepCost {
 public:
  virtual ~StepCost() = default;

  /// Duration of one step; at least 1 ps.
  virtual Picoseconds step(const StepShape& shape) const = 0;

  /// Durations of `count` consecutive pure-decode steps of `sequences` sequences whose contexts sum
  /// to `context` in the first step, the longest of them being `longest`, and grow by one token
  /// each a step. durations[i] must equal step({.decode_sequences = sequences,
  /// .decode_context = context + i·sequences, .decode_context_longest = longest + i,
  /// .sampled = sequences}). The default loops over step().
  virtual void decode_steps(std::int32_t sequences, std::int64_t context, std::int64_t longest,
                            int count, Picoseconds* durations) const;

  /// What limited the step; the parts sum to step(shape).
  virtual StepLimits limits(const StepShape& shape) const = 0;

  /// Name of the source for reports: "roofline", "linear", "profile …".
  virtual const char* source() const = 0;
};

/// A step cost that is linear in the aggregates: for engines described by a handful of measured
/// coefficients, and for benchmarks.
struct LinearStepCost {
  double base_seconds = 0;               // every step
  double seconds_per_token = 0;          // × tokens (prefill and decode)
  double seconds_per_context_token = 0;  // × decode_context
  double seconds_per_prefill_pair = 0;   // × prefill_pairs
};

/// Computed in integer picoseconds ×2^-20: coefficients are rounded once, here. Throws ModelError
/// for a coefficient that is negative, NaN or over 8 s. A step lasts ten days at most.
std::unique_ptr<StepCost> make_linear_cost(const LinearStepCost& coefficients);

}  // namespace headway
