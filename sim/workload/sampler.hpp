// Samples of the laws that scenarios name, from keyed draws.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// A law made ready to sample: constants folded in once, one switch a sample.
class Sampler {
 public:
  Sampler() = default;
  explicit Sampler(const Distribution& law);
  /// The sample with this index of these draws, clamped into the law's [min, max].
  double operator()(const Draw& draw, std::uint64_t index) const;

 private:
  Distribution law_;
  std::vector<double> cumulative_;  // histogram: normalised cumulative weights
};

}  // namespace headway
