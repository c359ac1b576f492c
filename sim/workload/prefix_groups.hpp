// System prompts that many requests of a class begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// Which group's prompt a request, or a conversation, begins with. Immutable; safe to share between
/// threads.
class PrefixGroups {
 public:
  /// `entity` is the class's index: it keys the draws and the prompts.
  PrefixGroups(const SharedPrefix& prefix, std::uint64_t seed, std::uint32_t entity);
  /// The group, from 0, of the class's request with this number.
  std::int64_t group(std::uint64_t request) const;
  /// The group's prompt as the first part of a request of `input_tokens` tokens.
  Content::Part part(std::uint64_t request, std::int32_t input_tokens) const;

 private:
  const SharedPrefix prefix_;
  const std::uint32_t entity_;
  const Draw draw_;
  std::vector<double> cumulative_;  // of the groups' shares; empty: all alike
};

}  // namespace headway
