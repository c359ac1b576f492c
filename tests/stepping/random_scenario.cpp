#include "random_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "dice.hpp"
#include "random_failures.hpp"
#include "random_holds.hpp"
#include "random_queues.hpp"
#include "random_routing.hpp"
#include "random_scaling.hpp"
#include "random_traffic.hpp"

namespace headway {
namespace {

Distribution lengths(Dice& dice, double mean, double max) {
  Distribution law;
  law.min = 1;
  law.max = max;
  switch (dice.between(0, 4)) {
    case 0:
      law.a = mean;
      break;
    case 1:
      law.kind = Distribution::Kind::uniform;
      law.a = 1;
      law.b = 2 * mean;
      break;
    case 2:
      law.kind = Distribution::Kind::lognormal;
      law.b = dice.real(0.2, 1.5);
      law.a = std::log(mean) - law.b * law.b / 2;
      break;
    case 3:
      law.kind = Distribution::Kind::exponential;
      law.a = mean;
      break;
    default:
      law.kind = Distribution::Kind::histogram;
      law.bins = {{1, mean / 2, 2}, {mean / 2, 3 * mean, 1}};
  }
  return law;
}

Arrivals arrivals(Dice& dice, double rate) {
  Arrivals a;
  a.rate = rate;
  switch (dice.between(0, 6)) {
    case 0:
      a.kind = Arrivals::Kind::constant;
      break;
    case 1:
      a.kind = Arrivals::Kind::gamma;
      a.cv = dice.real(0.3, 4);
      break;
    case 2:
      a.kind = Arrivals::Kind::mmpp;
      a.states = {{rate * 0.3, 2}, {rate * 3, 1}};
      break;
    case 3:
      a.kind = Arrivals::Kind::stages;
      a.stages = {{rate, 5}, {rate * 2, 3}, {rate * 0.5, 5}};
      break;
    case 4:
    case 5:
      a.kind = Arrivals::Kind::closed;
      a.users = dice.between(1, 40);
      if (dice.chance(0.5)) {
        a.think.kind = Distribution::Kind::exponential;
        a.think.a = dice.real(0.01, 1);
      }
      if (dice.chance(0.7)) a.requests = dice.between(20, 300);
      break;
    default:
      break;
  }
  return a;
}

Batching continuous(Dice& dice, Pool& pool, bool pressure) {
  Batching b;
  b.max_num_seqs = dice.between(pressure ? 8 : 1, 48);
  b.max_num_batched_tokens = std::max(b.max_num_seqs, dice.between(16, 1024));
  b.chunked_prefill = dice.chance(0.75);
  if (!b.chunked_prefill) {
    b.max_num_batched_tokens = std::max(b.max_num_batched_tokens, dice.between(200, 2000));
    pool.max_model_len = b.max_num_batched_tokens;
  }
  if (b.chunked_prefill && dice.chance(0.4)) b.long_prefill_token_threshold = dice.between(1, 200);
  return b;
}

Pool llm_pool(Dice& dice, bool pressure) {
  Pool pool;
  pool.max_model_len = dice.chance(0.3) ? dice.between(300, 4000) : 100000;
  pool.kv.block_tokens = dice.chance(0.5) ? 16 : dice.between(1, 40);
  const int tokens = pressure ? dice.between(150, 900) : dice.between(20000, 60000);
  pool.kv.blocks = std::max(2, tokens / pool.kv.block_tokens);
  pool.kv.watermark = dice.chance(0.3) ? dice.real(0, 0.2) : 0;
  pool.kv.reserve_all = !pressure && dice.chance(0.2);
  pool.kv.prefix_caching = dice.chance(0.85);
  pool.kv.on_preemption = static_cast<Kv::OnPreemption>(dice.between(0, 1));
  pool.order = static_cast<QueueOrder>(dice.between(0, 2));
  if (dice.chance(0.2)) pool.max_queue = dice.between(1, 30);
  LinearStepCost cost;
  cost.base_seconds = dice.chance(0.2) ? 0.01 : dice.real(0.001, 0.02);
  cost.seconds_per_token = dice.chance(0.3) ? 0 : dice.real(0, 2e-5);
  cost.seconds_per_context_token = dice.chance(0.3) ? 0 : dice.real(0, 2e-7);
  cost.seconds_per_prefill_pair = dice.chance(0.3) ? 0 : dice.real(0, 1e-8);
  pool.step_time = cost;
  pool.placement.engine.asynchronous = dice.chance(0.5);
  if (dice.chance(0.3)) pool.placement.engine.idle_overhead_seconds = dice.real(0, 0.05);
  if (pressure || dice.chance(0.75)) {
    pool.batching = continuous(dice, pool, pressure);
  } else {
    pool.batching.kind = static_cast<Batching::Kind>(dice.between(0, 2));
    pool.batching.size = pool.batching.max_size = dice.between(1, 12);
    pool.batching.timeout_seconds = dice.real(0, 0.5);
    if (dice.chance(0.5)) pool.batching.preferred_sizes = {2, 4};
    if (dice.chance(0.5)) pool.batching.max_queue_delay_seconds = dice.real(0, 0.2);
    pool.batching.max_num_batched_tokens = dice.between(16, 4000);
  }
  return pool;
}

Pool station(Dice& dice) {
  Pool pool;
  pool.kind = Pool::Kind::service;
  pool.batching.kind = dice.chance(0.5) ? Batching::Kind::none : Batching::Kind::dynamic;
  pool.batching.max_size = dice.between(1, 8);
  pool.service.servers = dice.between(1, 3);
  pool.service.time.kind = Distribution::Kind::exponential;
  pool.service.time.a = dice.real(0.01, 0.2);
  return pool;
}

/// Gives the class something that prefix caches can find.
void share(Dice& dice, WorkloadClass& w, bool pressure) {
  if (dice.chance(0.7)) {
    SharedPrefix& prefix = w.prefix.emplace();
    prefix.groups = dice.between(1, 12);
    prefix.tokens = dice.between(1, pressure ? 120 : 400);
    prefix.zipf = dice.chance(0.3) ? dice.real(0.2, 2) : 0;
    prefix.order = static_cast<SharedPrefix::Order>(dice.between(0, 1));
    if (dice.chance(0.5)) w.input_tokens->min = prefix.tokens + dice.between(0, 40);
  }
  if (dice.chance(0.5)) {
    Session& session = w.session.emplace();
    session.turns = lengths(dice, dice.real(2, 6), 12);
    session.think.kind = Distribution::Kind::exponential;
    session.think.a = dice.chance(0.2) ? 0 : dice.real(0.01, 2);
    if (dice.chance(0.5)) session.max_context = dice.between(100, 1000);
  }
}

}  // namespace

Scenario random_scenario(std::uint64_t seed, bool pressure) {
  Dice dice(seed);
  Scenario scenario;
  scenario.name = "random " + std::to_string(seed);
  const bool shared = seed % 3 == 1 || (pressure && seed % 2 == 0);
  const int pools = dice.between(1, 3);
  for (int p = 0; p < pools; ++p) {
    scenario.fleet.push_back(pressure || dice.chance(0.9) ? llm_pool(dice, pressure)
                                                          : station(dice));
    scenario.fleet.back().name = "pool" + std::to_string(p);
    scenario.fleet.back().replicas = dice.between(1, 3);
  }
  const int classes = dice.between(1, 3);
  for (int c = 0; c < classes; ++c) {
    WorkloadClass w;
    w.name = "class" + std::to_string(c);
    w.arrivals = arrivals(dice, dice.real(2, 40));
    w.input_tokens = lengths(dice, dice.real(2, pressure ? 100 : 300), 800);
    w.output_tokens = lengths(dice, dice.real(pressure ? 40 : 1, 150), 500);
    w.priority = dice.between(-1, 2);
    if (dice.chance(0.2)) {
      w.max_concurrency = dice.between(1, 20);
      w.turnaround_seconds = dice.chance(0.5) ? dice.real(0, 0.1) : 0;
    }
    if (shared) share(dice, w, pressure);
    scenario.workload.push_back(w);
  }
  if (dice.chance(0.3)) scenario.front.latency_seconds = dice.real(0, 0.05);
  scenario.run.duration_seconds = dice.real(5, 20);
  if (dice.chance(0.3)) scenario.run.requests = dice.between(20, 400);
  scenario.run.seed = seed;
  scenario.run.engine = Run::Engine::heap;
  add_random_queues(seed, scenario);
  add_random_traffic(seed, pressure, scenario);
  add_random_scaling(seed, scenario);
  add_random_routing(seed, scenario);
  add_random_failures(seed, scenario);
  add_random_holds(seed, pressure, scenario);
  return scenario;
}

}  // namespace headway
