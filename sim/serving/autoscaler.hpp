// How many replicas a pool should have: the decision of an autoscaler, poll by poll.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/units.hpp"
#include "sim/scenario/lifecycle.hpp"

namespace headway {

/// A pool as its autoscaler sees it at a poll.
struct PoolObservation {
  Time now = 0;
  std::int32_t wanted = 1;    // replicas last asked for
  std::int32_t ready = 1;     // take requests
  std::int32_t starting = 0;  // will, once they have started
  std::int64_t held = 0;      // requests that wait at the front for a replica of this pool
  /// Beside Autoscaler::targets. Of a quantity a replica: its sum over the ready replicas. Of ttft
  /// and tpot: the value itself. Absent where nothing was there to be measured.
  std::vector<std::optional<double>> values;
};

/// Whether a target is a quantity a replica; else it is one of the pool.
constexpr bool is_per_replica(Autoscaler::Metric metric) {
  return metric != Autoscaler::Metric::ttft && metric != Autoscaler::Metric::tpot;
}
/// Whether requests that wait at the front for a replica add to the metric.
constexpr bool counts_held(Autoscaler::Metric metric) {
  return metric == Autoscaler::Metric::concurrency || metric == Autoscaler::Metric::queue;
}

/// Follows one pool. It remembers what it saw and did, and reads no clock: polls come in order of
/// time.
class ScalingPolicy {
 public:
  virtual ~ScalingPolicy() = default;
  /// The number of replicas from now on, within the limits of its settings.
  virtual std::int32_t wanted(const PoolObservation& seen) = 0;
};

/// The policy that the settings name. They outlive it.
std::unique_ptr<ScalingPolicy> make_scaling_policy(const Autoscaler& settings);

/// Least number of replicas at this time: settings.min, or the schedule's if that is more. Before
/// the first slot of a period the last one of the period before holds.
std::int32_t least_replicas(const Autoscaler& settings, Time now);

/// Kubernetes' HorizontalPodAutoscaler: ceil(replicas × metric / target), no change within the
/// tolerance, careful with replicas that do not answer yet, then stabilisation and rates of change.
/// (kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale, and
/// pkg/controller/podautoscaler of Kubernetes 1.33.)
std::unique_ptr<ScalingPolicy> make_horizontal_pod_autoscaler(const Autoscaler& settings);
/// KEDA: totals over the pool and the front through an HPA while there are replicas; to zero after
/// a cool-down, and from zero when there is load. (keda.sh/docs/2.17/concepts/scaling-deployments.)
std::unique_ptr<ScalingPolicy> make_keda_autoscaler(const Autoscaler& settings);
/// Ray Serve: requests ongoing and held over a target for each replica; a wish has to last.
/// (docs.ray.io/en/latest/serve/advanced-guides/advanced-autoscaling.html, and
/// python/ray/serve/autoscaling_policy.py of Ray 2.46.)
std::unique_ptr<ScalingPolicy> make_ray_serve_autoscaler(const Autoscaler& settings);
/// A line through the request rates of late, by least squares: replicas for the larger of its
/// values now and at the horizon.
std::unique_ptr<ScalingPolicy> make_predictive_autoscaler(const Autoscaler& settings);

/// ceil(replicas) as a number of them, 0 to a million; what rounding of doubles put above a whole
/// number (up to 1e-9) does not count.
std::int32_t whole_replicas(double replicas);
/// Whether a ratio of metric and target is 1 ± tolerance, the rounding of doubles (1e-9) aside.
bool is_on_target(double ratio, double tolerance);

}  // namespace headway
