#include "workloads.hpp"

#include <cmath>

#include "models/catalog.hpp"

namespace headway {
namespace {

Pool replicas(std::int32_t count, std::int32_t max_num_seqs) {
  Pool pool;
  pool.name = "main";
  pool.replicas = count;
  pool.batching.max_num_seqs = max_num_seqs;
  pool.batching.max_num_batched_tokens = 2048;
  pool.kv.blocks = 1'000'000;
  pool.step_time = LinearStepCost{10e-3, 6.25e-6, 87e-9, 3.5e-9};
  return pool;
}

Distribution lognormal(double mean, double sigma, double max) {
  Distribution law;
  law.kind = Distribution::Kind::lognormal;
  law.a = std::log(mean) - sigma * sigma / 2;
  law.b = sigma;
  law.min = 1;
  law.max = max;
  return law;
}

Distribution fixed(double value) {
  Distribution law;
  law.a = value;
  return law;
}

Scenario with_lognormal_lengths(std::int32_t replica_count, double rate, std::int64_t requests) {
  Scenario scenario;
  scenario.workload.emplace_back();
  scenario.workload[0].name = "chat";
  scenario.workload[0].arrivals.rate = rate;
  scenario.workload[0].input_tokens = lognormal(1155, 1.0, 8192);
  scenario.workload[0].output_tokens = lognormal(211, 0.8, 2048);
  scenario.fleet.push_back(replicas(replica_count, 256));
  scenario.run.requests = requests;
  return scenario;
}

}  // namespace

Scenario workload_w1(std::int64_t requests) {
  Scenario scenario;
  scenario.name = "W1";
  scenario.workload.emplace_back();
  scenario.workload[0].name = "chat";
  scenario.workload[0].arrivals.rate = 8;
  scenario.workload[0].input_tokens = fixed(512);
  scenario.workload[0].output_tokens = fixed(180);
  scenario.fleet.push_back(replicas(1, 128));
  scenario.run.requests = requests;
  return scenario;
}

Scenario workload_w2() {
  Scenario scenario = with_lognormal_lengths(16, 128, 160'000);
  scenario.name = "W2";
  return scenario;
}

Scenario workload_w3() {
  Scenario scenario = with_lognormal_lengths(1000, 8000, 2'000'000);
  scenario.name = "W3";
  return scenario;
}

Scenario with_llama_on_h100(Scenario scenario, StepsFrom steps) {
  for (Pool& pool : scenario.fleet) {
    pool.step_time.reset();
    Placement& placement = pool.placement;
    placement.architecture = load_model("llama-3.1-8b");
    placement.gpu = load_gpu("h100-sxm-80gb");
    // Profiles go by the card's name.
    if (steps == StepsFrom::data_sheet) placement.gpu.name = "a card that nobody measured";
    placement.engine = load_engine("vllm-0.19");
    placement.max_num_seqs = pool.batching.max_num_seqs;
    placement.max_num_batched_tokens = pool.batching.max_num_batched_tokens;
  }
  return scenario;
}

Scenario workload_million_users() {
  Scenario scenario = with_lognormal_lengths(1000, 0, 0);
  scenario.name = "a million users";
  Arrivals& arrivals = scenario.workload[0].arrivals;
  arrivals.kind = Arrivals::Kind::closed;
  arrivals.users = 1'000'000;
  arrivals.think.kind = Distribution::Kind::exponential;
  arrivals.think.a = 60;
  scenario.run.duration_seconds = 120;
  return scenario;
}

}  // namespace headway
