#include "sim/serving/prompt_hold.hpp"

#include <cmath>

namespace headway {

PromptHold::PromptHold(const Pool& pool) {
  const Batching& rules = pool.batching;
  ranks_ = pool.placement.parallel.data;
  if (ranks_ > 1 && rules.attention_dp_timeout_iters >= 0) {
    rule_ = Rule::ranks;
    timeout_ = rules.attention_dp_timeout_iters;
    together_ = rules.attention_dp_batching_wait_iters;
  } else if (ranks_ == 1 && rules.batch_wait_timeout_iters > 0 &&
             rules.batch_wait_max_tokens_ratio > 0) {
    rule_ = Rule::tokens;
    timeout_ = rules.batch_wait_timeout_iters;
    enough_tokens_ = static_cast<std::int64_t>(
        std::ceil(rules.batch_wait_max_tokens_ratio * rules.max_num_batched_tokens));
  }
}

bool PromptHold::lets_in(const Step& step) {
  counts_ = Counts::nothing;
  return rule_ == Rule::ranks ? by_ranks(step) : by_tokens(step);
}

bool PromptHold::by_tokens(const Step& step) {
  if (step.prompts == 0 || step.decodes == 0) return true;
  if (held_ >= timeout_ || step.tokens >= enough_tokens_) {
    held_ = 0;
    return true;
  }
  ++held_;
  counts_ = Counts::held;
  return false;
}

bool PromptHold::by_ranks(const Step& step) {
  const bool all_decode = step.decodes >= ranks_;
  if (step.prompts >= ranks_) {
    held_ = 0;
    if (!all_decode) return true;
    if (held_together_ >= together_) {
      held_together_ = 0;
      return true;
    }
    ++held_together_;
    counts_ = Counts::held_together;
    return false;
  }
  if (!all_decode) {
    held_ = 0;
    return true;
  }
  const bool nobody = step.prompts == 0;
  if (nobody) counts_ = Counts::around;
  if (++held_ >= timeout_) {
    held_ = 0;
    return true;
  }
  if (!nobody) counts_ = Counts::held;
  return false;
}

std::int64_t PromptHold::alike() const {
  switch (counts_) {
    case Counts::held:
      return timeout_ - held_ + (rule_ == Rule::tokens ? 1 : 0);
    case Counts::held_together:
      return together_ - held_together_ + 1;
    case Counts::nothing:
    case Counts::around:
      break;
  }
  return INT64_MAX;
}

void PromptHold::pass(std::int64_t steps) {
  if (counts_ == Counts::held) held_ += steps;
  if (counts_ == Counts::held_together) held_together_ += steps;
  if (counts_ == Counts::around) held_ = timeout_ > 0 ? (held_ + steps) % timeout_ : 0;
}

}  // namespace headway
