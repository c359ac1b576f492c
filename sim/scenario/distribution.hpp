// Laws of quantities that a scenario draws.
#pragma once

#include <vector>

namespace headway {

/// A law for a non-negative quantity: tokens, or seconds.
struct Distribution {
  enum class Kind { fixed, uniform, normal, lognormal, exponential, gamma, histogram };
  struct Bin {
    double low = 0, high = 0;  // uniform within [low, high]
    double weight = 0;         // > 0, not normalised
  };
  Kind kind = Kind::fixed;
  double a = 0;  // fixed: value; uniform: low; normal: mean; lognormal: mu of the logarithm;
                 // exponential: mean; gamma: mean
  double b = 0;  // uniform: high; normal: standard deviation; lognormal: sigma; gamma: coefficient
                 // of variation (> 0)
  std::vector<Bin> bins;  // histogram
  double min = 0;         // samples are clamped into [min, max]
  double max = 1e18;
};

/// Mean of the law before clamping.
double distribution_mean(const Distribution& law);

}  // namespace headway
