// The measured times of the operators of one placement, where a profile has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/kernel_profiles.hpp"
#include "models/operators.hpp"
#include "models/placement.hpp"

namespace headway {

/// Finds the times of operators in the profiles of a GPU. Holds references: the placement and the
/// profiles have to outlive it.
class OperatorTimes {
 public:
  OperatorTimes(const Placement& placement, const KernelProfiles& profiles)
      : placement_(placement), profiles_(profiles) {}

  /// The times of `op`, whose shape but for the tokens stays; nothing where the roofline has to do.
  std::optional<ShapeTimes> find(const Operator& op) const;

  /// The same in steps that no CUDA graph holds; nothing where that takes no other time.
  std::optional<ShapeTimes> find_eager(const Operator& op) const;

  /// Where on the axis of those times `op` of so many tokens stands: at the tokens (sequences, of
  /// the sampler), or at the bytes that it moves.
  static double coordinate(const Placement& placement, const Operator& op, std::int64_t tokens);

 private:
  ExpertShape expert_shape() const;
  std::optional<ShapeTimes> experts() const;
  std::optional<ShapeTimes> elementwise(std::string_view name) const;
  std::optional<ShapeTimes> collective(const char* op, std::int64_t group) const;

  const Placement& placement_;
  const KernelProfiles& profiles_;
};

}  // namespace headway
