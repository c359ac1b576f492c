// What a measured row does not say of how it was run: from the source's own scripts, or an engine's
// default.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/precision.hpp"
#include "sim/validation/measured_table.hpp"

namespace headway {

/// Prompts that come again: `groups` of them in turn, alike in their first `tokens` tokens.
struct RecurringPrompts {
  std::int64_t groups = 0, tokens = 0;
};

struct Recipe {
  std::string model, gpu, engine;  // catalogue names
  NumberFormat weights = NumberFormat::bf16, kv = NumberFormat::bf16;
  std::optional<NumberFormat> activations;
  std::int32_t tensor = 1, pipeline = 1, expert = 1, data = 1;
  std::int32_t max_num_seqs = 0, max_num_batched_tokens = 0;
  bool chunked_prefill = true;
  std::int32_t batch_wait_timeout_iters = 0;  // and its ratio: 0 = prompts are not held back
  double batch_wait_max_tokens_ratio = 0;
  bool balance_ranks = false;      // attention_dp_config, by TensorRT-LLM's defaults
  std::int64_t max_model_len = 0;  // 0: the model's
  double gpu_memory_utilization = 0.9;
  bool reserve_all = false;           // no-evict admission
  std::int64_t requests = 0;          // in all
  double interval_cv = 0;             // of an open loop's intervals: 0 even, 1 exponential
  bool exact_number = false;          // its requests come at random times of its exact duration
  std::int64_t client_in_flight = 0;  // the client's cap on an open loop, 0 = none
  double shortest = 1;  // lengths lie between this share of the stated one and all of it, as likely
  std::optional<RecurringPrompts> prompts;
  // What one process takes to receive a request and to tokenise a token of its prompt, and the
  // prompts that it tokenises together; 0: as the engine's overhead.
  double receiving_seconds = 0, tokenizing_seconds = 0;
  std::int32_t tokenized_together = 1;
  std::string not_run;   // why the row cannot be run; empty: it can
  std::string unscored;  // why its errors do not count; empty: they do
};

/// The recipe of a row. What the row says itself is never overridden, but for the split of
/// InferenceX rows, whose tensor size counts the experts' split twice.
Recipe recipe_of(const MeasuredRow& row);

}  // namespace headway
