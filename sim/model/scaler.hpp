// Autoscalers and deploys in motion: who says how many replicas each pool has.
#pragma once

#include <memory>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/dispatcher.hpp"
#include "sim/model/fleet.hpp"
#include "sim/model/pool_metrics.hpp"
#include "sim/model/rolling_deploy.hpp"
#include "sim/serving/autoscaler.hpp"

namespace headway {

/// One entity of the clock for each pool with an autoscaler or deploys: it is woken at polls, at
/// deploys, and, while a deploy is under way, when replicas come and go. The first poll is one
/// interval after the start.
class Scaler {
 public:
  /// The arguments outlive it.
  Scaler(const Scenario& scenario, Clock& clock, Fleet& fleet, const Dispatcher& dispatcher,
         Entity first_entity);

  static Entity entities(const Scenario& scenario);
  void start();
  void on_wake(Entity which, Time now);
  /// Its replica has answered the request; times as the client sees them.
  void on_answer(const RequestRecord& record, Time now);
  /// The replica takes requests from now on, or no more.
  void on_available(std::uint32_t replica, bool available, Time now);

 private:
  /// A pool that is scaled or deployed.
  struct Scaled {
    std::size_t pool;
    const Autoscaler* settings;  // null: deploys only
    std::unique_ptr<ScalingPolicy> policy;
    std::unique_ptr<PoolMetrics> metrics;
    RollingDeploy deploy;
    std::int32_t wanted;  // without what a deploy adds
    Time next_poll = kNever;
  };
  static constexpr std::uint32_t kNone = UINT32_MAX;

  void poll(Scaled& scaled, Time now);

  Clock& clock_;
  Fleet& fleet_;
  const Dispatcher& dispatcher_;
  const Entity first_entity_;
  std::vector<Scaled> scaled_;
  std::vector<std::uint32_t> scaled_of_;  // by pool: index, or kNone
};

}  // namespace headway
