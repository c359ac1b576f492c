// Prefix caches against what is known of caches: no eviction, the worst case of LRU, and Che's
// approximation.
#include <gtest/gtest.h>

#include <cmath>

#include "queue_run.hpp"
#include "sim/engine/engine.hpp"

namespace headway {
namespace {

class Hits final : public Observer {
 public:
  std::int64_t found = 0, tokens = 0;

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override {
    found += record.prefix_hit_tokens > 0;
    tokens += record.prefix_hit_tokens;
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

/// One user asks for one token behind a system prompt of `prefix.tokens` and one more token, in
/// blocks of 16.
Scenario one_user(const SharedPrefix& prefix, std::int64_t blocks, std::int64_t requests) {
  Scenario scenario;
  scenario.workload.resize(1);
  WorkloadClass& workload = scenario.workload[0];
  workload.arrivals.kind = Arrivals::Kind::closed;
  workload.arrivals.users = 1;
  workload.arrivals.requests = requests;
  workload.input_tokens = fixed_law(prefix.tokens + 1);
  workload.output_tokens = fixed_law(1);
  workload.prefix = prefix;
  scenario.fleet.resize(1);
  Pool& pool = scenario.fleet[0];
  pool.kv.blocks = blocks;
  pool.max_model_len = 1'000'000;
  pool.step_time = LinearStepCost{.base_seconds = 1e-3};
  scenario.run.engine = Run::Engine::heap;
  return scenario;
}

Hits hits_of(const Scenario& scenario) {
  Hits hits;
  run_scenario(scenario, hits);
  return hits;
}

TEST(Theory, ACacheThatHoldsAllMissesEachPromptOnce) {
  const Hits hits = hits_of(one_user({.groups = 20, .tokens = 640}, 1'000'000, 5000));
  EXPECT_EQ(hits.found, 5000 - 20);
  EXPECT_EQ(hits.tokens, (5000 - 20) * 640);
}

TEST(Theory, PromptsThatComeInTurnAreAllFoundOrNoneIs) {
  const SharedPrefix in_turn{.groups = 10, .tokens = 16, .order = SharedPrefix::Order::round_robin};
  // Between two uses of a prompt go the nine others, each with a last block of its own: LRU holds
  // them all in 20 blocks, and in ten it forgets each prompt just before it is asked for.
  EXPECT_EQ(hits_of(one_user(in_turn, 20, 1000)).found, 990);
  EXPECT_EQ(hits_of(one_user(in_turn, 10, 1000)).found, 0);
}

/// The share of requests that find one of `groups` items under Zipf's law in an LRU cache of
/// `blocks`, when each request also puts an item there that nobody asks for. H. Che, Y. Tung,
/// Z. Wang, "Hierarchical Web Caching Systems: Modeling, Design and Experimental Results", IEEE
/// JSAC 20 (2002): an item stays for the time T, in requests, that solves
/// Σ (1 − e^(−q T)) + T = blocks.
double ches_approximation(const SharedPrefix& prefix, double blocks) {
  std::vector<double> shares;
  double sum = 0;
  for (std::int64_t k = 1; k <= prefix.groups; ++k) {
    shares.push_back(std::pow(static_cast<double>(k), -prefix.zipf));
    sum += shares.back();
  }
  double low = 0, high = blocks;
  for (int i = 0; i < 100; ++i) {
    const double time = (low + high) / 2;
    double held = time;
    for (const double share : shares) held += 1 - std::exp(-share / sum * time);
    (held < blocks ? low : high) = time;
  }
  double found = 0;
  for (const double share : shares) found += share / sum * (1 - std::exp(-share / sum * low));
  return found;
}

TEST(Theory, PromptsByZipfsLawAreFoundAsChesApproximationSays) {
  for (const double zipf : {0.7, 1.0, 1.3}) {
    for (const std::int64_t blocks : {50, 200, 600}) {
      const SharedPrefix prefix{.groups = 400, .tokens = 16, .zipf = zipf};
      const Hits hits = hits_of(one_user(prefix, blocks, 200'000));
      EXPECT_NEAR(static_cast<double>(hits.found) / 200'000,
                  ches_approximation(prefix, static_cast<double>(blocks)), 0.01)
          << "exponent " << zipf << ", " << blocks << " blocks";
    }
  }
}

}  // namespace
}  // namespace headway
