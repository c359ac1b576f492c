#include "random_failures.hpp"

#include "dice.hpp"

namespace headway {
namespace {

Distribution repair_time(Dice& dice) {
  Distribution law;
  law.a = dice.chance(0.2) ? 0 : dice.real(0.01, 3);
  law.kind =
      law.a > 0 && dice.chance(0.5) ? Distribution::Kind::exponential : Distribution::Kind::fixed;
  return law;
}

void maybe(Dice& dice, std::optional<Failures::Fault>& fault) {
  if (dice.chance(0.4)) fault = {dice.real(2, 30), repair_time(dice)};
}

Failures failures(Dice& dice) {
  Failures made;
  maybe(dice, made.gpu);
  maybe(dice, made.node);
  maybe(dice, made.rack);
  maybe(dice, made.crash);
  made.node_gpus = dice.between(1, 4);
  made.rack_gpus = made.node_gpus * dice.between(1, 3);
  if (dice.chance(0.4)) {
    made.spot_mtbf_seconds = dice.real(2, 30);
    made.spot_notice_seconds = dice.chance(0.2) ? 0 : dice.real(0, 3);
  }
  if (dice.chance(0.4)) {
    made.slow_share = dice.real(0.1, 1);
    made.slow_factor = dice.real(1, 3);
  }
  return made;
}

}  // namespace

void add_random_failures(std::uint64_t seed, Scenario& scenario) {
  Dice dice(seed, Thrower::failures);
  for (Pool& pool : scenario.fleet) {
    if (dice.chance(0.3)) pool.failures = failures(dice);
  }
  for (Store& store : scenario.stores) {
    if (!dice.chance(0.4)) continue;
    store.cut_mtbf_seconds = dice.real(0.5, 10);
    store.cut_repair = repair_time(dice);
  }
}

}  // namespace headway
