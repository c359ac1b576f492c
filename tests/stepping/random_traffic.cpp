#include "random_traffic.hpp"

#include "dice.hpp"

namespace headway {
namespace {

/// Up to a few times `mean`; fixed ones make clients leave at the same instants.
Distribution times(Dice& dice, double mean) {
  Distribution law;
  law.a = mean;
  switch (dice.between(0, 3)) {
    case 0:
      break;
    case 1:
      law.a = 0;
      law.b = 2 * mean;
      law.kind = Distribution::Kind::uniform;
      break;
    default:
      law.kind = Distribution::Kind::exponential;
  }
  return law;
}

void give_patience(Dice& dice, bool pressure, WorkloadClass& of) {
  const double scale = pressure ? 20 : 1;
  if (dice.chance(0.4)) of.timeouts.queue = times(dice, scale * dice.real(0.01, 1));
  if (dice.chance(0.4)) of.timeouts.first_token = times(dice, scale * dice.real(0.02, 1));
  if (dice.chance(0.5)) of.timeouts.total = times(dice, scale * dice.real(0.05, 3));
  if (dice.chance(0.4)) of.hang_up = HangUp{dice.real(0.05, 1), times(dice, scale * 0.5)};
  of.streaming = dice.chance(0.7);
}

void give_retries(Dice& dice, WorkloadClass& of) {
  Retries& retries = of.retries;
  retries.attempts = dice.between(2, 6);
  retries.backoff_seconds = dice.chance(0.3) ? 0 : dice.real(0.001, 0.5);
  retries.factor = dice.chance(0.3) ? 1 : dice.real(1, 3);
  retries.longest_seconds = dice.real(0.5, 3);
  retries.jitter = static_cast<Retries::Jitter>(dice.between(0, 3));
  retries.rejected = dice.chance(0.8);
  retries.timed_out = dice.chance(0.8);
  retries.lost = dice.chance(0.8);
}

FrontStation front_station(Dice& dice) {
  FrontStation station;
  station.servers = dice.between(1, 3);
  station.time = times(dice, dice.real(0, 0.02));
  if (dice.chance(0.5)) station.seconds_per_input_token = dice.real(0, 1e-4);
  if (dice.chance(0.3)) station.batch = dice.between(2, 20);
  return station;
}

void add_admission(Dice& dice, Scenario& scenario) {
  if (dice.chance(0.5)) {
    scenario.admission.max_requests = dice.between(1, 60);
    for (int i = dice.between(0, 2); i > 0; --i) {
      scenario.admission.shed.push_back({dice.between(-1, 2), dice.real(0, 1)});
    }
  }
  if (dice.chance(0.5)) return;
  for (Tenant& tenant : scenario.tenants) {
    if (dice.chance(0.5)) tenant.requests_per_second = dice.real(1, 40);
    if (dice.chance(0.5)) tenant.tokens_per_second = dice.real(100, 20'000);
    tenant.burst_seconds = dice.real(0, 5);
  }
}

}  // namespace

void add_random_traffic(std::uint64_t seed, bool pressure, Scenario& scenario) {
  Dice dice(seed, Thrower::traffic);
  if (dice.chance(pressure ? 0.6 : 0.3)) return;
  for (WorkloadClass& each : scenario.workload) {
    if (dice.chance(0.7)) give_patience(dice, pressure, each);
    if (dice.chance(0.6)) give_retries(dice, each);
  }
  if (!pressure && dice.chance(0.5)) add_admission(dice, scenario);
  if (dice.chance(0.3)) scenario.front.balancer = front_station(dice);
  if (dice.chance(0.3)) scenario.front.tokenizer = front_station(dice);
  if (dice.chance(0.25)) {
    scenario.front.bandwidth = dice.real(1e5, 1e7);
    for (WorkloadClass& each : scenario.workload) each.request_bytes = times(dice, 2e4);
  }
  if (dice.chance(0.5)) scenario.admission.max_held = dice.between(1, 8);
}

}  // namespace headway
