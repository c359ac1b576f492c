#include <algorithm>

#include "sim/serving/autoscaler.hpp"
#include "sim/serving/scaling_limits.hpp"

namespace headway {
namespace {

class HorizontalPodAutoscaler final : public ScalingPolicy {
 public:
  explicit HorizontalPodAutoscaler(const Autoscaler& settings)
      : settings_(settings), limits_(settings.up, settings.down) {}

  std::int32_t wanted(const PoolObservation& seen) override {
    const std::int32_t least = least_replicas(settings_, seen.now);
    const std::int32_t within = std::clamp(seen.wanted, least, settings_.max);
    if (within != seen.wanted) {
      limits_.changed(seen.now, seen.wanted, within);
      return within;
    }
    const std::optional<std::int32_t> wish = largest_wish(seen);
    return wish ? limits_.allow(seen.now, seen.wanted, *wish, least, settings_.max) : seen.wanted;
  }

 private:
  /// None where no target was measured, or one was not and the others ask for fewer replicas.
  std::optional<std::int32_t> largest_wish(const PoolObservation& seen) const {
    std::optional<std::int32_t> largest;
    bool unknown = false;
    for (std::size_t i = 0; i < settings_.targets.size(); ++i) {
      if (!seen.values[i] || seen.ready == 0) {
        unknown = true;
        continue;
      }
      const double ratio_of_all = *seen.values[i] / settings_.targets[i].value;
      largest = std::max(largest.value_or(0), is_per_replica(settings_.targets[i].metric)
                                                  ? wish_of_average(seen, ratio_of_all)
                                                  : wish_of_value(seen, ratio_of_all));
    }
    if (largest && unknown && *largest < seen.wanted) return std::nullopt;
    return largest;
  }

  bool tolerates(double ratio) const { return is_on_target(ratio, settings_.tolerance); }

  std::int32_t wish_of_value(const PoolObservation& seen, double ratio) const {
    return tolerates(ratio) ? seen.wanted : whole_replicas(ratio * seen.ready);
  }

  /// A replica that starts has no metric yet: it counts as idle where the others ask for more, and
  /// as exactly on target where they ask for fewer; what turns that round changes nothing.
  std::int32_t wish_of_average(const PoolObservation& seen, double total_over_target) const {
    const double ratio = total_over_target / seen.ready;
    if (seen.starting == 0)
      return tolerates(ratio) ? seen.wanted : whole_replicas(total_over_target);
    const double all = seen.ready + seen.starting;
    const double careful = (total_over_target + (ratio < 1 ? seen.starting : 0)) / all;
    if (tolerates(careful) || (ratio < 1) != (careful < 1)) return seen.wanted;
    const std::int32_t wish = whole_replicas(careful * all);
    const bool reversed = careful < 1 ? wish > seen.wanted : wish < seen.wanted;
    return reversed ? seen.wanted : wish;
  }

  const Autoscaler& settings_;
  ScalingLimits limits_;
};

}  // namespace

std::unique_ptr<ScalingPolicy> make_horizontal_pod_autoscaler(const Autoscaler& settings) {
  return std::make_unique<HorizontalPodAutoscaler>(settings);
}

}  // namespace headway
