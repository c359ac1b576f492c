#include "sim/serving/autoscaler.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

std::unique_ptr<ScalingPolicy> make_scaling_policy(const Autoscaler& settings) {
  switch (settings.kind) {
    case Autoscaler::Kind::hpa:
      return make_horizontal_pod_autoscaler(settings);
    case Autoscaler::Kind::keda:
      return make_keda_autoscaler(settings);
    case Autoscaler::Kind::ray:
      return make_ray_serve_autoscaler(settings);
    case Autoscaler::Kind::predictive:
      return make_predictive_autoscaler(settings);
  }
  return nullptr;
}

std::int32_t least_replicas(const Autoscaler& settings, Time now) {
  if (settings.schedule.empty()) return settings.min;
  const Time in_period = now % to_picoseconds(settings.schedule_period_seconds);
  const Autoscaler::Slot* holds = &settings.schedule.back();
  for (const Autoscaler::Slot& slot : settings.schedule) {
    if (to_picoseconds(slot.at_seconds) > in_period) break;
    holds = &slot;
  }
  return std::max(settings.min, holds->min);
}

std::int32_t whole_replicas(double replicas) {
  return static_cast<std::int32_t>(std::clamp(std::ceil(replicas - 1e-9), 0.0, 1e6));
}

bool is_on_target(double ratio, double tolerance) {
  return std::abs(ratio - 1) <= tolerance + 1e-9;
}

}  // namespace headway
