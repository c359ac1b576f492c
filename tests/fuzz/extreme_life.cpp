#include "extreme_life.hpp"

#include <algorithm>

namespace headway {
namespace {

constexpr double kLongest = 106 * 86400.0;

double seconds(FuzzDice& dice, double least) {
  return dice.one_of(std::vector<double>{least, std::max(least, 1.0), 100, kLongest});
}

std::optional<Distribution> phase(FuzzDice& dice) {
  if (dice.chance(0.5)) return std::nullopt;
  Distribution law;
  law.kind = dice.chance(0.5) ? Distribution::Kind::fixed : Distribution::Kind::exponential;
  law.a = std::max(seconds(dice, 0), law.kind == Distribution::Kind::fixed ? 0 : 1e-12);
  law.max = kLongest;
  return law;
}

Autoscaler::Direction direction(FuzzDice& dice) {
  Autoscaler::Direction made;
  made.window_seconds = seconds(dice, 0);
  if (dice.chance(0.5)) made.policies.push_back({100'000, 0, seconds(dice, 1)});
  if (dice.chance(0.5)) made.policies.push_back({1, 0, seconds(dice, 1)});
  if (dice.chance(0.5)) made.policies.push_back({0, 100, seconds(dice, 1)});
  if (dice.chance(0.5)) made.policies.push_back({0, 1e-12, seconds(dice, 1)});
  made.select_largest = dice.chance(0.5);
  made.disabled = dice.chance(0.1);
  return made;
}

Autoscaler autoscaler(const Pool& pool, FuzzDice& dice) {
  using Metric = Autoscaler::Metric;
  const std::vector<double> values = {1e-12, 1, 1e9};
  Autoscaler made;
  made.kind = static_cast<Autoscaler::Kind>(dice.below(4));
  made.max = dice.one_of(std::vector<std::int32_t>{1, 10, 2000});
  made.min = made.kind == Autoscaler::Kind::hpa || dice.chance(0.5) ? 1 : 0;
  made.poll_seconds = seconds(dice, 1);
  made.look_back_seconds = seconds(dice, 1);
  made.tolerance = dice.chance(0.5) ? 0 : 1;
  made.up = direction(dice);
  made.down = direction(dice);
  made.cool_down_seconds = seconds(dice, 0);
  made.activation_poll_seconds = seconds(dice, 1);
  made.upscale_delay_seconds = seconds(dice, 0);
  made.downscale_delay_seconds = seconds(dice, 0);
  made.upscaling_factor = dice.chance(0.5) ? 1e-12 : 1000;
  made.downscaling_factor = dice.chance(0.5) ? 1e-12 : 1000;
  made.horizon_seconds = seconds(dice, 0);
  made.history_seconds = seconds(dice, 1);
  const std::size_t metrics = pool.kind == Pool::Kind::llm ? 7 : 3;
  const double percentile = dice.chance(0.5) ? 1e-9 : 100;
  made.targets = {{static_cast<Metric>(dice.below(metrics)), dice.one_of(values), percentile},
                  {Metric::concurrency, dice.one_of(values)}};
  if (made.kind == Autoscaler::Kind::ray) made.targets.erase(made.targets.begin());
  if (made.kind == Autoscaler::Kind::predictive)
    made.targets = {{Metric::requests_per_second, dice.one_of(values)}};
  if (dice.chance(0.3)) made.schedule = {{0, made.max}, {0.5, 0}};
  made.schedule_period_seconds = dice.chance(0.5) ? 1 : kLongest;
  return made;
}

}  // namespace

void make_extreme_life(Pool& pool, std::uint32_t store, FuzzDice& dice) {
  if (dice.chance(0.8)) pool.autoscaler = autoscaler(pool, dice);
  ColdStart& start = pool.cold_start.emplace();
  for (auto* const each : {&start.provision, &start.image, &start.process, &start.weights,
                           &start.compile, &start.capture, &start.warm_up})
    *each = phase(dice);
  const std::vector<double> sizes = {0, 1, 1e10, 1e15};
  start.image_bytes = dice.one_of(sizes);
  start.weight_bytes = dice.one_of(sizes);
  start.store_index = store;
  if (dice.chance(0.3)) start.quota = pool.replicas;
  if (dice.chance(0.5)) start.stock_out = 0.99;
  start.stock_retry_seconds = seconds(dice, 1);
  double at = 0;
  for (std::size_t i = dice.below(4); i > 0; --i) {
    pool.deploys.push_back({at, dice.chance(0.5) ? 1 : 2000, dice.chance(0.5) ? 0 : 100'000});
    at = at == 0 ? 1e-12 : 10 * at + 1;
  }
}

}  // namespace headway
