#include <algorithm>
#include <deque>

#include "sim/serving/autoscaler.hpp"

namespace headway {
namespace {

class PredictiveAutoscaler final : public ScalingPolicy {
 public:
  explicit PredictiveAutoscaler(const Autoscaler& settings) : settings_(settings) {}

  std::int32_t wanted(const PoolObservation& seen) override {
    rates_.push_back({seen.now, seen.values[0].value_or(0)});
    const Time since = seen.now - to_picoseconds(settings_.history_seconds);
    while (rates_.front().at < since) rates_.pop_front();
    const Line line = fitted(seen.now);
    const double need = std::max(line.level, line.level + line.slope * settings_.horizon_seconds);
    return std::clamp(whole_replicas(need / settings_.targets[0].value),
                      least_replicas(settings_, seen.now), settings_.max);
  }

 private:
  struct Rate {
    Time at;
    double per_second;
  };
  struct Line {
    double level, slope;  // per second now; per second each second
  };

  /// Least squares; of a single rate, level.
  Line fitted(Time now) const {
    const auto count = static_cast<double>(rates_.size());
    double mean_time = 0, mean_rate = 0;
    for (const Rate& rate : rates_) {
      mean_time += to_seconds(rate.at - now) / count;
      mean_rate += rate.per_second / count;
    }
    double spread = 0, joint = 0;
    for (const Rate& rate : rates_) {
      const double away = to_seconds(rate.at - now) - mean_time;
      spread += away * away;
      joint += away * (rate.per_second - mean_rate);
    }
    const double slope = spread > 0 ? joint / spread : 0;
    return {mean_rate - slope * mean_time, slope};
  }

  const Autoscaler& settings_;
  std::deque<Rate> rates_;  // of the history
};

}  // namespace

std::unique_ptr<ScalingPolicy> make_predictive_autoscaler(const Autoscaler& settings) {
  return std::make_unique<PredictiveAutoscaler>(settings);
}

}  // namespace headway
