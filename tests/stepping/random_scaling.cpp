#include "random_scaling.hpp"

#include "dice.hpp"

namespace headway {
namespace {

using Metric = Autoscaler::Metric;

Distribution phase_time(Dice& dice) {
  Distribution law;
  law.a = dice.real(0.05, 1.5);
  law.kind = dice.chance(0.5) ? Distribution::Kind::exponential : Distribution::Kind::fixed;
  return law;
}

Autoscaler::Target target(Dice& dice, const Pool& pool) {
  const bool llm = pool.kind == Pool::Kind::llm;
  switch (dice.between(0, llm ? 6 : 3)) {
    case 0:
      return {Metric::concurrency, dice.real(0.5, 12)};
    case 1:
      return {Metric::requests_per_second, dice.real(1, 15)};
    case 2:
      return {Metric::queue, dice.real(0.5, 5)};
    case 3:
      return {Metric::ttft, dice.real(0.01, 0.5), dice.real(10, 99)};
    case 4:
      return {Metric::tpot, dice.real(0.005, 0.03), dice.real(10, 99)};
    case 5:
      return {Metric::kv_use, dice.real(0.01, 0.7)};
    default:
      return {Metric::tokens_per_second, dice.real(20, 500)};
  }
}

Autoscaler::Direction direction(Dice& dice) {
  Autoscaler::Direction made;
  if (dice.chance(0.5)) made.window_seconds = dice.real(0, 5);
  if (dice.chance(0.5)) made.policies.push_back({static_cast<double>(dice.between(1, 3)), 0, 2});
  if (dice.chance(0.5)) made.policies.push_back({0, dice.real(0.1, 2), dice.real(1, 4)});
  made.select_largest = dice.chance(0.7);
  made.disabled = dice.chance(0.1);
  return made;
}

Autoscaler autoscaler(Dice& dice, const Pool& pool) {
  Autoscaler made;
  made.kind = static_cast<Autoscaler::Kind>(dice.between(0, 3));
  const bool counts = made.kind == Autoscaler::Kind::ray;
  const bool forecasts = made.kind == Autoscaler::Kind::predictive;
  made.max = dice.between(1, 5);
  made.poll_seconds = dice.chance(0.3) ? 1 : dice.real(0.3, 3);
  made.look_back_seconds = dice.real(0.5, 6);
  made.tolerance = dice.chance(0.5) ? 0.1 : dice.real(0, 0.5);
  made.up = direction(dice);
  made.down = direction(dice);
  made.cool_down_seconds = dice.real(0, 4);
  made.activation_poll_seconds = dice.real(0.3, 2);
  made.upscale_delay_seconds = dice.real(0, 3);
  made.downscale_delay_seconds = dice.real(0, 5);
  made.horizon_seconds = dice.real(0, 5);
  made.history_seconds = dice.real(1, 10);
  for (int i = dice.between(1, counts || forecasts ? 1 : 3); i > 0; --i) {
    made.targets.push_back(target(dice, pool));
  }
  if (counts) made.targets[0] = {Metric::concurrency, dice.real(0.5, 8)};
  if (forecasts) made.targets[0] = {Metric::requests_per_second, dice.real(1, 15)};
  if (counts || made.kind == Autoscaler::Kind::keda) {
    made.min = dice.chance(0.6) ? 0 : 1;
    // Else nothing would end the wait at zero.
    if (made.kind == Autoscaler::Kind::keda) made.targets[0].metric = Metric::concurrency;
  }
  if (dice.chance(0.25)) made.schedule = {{0, 1}, {dice.real(1, 6), made.max}};
  made.schedule_period_seconds = 8;
  return made;
}

ColdStart cold_start(Dice& dice, const Pool& pool, std::uint32_t store) {
  ColdStart made;
  if (dice.chance(0.5)) made.provision = phase_time(dice);
  if (dice.chance(0.3)) made.image = phase_time(dice);
  if (dice.chance(0.5)) made.process = phase_time(dice);
  if (dice.chance(0.3)) made.compile = phase_time(dice);
  if (dice.chance(0.3)) made.capture = phase_time(dice);
  if (dice.chance(0.5)) made.warm_up = phase_time(dice);
  if (dice.chance(0.3)) made.image_bytes = dice.real(1e8, 2e9);
  if (dice.chance(0.6)) made.weight_bytes = dice.real(1e8, 4e9);
  made.store_index = store;
  if (dice.chance(0.3)) made.quota = pool.replicas + dice.between(0, 2);
  if (dice.chance(0.3)) made.stock_out = dice.real(0, 0.8);
  made.stock_retry_seconds = dice.real(0.2, 2);
  return made;
}

void add_deploys(Dice& dice, Pool& pool) {
  double at = dice.real(0, 5);
  for (int i = dice.between(1, 2); i > 0; --i) {
    Deploy& deploy = pool.deploys.emplace_back();
    deploy.at_seconds = at;
    deploy.surge = dice.between(0, 2);
    deploy.unavailable = deploy.surge == 0 ? 1 : dice.between(0, 1);
    at += dice.real(0.1, 6);
  }
}

}  // namespace

void add_random_scaling(std::uint64_t seed, Scenario& scenario) {
  Dice dice(seed, Thrower::scaling);
  if (dice.chance(0.5)) return;
  for (int i = dice.between(1, 2); i > 0; --i) {
    Store& store = scenario.stores.emplace_back();
    store.bandwidth = dice.real(5e8, 5e9);
    store.latency_seconds = dice.chance(0.5) ? 0 : dice.real(0, 0.1);
  }
  for (Pool& pool : scenario.fleet) {
    if (dice.chance(0.75)) pool.autoscaler = autoscaler(dice, pool);
    if (dice.chance(0.3)) add_deploys(dice, pool);
    const auto last = static_cast<int>(scenario.stores.size()) - 1;
    if (dice.chance(0.8)) {
      pool.cold_start = cold_start(dice, pool, static_cast<std::uint32_t>(dice.between(0, last)));
    }
  }
}

}  // namespace headway
