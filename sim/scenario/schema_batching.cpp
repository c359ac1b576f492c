// How a replica forms batches.
#include <algorithm>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/schema_parts.hpp"

namespace headway {
namespace {

constexpr double kLargestBatch = 1e6;
constexpr double kLongestHold = 1e6;  // steps

/// A member of the one-of: naming it chooses the kind.
Field kind_of_batching(std::string key, Batching::Kind kind, SchemaPtr schema, std::string help) {
  return bound<Batching>(
      std::move(key),
      [kind](Batching& batching) {
        batching.kind = kind;
        return &batching;
      },
      std::move(schema), std::move(help));
}

void finish_dynamic(const Target& target, const Node& node, const Document& document) {
  const Batching& batching = *std::any_cast<Batching*>(target);
  const auto& sizes = batching.preferred_sizes;
  if (sizes.empty()) return;
  const Position& at = node.find("preferred_sizes")->at;
  if (std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) != sizes.end())
    document.fail(at, "preferred_sizes do not ascend; expected each above the one before");
  if (sizes.back() > batching.max_size)
    document.fail(at, "a preferred size is above max_size (" + std::to_string(sizes.back()) +
                          " > " + std::to_string(batching.max_size) + ")");
}

SchemaPtr static_schema() {
  return record(
      {field("size", &Batching::size, whole_number(1, kLargestBatch),
             "A batch starts when this many requests wait …")
           .needed(),
       field("timeout", &Batching::timeout_seconds, number(Dimension::time, 0, kLongestSeconds),
             "… or when the front one has waited this long.")
           .otherwise("1 s")});
}

SchemaPtr dynamic_schema() {
  const std::string triton = "Triton model configuration, dynamic_batching";
  return record(
      {field("max_size", &Batching::max_size, whole_number(1, kLargestBatch), "Largest batch.")
           .needed()
           .from("Triton model configuration, max_batch_size"),
       field("preferred_sizes", &Batching::preferred_sizes,
             list<std::int32_t>(whole_number(1, kLargestBatch), 1),
             "Sizes that start at once, ascending.")
           .otherwise_in_words("the largest batch alone")
           .from(triton),
       field("max_queue_delay", &Batching::max_queue_delay_seconds,
             number(Dimension::time, 0, kLongestSeconds),
             "How long the front request waits for a preferred size.")
           .otherwise("0 s")
           .from(triton)},
      finish_dynamic);
}

SchemaPtr continuous_schema() {
  const std::string balance = "TensorRT-LLM attention_dp_config with enable_balance, ";
  return record(
      {field("max_num_seqs", &Batching::max_num_seqs, whole_number(1, kLargestBatch),
             "Sequences in a step at most.")
           .otherwise("256")
           .from("vLLM --max-num-seqs"),
       field("max_num_batched_tokens", &Batching::max_num_batched_tokens, whole_number(1, 1e8),
             "Tokens in a step at most, of a pipeline in each of its micro-batches; at least "
             "max_num_seqs.")
           .otherwise("8192")
           .from("vLLM --max-num-batched-tokens"),
       field("chunked_prefill", &Batching::chunked_prefill, boolean(),
             "Prompts may be split over steps; without it max_num_batched_tokens must be at least "
             "max_model_len.")
           .otherwise("true")
           .from("vLLM --enable-chunked-prefill"),
       field("long_prefill_token_threshold", &Batching::long_prefill_token_threshold,
             whole_number(0, 1e8), "Longest chunk of a prompt in one step, 0 = no limit.")
           .otherwise("0")
           .from("vLLM --long-prefill-token-threshold"),
       field("batch_wait_timeout_iters", &Batching::batch_wait_timeout_iters,
             whole_number(0, kLongestHold),
             "While sequences decode, waiting prompts are held back in this many steps at most, so "
             "that they are computed together; 0 = let in at once. A step counts in which the "
             "first of them could come in; a prompt that was begun goes on.")
           .otherwise("0")
           .from("TensorRT-LLM batch_wait_timeout_iters"),
       field("batch_wait_max_tokens_ratio", &Batching::batch_wait_max_tokens_ratio,
             number(Dimension::fraction, 0, 1),
             "They are let in earlier in a step that would have this share of "
             "max_num_batched_tokens: one for each sequence that decodes, and all of the prompts "
             "in order of arrival, as many as have free slots and, without chunked_prefill, fit; "
             "0 = let in at once.")
           .otherwise("0")
           .from("TensorRT-LLM batch_wait_max_tokens_ratio"),
       field("attention_dp_timeout_iters", &Batching::attention_dp_timeout_iters,
             whole_number(0, kLongestHold),
             "Data-parallel ranks: while every rank decodes, waiting prompts are held back until "
             "as many wait as there are ranks, but for each step of this number since they did or "
             "some were let in, counted whether anybody waits or not.")
           .otherwise_in_words("50 where attention_dp_batching_wait_iters is given, else prompts "
                               "are not held")
           .from(balance + "timeout_iters"),
       field("attention_dp_batching_wait_iters", &Batching::attention_dp_batching_wait_iters,
             whole_number(0, kLongestHold),
             "Data-parallel ranks: steps for which prompts are held back once every rank has one.")
           .otherwise_in_words("10 where attention_dp_timeout_iters is given, else prompts are not "
                               "held")
           .from(balance + "batching_wait_iters")});
}

}  // namespace

SchemaPtr batching_schema() {
  using Kind = Batching::Kind;
  return one_of(
      {kind_of_batching("none", Kind::none, record({}), "One request at a time."),
       kind_of_batching("static", Kind::fixed, static_schema(),
                        "Wait for a full batch or a time-out; the batch ends as a whole."),
       kind_of_batching("dynamic", Kind::dynamic, dynamic_schema(),
                        "Whatever waits, up to a maximum, after a bounded delay; the batch ends "
                        "as a whole."),
       kind_of_batching("continuous", Kind::continuous, continuous_schema(),
                        "Requests join and leave at every step, in the order of vLLM's V1 "
                        "scheduler. LLM pools only.")});
}

}  // namespace headway
