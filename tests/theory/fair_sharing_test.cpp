// Weighted fair sharing between tenants: those with a backlog are served in the ratio of their
// weights, and who asks for less than a share waits for little more than the request in service (P.
// Goyal, H. Vin, H. Cheng, Start-time fair queueing, ACM SIGCOMM 1996, theorems 1 and 4).
#include <gtest/gtest.h>

#include <array>

#include "agreement.hpp"
#include "sim/engine/engine.hpp"

namespace headway {
namespace {

/// Tokens of the completed requests of each class.
struct Served final : Observer {
  std::array<double, 3> tokens{};

  void on_arrival(Time, std::uint32_t) override {}
  void on_departure(Time, const RequestRecord& record) override {
    if (record.outcome != Outcome::completed) return;
    tokens.at(record.workload_class) += record.input_tokens + record.output_tokens;
  }
  void on_token_gaps(Time, std::int64_t) override {}
  void on_steps(const StepSpan&) override {}
  void on_preemption(Time, std::uint32_t) override {}
};

/// Three tenants whose users never leave their queue empty, with requests of unlike lengths.
Scenario backlogged(const std::array<double, 3>& weights, QueueOrder order) {
  constexpr double kLengths[] = {400, 60, 10};
  Scenario scenario;
  for (std::uint32_t c = 0; c < 3; ++c) {
    WorkloadClass& each = scenario.workload.emplace_back();
    each.name = "class" + std::to_string(c);
    each.arrivals.kind = Arrivals::Kind::closed;
    each.arrivals.users = 500;
    each.input_tokens = exponential_law(kLengths[c]);
    each.output_tokens = exponential_law(kLengths[c] / 4);
    for (auto* law : {&each.input_tokens, &each.output_tokens}) {
      (*law)->min = 1;
      (*law)->max = 4000;
    }
    each.tenant_index = c;
    scenario.tenants.push_back({.name = each.name, .weight = weights.at(c)});
  }
  Pool& pool = scenario.fleet.emplace_back();
  pool.name = "main";
  pool.order = order;
  pool.step_time.emplace().base_seconds = 5e-3;
  pool.step_time->seconds_per_token = 1e-5;
  pool.batching.max_num_seqs = 16;
  pool.kv.blocks = 4000;
  pool.max_model_len = 8000;
  scenario.run.duration_seconds = 3000;
  scenario.run.engine = Run::Engine::heap;
  return scenario;
}

TEST(FairSharing, BackloggedTenantsGetTokensInTheRatioOfTheirWeights) {
  const std::array<double, 3> weights = {1, 2, 0.5};
  Served fair, fcfs;
  run_scenario(backlogged(weights, QueueOrder::fair), fair);
  run_scenario(backlogged(weights, QueueOrder::fcfs), fcfs);
  const double unit = fair.tokens[0];
  std::cout << "tokens by weight, of " << unit << ": " << fair.tokens[1] / unit / weights[1] << ", "
            << fair.tokens[2] / unit / weights[2]
            << "; first come, first served: " << fcfs.tokens[1] / fcfs.tokens[0] << ", "
            << fcfs.tokens[2] / fcfs.tokens[0] << "\n";
  // Off by the requests under way: 16 of thousands.
  EXPECT_GT(unit, 1e6);
  EXPECT_NEAR(fair.tokens[1] / unit, 2, 0.02);
  EXPECT_NEAR(fair.tokens[2] / unit, 0.5, 0.005);
  // First come, first served: a request of each in turn, so in the ratio of the lengths.
  EXPECT_NEAR(fcfs.tokens[1] / fcfs.tokens[0], 60.0 / 400, 0.01);
}

TEST(FairSharing, AFloodDoesNotDelayATenantThatAsksForLittle) {
  // Requests of 1 ms; the flood is half as much again as the station serves, the other takes a
  // tenth of it: 100,000 requests.
  constexpr double kLittle = 0.1, kFlood = 1.5;
  Scenario scenario = open_queue(kLittle / kServiceSeconds, fixed_law(kServiceSeconds), 1'600'000);
  scenario.workload.push_back(scenario.workload[0]);
  scenario.workload[1].name = "flood";
  scenario.workload[1].arrivals.rate = kFlood / kServiceSeconds;
  scenario.workload[1].tenant_index = 1;
  scenario.tenants = {{.name = "little"}, {.name = "flood"}};
  scenario.fleet[0].order = QueueOrder::fair;
  const QueueFigures figures = run_queue(scenario, 1);
  // A request waits for what is left of the one in service, half of it on average. If that is one
  // of its own, one of the flood follows; and each of its own in the queue before it means two
  // services, as the flood gets every other: W = S/2 + ρ S + λ W 2 S.
  const double wait = (0.5 + kLittle) / (1 - 2 * kLittle) * kServiceSeconds;
  EXPECT_NEAR(wait, 0.75e-3, 1e-9);
  EXPECT_NEAR(figures.wait_first, wait, 0.02 * wait);
  EXPECT_GT(figures.wait_second, 1) << "the flood waits for ever longer";
  scenario.fleet[0].order = QueueOrder::fcfs;
  EXPECT_GT(run_queue(scenario, 1).wait_first, 1);
}

}  // namespace
}  // namespace headway
