// Samples of the laws that scenarios name, from keyed draws.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// A law made ready to sample: constants folded in once, one switch a sample. All laws but gamma
/// invert their distribution function: one draw a sample, and a larger draw is a larger sample
/// (the exponential: a smaller one).
class Sampler {
 public:
  /// Always 0.
  Sampler() = default;
  explicit Sampler(const Distribution& law);
  /// The sample with this index of these draws, clamped into the law's [min, max]. Never NaN.
  double operator()(const Draw& draw, std::uint64_t index) const;

 private:
  double raw(const Draw& draw, std::uint64_t index) const;
  double gamma(const Draw& draw, std::uint64_t index) const;
  double histogram(double u) const;

  Distribution law_;
  std::vector<double> cumulative_;  // histogram: normalised cumulative weights; the last is 1
  std::vector<std::uint32_t>
      guide_;  // histogram: the first bin that may hold u in [i, i + 1) / size
  // gamma, in the names of Marsaglia and Tsang: d = shape − 1/3, c = 1/√(9d).
  double d_ = 0, c_ = 0;
  double scale_ = 0;           // gamma: mean / shape
  double boost_exponent_ = 0;  // gamma: 1 / shape where the shape is below 1, else 0
};

}  // namespace headway
