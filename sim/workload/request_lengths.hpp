// The bodies of a class's requests: token counts, contents and size, by the request's number.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/workload/prefix_groups.hpp"
#include "sim/workload/sampler.hpp"
#include "sim/workload/source.hpp"

namespace headway {

/// The nearest whole number of tokens in [1, 2^31 − 1].
std::int32_t whole_tokens(double sample);

/// The length laws of one class. Each quantity has its stream: giving a class one law more shifts
/// no other's samples. Immutable; safe to share between threads.
class RequestLengths {
 public:
  /// `entity` is the class's index: it keys the draws.
  RequestLengths(const WorkloadClass& workload_class, std::uint64_t seed, std::uint32_t entity);
  /// Overwrites what the class has a law for, leaving the rest as it is (as a trace gave it, or 1).
  void apply(std::uint64_t request, RequestBody& body) const;
  /// True when the class has a law of its own for input, and for output tokens.
  bool gives_input() const { return input_.has_value(); }
  bool gives_output() const { return output_.has_value(); }

 private:
  std::optional<Sampler> input_, output_, bytes_;
  std::optional<PrefixGroups> groups_;
  Draw input_draw_, output_draw_, bytes_draw_;
};

}  // namespace headway
