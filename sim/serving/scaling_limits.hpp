// How fast an HPA lets the number of replicas change: stabilisation windows and scaling policies.
#pragma once

#include <cstdint>
#include <deque>

#include "models/units.hpp"
#include "sim/scenario/lifecycle.hpp"

namespace headway {

/// The `behavior` of a HorizontalPodAutoscaler, with the wishes and changes that it remembers.
/// (kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale,
/// #configurable-scaling-behavior.)
class ScalingLimits {
 public:
  /// The directions outlive it.
  ScalingLimits(const Autoscaler::Direction& up, const Autoscaler::Direction& down)
      : up_(up), down_(down) {}

  /// The number that the wish for `wish` leads to now, within [min, max], and at most as far from
  /// `current` as the policies let it; the wish and the change are remembered.
  std::int32_t allow(Time now, std::int32_t current, std::int32_t wish, std::int32_t min,
                     std::int32_t max);
  /// Remembers a change that was made in spite of the policies: back within [min, max].
  void changed(Time now, std::int32_t from, std::int32_t to);

 private:
  struct Wish {
    Time at;
    std::int32_t replicas;
  };
  struct Change {
    Time at;
    std::int32_t replicas;  // more, or fewer if negative
  };

  std::int32_t stabilised(Time now, std::int32_t current, std::int32_t wish);
  std::int32_t at_period_start(Time now, std::int32_t current, double period_seconds) const;
  std::int32_t highest(Time now, std::int32_t current) const;
  std::int32_t lowest(Time now, std::int32_t current) const;
  void forget(Time now);

  const Autoscaler::Direction& up_;
  const Autoscaler::Direction& down_;
  std::deque<Wish> wishes_;
  std::deque<Change> changes_;
};

}  // namespace headway
