#include "calibration/cuda/attention_reference.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

std::vector<double> attention_reference(const std::vector<float>& query,
                                        const std::vector<float>& keys,
                                        const std::vector<float>& values) {
  const std::size_t dim = query.size();
  std::vector<double> weights;
  double peak = -1e300, total = 0;
  for (std::size_t key = 0; key < keys.size(); key += dim) {
    double score = 0;
    for (std::size_t i = 0; i < dim; ++i)
      score += static_cast<double>(query[i]) * static_cast<double>(keys[key + i]);
    weights.push_back(score / std::sqrt(static_cast<double>(dim)));
    peak = std::max(peak, weights.back());
  }
  std::vector<double> sums(dim);
  for (std::size_t key = 0; key < weights.size(); ++key) {
    const double weight = std::exp(weights[key] - peak);
    total += weight;
    for (std::size_t i = 0; i < dim; ++i)
      sums[i] += weight * static_cast<double>(values[key * dim + i]);
  }
  for (double& sum : sums) sum /= total;
  return sums;
}

}  // namespace headway
