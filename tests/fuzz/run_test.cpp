// Extreme scenarios through the model: each run ends, or is refused in one message.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "bounded_run.hpp"
#include "extreme_life.hpp"
#include "mutation.hpp"
#include "tests/stepping/random_scenario.hpp"

namespace headway {
namespace {

constexpr double kDay = 86400;

Distribution extreme_law(FuzzDice& dice, double high) {
  using Kind = Distribution::Kind;
  Distribution law;
  law.kind = static_cast<Kind>(dice.below(7));
  law.min = 0;
  law.max = high;
  const std::vector<double> values = {0, 1e-12, 1e-3, 1, 100, high / 2, high};
  law.a = dice.one_of(values);
  law.b = dice.one_of(values);
  switch (law.kind) {
    case Kind::uniform:
      if (law.b < law.a) std::swap(law.a, law.b);
      break;
    case Kind::lognormal:
      law.a = dice.real(-100, 100);
      law.b = dice.real(0, 10);
      break;
    case Kind::gamma:
      law.a = std::max(law.a, 1e-12);
      law.b = dice.one_of(std::vector<double>{1e-3, 1, 100});
      break;
    case Kind::exponential:
      law.a = std::max(law.a, 1e-12);
      break;
    case Kind::histogram:
      law.bins = {{0, 1, 1e-3}, {1, high, 1e15}};
      break;
    default:
      break;
  }
  return law;
}

void make_extreme(Arrivals& arrivals, FuzzDice& dice) {
  const std::vector<double> rates = {1e-9, 1e-3, 10, 1e4, 1e9};
  switch (dice.below(6)) {
    case 0:
      arrivals.rate = dice.one_of(rates);
      break;
    case 1:
      arrivals.cv = dice.one_of(std::vector<double>{1e-3, 1, 100});
      break;
    case 2:
      arrivals.states = {{dice.one_of(rates), 1e-3}, {dice.one_of(rates), 106 * kDay}};
      break;
    case 3:
      arrivals.stages = {{dice.one_of(rates), 1e-12}, {0, 50 * kDay}, {dice.one_of(rates), kDay}};
      break;
    case 4:
      arrivals.amplitude = 1;
      arrivals.period_seconds = dice.one_of(std::vector<double>{1e-9, 1, 106 * kDay});
      break;
    default:
      arrivals.users = 1 + static_cast<std::int64_t>(dice.below(20000));
      arrivals.think = extreme_law(dice, 106 * kDay);
  }
}

void make_extreme(WorkloadClass& workload, FuzzDice& dice) {
  if (dice.chance(0.5)) make_extreme(workload.arrivals, dice);
  if (dice.chance(0.3)) workload.input_tokens = extreme_law(dice, 1e7);
  if (dice.chance(0.3)) workload.output_tokens = extreme_law(dice, 1e7);
  if (dice.chance(0.3)) workload.request_bytes = extreme_law(dice, 1e15);
  if (dice.chance(0.2)) workload.priority = dice.chance(0.5) ? -1'000'000 : 1'000'000;
  if (dice.chance(0.2) && workload.arrivals.kind != Arrivals::Kind::closed) {
    workload.max_concurrency = dice.chance(0.5) ? 1 : 1'000'000'000;
    workload.turnaround_seconds = dice.chance(0.5) ? 0 : 106 * kDay;
  }
}

void make_extreme(Pool& pool, FuzzDice& dice) {
  Batching& batching = pool.batching;
  if (dice.chance(0.2)) batching.max_num_seqs = dice.chance(0.5) ? 1 : 1'000'000;
  if (dice.chance(0.2)) batching.max_num_batched_tokens = dice.chance(0.5) ? 1 : 100'000'000;
  if (dice.chance(0.2)) batching.long_prefill_token_threshold = dice.chance(0.5) ? 1 : 100'000'000;
  if (dice.chance(0.2)) {
    batching.batch_wait_timeout_iters = dice.chance(0.5) ? 1 : 1'000'000;
    batching.batch_wait_max_tokens_ratio = dice.chance(0.5) ? 1e-300 : 1;
  }
  if (dice.chance(0.2)) {
    batching.attention_dp_timeout_iters = dice.chance(0.5) ? 0 : 1'000'000;
    batching.attention_dp_batching_wait_iters = dice.chance(0.5) ? 0 : 1'000'000;
    pool.placement.parallel.data = dice.chance(0.5) ? 2 : 1024;
  }
  if (dice.chance(0.2)) batching.timeout_seconds = dice.chance(0.5) ? 0 : 106 * kDay;
  if (dice.chance(0.2)) batching.max_queue_delay_seconds = dice.chance(0.5) ? 1e-12 : 106 * kDay;
  if (dice.chance(0.2)) batching.size = batching.max_size = dice.chance(0.5) ? 1 : 1'000'000;
  if (dice.chance(0.2)) pool.kv.block_tokens = dice.chance(0.5) ? 1 : 4096;
  if (dice.chance(0.2)) pool.kv.blocks = dice.chance(0.5) ? 1 : 1'000'000'000'000;
  if (dice.chance(0.2)) pool.kv.watermark = 0.9;
  if (dice.chance(0.2)) pool.max_model_len = dice.chance(0.5) ? 2 : 1'000'000'000;
  if (dice.chance(0.2)) pool.max_queue = dice.chance(0.5) ? 1 : 1'000'000'000'000;
  if (dice.chance(0.2)) pool.replicas = 200;
  if (dice.chance(0.3)) {
    const std::vector<double> times = {0, 1e-15, 1e-12, 1, 8};
    pool.step_time = LinearStepCost{dice.one_of(times), dice.one_of(times), dice.one_of(times),
                                    dice.one_of(times)};
  }
  if (pool.kind == Pool::Kind::service) {
    pool.service.time = extreme_law(dice, 106 * kDay);
    pool.service.servers = dice.chance(0.5) ? 1 : 10'000;
    if (dice.chance(0.5)) pool.service.batch_factor = {{1, 1e-9}, {2, 1e6}, {1e6, 1}};
  }
  // What the check of a scenario file holds.
  batching.max_num_batched_tokens =
      std::max(batching.max_num_batched_tokens, batching.max_num_seqs);
  if (!batching.chunked_prefill) {
    pool.max_model_len = std::min<std::int64_t>(pool.max_model_len, 100'000'000);
    batching.max_num_batched_tokens =
        std::max(batching.max_num_batched_tokens, static_cast<std::int32_t>(pool.max_model_len));
  }
  std::erase_if(batching.preferred_sizes, [&](auto size) { return size > batching.max_size; });
}

/// Clients without patience, or with patience for ever; retries without end or pause.
void make_extreme_patience(WorkloadClass& workload, FuzzDice& dice) {
  const std::vector<double> seconds = {0, 1e-12, 1e-3, 1, 106 * kDay};
  if (dice.chance(0.3)) workload.timeouts.queue = extreme_law(dice, 106 * kDay);
  if (dice.chance(0.3)) workload.timeouts.first_token = extreme_law(dice, 106 * kDay);
  if (dice.chance(0.3)) workload.timeouts.total = extreme_law(dice, 106 * kDay);
  if (dice.chance(0.3)) workload.hang_up = HangUp{1e-9, extreme_law(dice, 106 * kDay)};
  if (dice.chance(0.5)) {
    Retries& retries = workload.retries;
    retries.attempts = dice.chance(0.5) ? 2 : 1'000'000;
    retries.backoff_seconds = dice.one_of(seconds);
    retries.longest_seconds = std::max(retries.backoff_seconds, dice.one_of(seconds));
    retries.factor = dice.chance(0.5) ? 1 : 1000;
    retries.jitter = static_cast<Retries::Jitter>(dice.below(4));
  }
  workload.streaming = dice.chance(0.5);
}

void make_extreme_front(Scenario& scenario, FuzzDice& dice) {
  for (std::optional<FrontStation>* const station :
       {&scenario.front.balancer, &scenario.front.tokenizer}) {
    if (!dice.chance(0.3)) continue;
    *station = FrontStation{dice.chance(0.5) ? 1 : 1'000'000, extreme_law(dice, 106 * kDay),
                            dice.chance(0.5) ? 0.0 : 1.0};
  }
  if (dice.chance(0.3)) {
    scenario.admission.max_requests = dice.chance(0.5) ? 1 : 1'000'000'000;
    scenario.admission.shed = {{-1'000'000, 0}, {1'000'000, 1}};
  }
  for (Tenant& tenant : scenario.tenants) {
    const std::vector<double> rates = {1e-12, 1, 1e12};
    tenant.requests_per_second = dice.one_of(rates);
    tenant.tokens_per_second = dice.one_of(rates);
    tenant.burst_seconds = dice.chance(0.5) ? 0 : 106 * kDay;
  }
}

Scenario extreme_scenario(std::uint64_t seed) {
  FuzzDice dice(seed);
  Scenario scenario = random_scenario(seed, dice.chance(0.3));
  for (WorkloadClass& each : scenario.workload) make_extreme(each, dice);
  for (Pool& each : scenario.fleet) make_extreme(each, dice);
  if (dice.chance(0.4)) {
    for (WorkloadClass& each : scenario.workload) make_extreme_patience(each, dice);
    make_extreme_front(scenario, dice);
  }
  if (dice.chance(0.3)) {
    const auto store = static_cast<std::uint32_t>(scenario.stores.size());
    scenario.stores.push_back({.name = "extreme", .bandwidth = dice.chance(0.5) ? 1e-3 : 1e15});
    for (Pool& each : scenario.fleet) make_extreme_life(each, store, dice);
  }
  if (dice.chance(0.2)) scenario.front.latency_seconds = 3600;
  if (dice.chance(0.3)) scenario.front.bandwidth = dice.chance(0.5) ? 1 : 1e15;
  if (dice.chance(0.3)) {
    scenario.run.duration_seconds = dice.one_of(std::vector<double>{1e-12, 1, kDay, 106 * kDay});
  }
  if (dice.chance(0.2)) scenario.run.requests = dice.chance(0.5) ? 1 : 1'000'000'000'000;
  if (dice.chance(0.3)) scenario.run.stepping = Run::Stepping::reference;
  return scenario;
}

TEST(ExtremeScenarios, RunToAnEndOrAreRefusedInOneMessage) {
  const Budget budget;
  std::map<std::string, int> ends;
  std::uint64_t seed = 0;
  for (; seed < 600 && !budget.spent(); ++seed) {
    const Scenario scenario = extreme_scenario(seed);
    const double before = budget.seconds();
    std::string end;
    ASSERT_NO_THROW(end = bounded_run(scenario)) << "seed " << seed;
    EXPECT_LT(budget.seconds() - before, kLongestRound)
        << "seed " << seed << " cannot be cancelled: " << end;
    ++ends[end];
  }
  std::cout << seed << " scenarios\n";
  for (const auto& [end, count] : ends) std::cout << count << ": " << end << '\n';
  EXPECT_GT(ends["completed"], static_cast<int>(seed / 5));
  EXPECT_GT(ends["cancelled"], 0);
  EXPECT_EQ(ends.count("the model came to rest with requests in flight"), 0u);
}

}  // namespace
}  // namespace headway
