// When a continuous batcher holds prompts back, so that they are computed together: TensorRT-LLM's
// two rules.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// Asked once in each step in which waiting prompts may be let in; counts the steps in which it
/// held them. The rules are those of TensorRT-LLM's PyTorch executor (_waiting_requests and
/// _balance_adp_requests of py_executor.py, 1.0).
///
/// Without data-parallel ranks (batch_wait_timeout_iters N > 0 and batch_wait_max_tokens_ratio
/// r > 0; it is off where either is 0): where there are sequences to decode, prompts are held until
/// they have been held in N steps, or the step would have r · max_num_batched_tokens tokens.
///
/// Of data-parallel ranks (attention_dp_timeout_iters T, attention_dp_batching_wait_iters W): where
/// every rank decodes, prompts are held while fewer wait than there are ranks, but for each T-th
/// step since there were enough or some were let in, counted whether anybody waits or not; once
/// there is one for every rank, they are held in W steps more. Ranks are evenly filled: each
/// decodes where as many sequences as there are ranks do.
class PromptHold {
 public:
  /// A step that is being planned.
  struct Step {
    std::int32_t decodes = 0;  // sequences that decode in it
    std::int64_t prompts = 0;  // that wait and have free slots; 0 where the first cannot come in
    std::int64_t tokens = 0;   // of these prompts, and of all that is in the step already
  };

  explicit PromptHold(const Pool& pool);

  /// Whether the pool has such a rule; if not, nothing needs to be asked.
  bool on() const { return rule_ != Rule::none; }
  /// Tokens of a step that are enough to let prompts in: beyond them the rule need not know how
  /// many there are. 0 where tokens do not matter.
  std::int64_t enough_tokens() const { return enough_tokens_; }

  /// Whether the prompts that wait are let into the step.
  bool lets_in(const Step& step);
  /// Steps, that which was asked about among them, that have the same answer if the same prompts
  /// wait in them and the same sequences decode: at least 1.
  std::int64_t alike() const;
  /// So many steps followed that were like the one asked about, without being asked about: fewer
  /// than alike().
  void pass(std::int64_t steps);

 private:
  enum class Rule : std::uint8_t { none, tokens, ranks };
  enum class Counts : std::uint8_t { nothing, held, held_together, around };  // in the last step

  bool by_tokens(const Step& step);
  bool by_ranks(const Step& step);

  Rule rule_ = Rule::none;
  Counts counts_ = Counts::nothing;
  std::int32_t ranks_ = 1;
  std::int64_t timeout_ = 0;        // N or T
  std::int64_t together_ = 0;       // W
  std::int64_t enough_tokens_ = 0;  // r · max_num_batched_tokens, rounded up
  std::int64_t held_ = 0;           // steps held, below timeout_
  std::int64_t held_together_ = 0;  // steps held with a prompt for every rank
};

}  // namespace headway
