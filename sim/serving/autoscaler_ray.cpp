#include <algorithm>
#include <cstdlib>

#include "sim/serving/autoscaler.hpp"

namespace headway {
namespace {

class RayServeAutoscaler final : public ScalingPolicy {
 public:
  explicit RayServeAutoscaler(const Autoscaler& settings) : settings_(settings) {}

  std::int32_t wanted(const PoolObservation& seen) override {
    const std::int32_t least = least_replicas(settings_, seen.now);
    const std::int32_t now_wanted = std::clamp(seen.wanted, least, settings_.max);
    const double requests = seen.values[0].value_or(0) + static_cast<double>(seen.held);
    if (seen.ready == 0) {
      if (requests <= 0) return now_wanted;
      return std::clamp(std::max(whole_replicas(settings_.upscaling_factor), now_wanted), least,
                        settings_.max);
    }
    const std::int32_t wish = std::clamp(wished(requests, seen.ready), least, settings_.max);
    return lasting(wish, now_wanted);
  }

 private:
  std::int32_t wished(double requests, std::int32_t ready) const {
    const double ratio = requests / (settings_.targets[0].value * ready);
    const double factor = ratio >= 1 ? settings_.upscaling_factor : settings_.downscaling_factor;
    std::int32_t wish = whole_replicas(ready * (1 + (ratio - 1) * factor));
    // A small factor rounds a step down back up: one fewer all the same.
    if (wish == ready && whole_replicas(ready * ratio) < ready) --wish;
    return wish;
  }

  /// The wish once it has gone the same way for longer than the delay, counted in polls.
  std::int32_t lasting(std::int32_t wish, std::int32_t present) {
    if (wish == present) {
      polls_ = 0;
      return present;
    }
    const bool up = wish > present;
    if (up != (polls_ > 0)) polls_ = 0;
    polls_ += up ? 1 : -1;
    const double delay = up ? settings_.upscale_delay_seconds : settings_.downscale_delay_seconds;
    if (std::abs(polls_) <= to_picoseconds(delay) / to_picoseconds(settings_.poll_seconds))
      return present;
    polls_ = 0;
    return wish;
  }

  const Autoscaler& settings_;
  std::int64_t polls_ = 0;  // in a row that wished for more; negative: for fewer
};

}  // namespace

std::unique_ptr<ScalingPolicy> make_ray_serve_autoscaler(const Autoscaler& settings) {
  return std::make_unique<RayServeAutoscaler>(settings);
}

}  // namespace headway
