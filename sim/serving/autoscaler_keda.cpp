#include <algorithm>

#include "sim/serving/autoscaler.hpp"
#include "sim/serving/scaling_limits.hpp"

namespace headway {
namespace {

class KedaAutoscaler final : public ScalingPolicy {
 public:
  explicit KedaAutoscaler(const Autoscaler& settings)
      : settings_(settings), limits_(settings.up, settings.down) {}

  std::int32_t wanted(const PoolObservation& seen) override {
    const std::int32_t least = least_replicas(settings_, seen.now);
    if (seen.now >= next_activation_) {
      next_activation_ = time_after(seen.now, to_picoseconds(settings_.activation_poll_seconds));
      if (is_active(seen)) {
        last_active_ = seen.now;
        if (seen.wanted == 0) return std::max(least, 1);
      } else if (least == 0 && seen.wanted > 0 &&
                 seen.now - last_active_ >= to_picoseconds(settings_.cool_down_seconds)) {
        return 0;
      }
    }
    if (seen.wanted == 0) return least;
    const std::int32_t within = std::clamp(seen.wanted, std::max(least, 1), settings_.max);
    if (within != seen.wanted) {
      limits_.changed(seen.now, seen.wanted, within);
      return within;
    }
    return limits_.allow(seen.now, seen.wanted, largest_wish(seen), std::max(least, 1),
                         settings_.max);
  }

 private:
  /// What the scaler of a target reports: nothing measured is 0.
  double reported(const PoolObservation& seen, std::size_t target) const {
    const double measured = seen.values[target].value_or(0);
    return counts_held(settings_.targets[target].metric) ? measured + static_cast<double>(seen.held)
                                                         : measured;
  }

  bool is_active(const PoolObservation& seen) const {
    for (std::size_t i = 0; i < settings_.targets.size(); ++i)
      if (reported(seen, i) > settings_.targets[i].activation) return true;
    return false;
  }

  std::int32_t largest_wish(const PoolObservation& seen) const {
    std::int32_t largest = 0;
    for (std::size_t i = 0; i < settings_.targets.size(); ++i) {
      const bool average = is_per_replica(settings_.targets[i].metric);
      const double over_target = reported(seen, i) / settings_.targets[i].value;
      // An average is taken over all replicas that exist, starting ones too; a value of the pool
      // tells by how much those that are ready fall short.
      const double ratio =
          average ? over_target / std::max(1, seen.ready + seen.starting) : over_target;
      const bool tolerated = is_on_target(ratio, settings_.tolerance);
      largest = std::max(largest, tolerated ? seen.wanted
                                  : average ? whole_replicas(over_target)
                                            : whole_replicas(over_target * seen.ready));
    }
    return largest;
  }

  const Autoscaler& settings_;
  ScalingLimits limits_;
  Time next_activation_ = 0;
  Time last_active_ = 0;
};

}  // namespace

std::unique_ptr<ScalingPolicy> make_keda_autoscaler(const Autoscaler& settings) {
  return std::make_unique<KedaAutoscaler>(settings);
}

}  // namespace headway
