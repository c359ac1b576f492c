#include "sim/model/scaler.hpp"

#include <algorithm>

namespace headway {
namespace {

bool is_scaled(const Pool& pool) {
  return pool.autoscaler.has_value() || !pool.deploys.empty();
}

}  // namespace

Entity Scaler::entities(const Scenario& scenario) {
  return static_cast<Entity>(
      std::count_if(scenario.fleet.begin(), scenario.fleet.end(), is_scaled));
}

Scaler::Scaler(const Scenario& scenario, Clock& clock, Fleet& fleet, const Dispatcher& dispatcher,
               Entity first_entity)
    : clock_(clock), fleet_(fleet), dispatcher_(dispatcher), first_entity_(first_entity) {
  for (std::size_t p = 0; p < scenario.fleet.size(); ++p) {
    const Pool& pool = scenario.fleet[p];
    scaled_of_.push_back(is_scaled(pool) ? static_cast<std::uint32_t>(scaled_.size()) : kNone);
    if (!is_scaled(pool)) continue;
    Scaled scaled{.pool = p,
                  .settings = pool.autoscaler ? &*pool.autoscaler : nullptr,
                  .deploy = RollingDeploy(fleet, p, pool.deploys),
                  .wanted = pool.replicas};
    if (pool.autoscaler) {
      scaled.policy = make_scaling_policy(*pool.autoscaler);
      scaled.metrics = std::make_unique<PoolMetrics>(*pool.autoscaler, fleet, p);
      scaled.next_poll = to_picoseconds(pool.autoscaler->poll_seconds);
    }
    scaled_.push_back(std::move(scaled));
  }
}

void Scaler::start() {
  for (std::size_t i = 0; i < scaled_.size(); ++i) {
    clock_.wake(first_entity_ + static_cast<Entity>(i),
                std::min(scaled_[i].next_poll, scaled_[i].deploy.next()));
  }
}

void Scaler::on_wake(Entity which, Time now) {
  Scaled& scaled = scaled_[which];
  scaled.deploy.begin(now);
  if (scaled.next_poll <= now) {
    poll(scaled, now);
    scaled.next_poll = time_after(now, to_picoseconds(scaled.settings->poll_seconds));
  }
  // Before replicas come and go, which may wake it again.
  clock_.wake(first_entity_ + which, std::min(scaled.next_poll, scaled.deploy.next()));
  scaled.deploy.proceed(scaled.wanted, now);
}

void Scaler::poll(Scaled& scaled, Time now) {
  PoolObservation seen;
  seen.now = now;
  seen.wanted = scaled.wanted;
  seen.ready = fleet_.ready(scaled.pool);
  seen.starting = fleet_.active(scaled.pool) - seen.ready;
  seen.held = dispatcher_.held(scaled.pool);
  seen.values = scaled.metrics->poll(now, seen.held);
  scaled.wanted = scaled.policy->wanted(seen);
}

void Scaler::on_answer(const RequestRecord& record, Time now) {
  const std::uint32_t index = scaled_of_[fleet_.pool_of(record.replica)];
  if (index != kNone && scaled_[index].metrics) scaled_[index].metrics->on_answer(record, now);
}

void Scaler::on_available(std::uint32_t replica, bool available, Time now) {
  const std::uint32_t index = scaled_of_[fleet_.pool_of(replica)];
  if (index == kNone || !scaled_[index].deploy.under_way()) return;
  if (!available) scaled_[index].deploy.gone(replica);
  clock_.wake(first_entity_ + index, now);
}

}  // namespace headway
