#include <bit>

#include "sim/serving/router.hpp"

namespace headway {
namespace {

/// A tree of sums of weights: a change walks up one path, a draw walks down one.
class WeightedRouter final : public Router {
 public:
  explicit WeightedRouter(const RouterSet& set)
      : first_(set.replicas.front()),
        leaves_(std::bit_ceil(set.replicas.back() - first_ + 1)),
        weights_(leaves_, 0),
        sums_(2 * leaves_, 0) {
    for (std::size_t i = 0; i < set.replicas.size(); ++i)
      weights_[set.replicas[i] - first_] = set.weights[i];
  }
  std::uint32_t pick(const FleetState&, const Draw& draw, const RoutedRequest& request) override {
    if (sums_[1] == 0) return kNobody;
    double at = draw.uniform(request.number) * sums_[1];
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      // Rounding must not lead to a side where nobody is.
      if (sums_[node] > 0 && (at < sums_[node] || sums_[node + 1] == 0)) continue;
      at -= sums_[node];
      ++node;
    }
    return first_ + static_cast<std::uint32_t>(node - leaves_);
  }
  void on_available(std::uint32_t replica, bool available) override {
    std::size_t node = leaves_ + (replica - first_);
    sums_[node] = available ? weights_[replica - first_] : 0;
    // Always the sum of the two below: the sums do not go by the history.
    for (node /= 2; node >= 1; node /= 2) sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
  }

 private:
  const std::uint32_t first_;
  const std::size_t leaves_;
  std::vector<double> weights_, sums_;
};

}  // namespace

std::unique_ptr<Router> make_weighted_router(const RouterSet& set) {
  return std::make_unique<WeightedRouter>(set);
}

}  // namespace headway
