// Two classes in one queue without preemption, against A. Cobham, Priority assignment in waiting
// line problems, Operations Research 2(1), 1954.
#include <gtest/gtest.h>

#include "agreement.hpp"

namespace headway {
namespace {

constexpr std::int64_t kRequests = 4'000'000;

/// The mean waits of the class served first and of the other: R / (1 − ρ₁) and
/// R / ((1 − ρ₁)(1 − ρ₁ − ρ₂)), R = λ E[S²] / 2 what is left of the service that an arrival finds.
void expect_cobham(const std::string& name, const Scenario& scenario, double residual, double first,
                   double second) {
  const std::vector<double> errors =
      replicated_errors(scenario, {&QueueFigures::wait_first, &QueueFigures::wait_second});
  expect_agreement(
      name, scenario,
      {{"wait of the first", &QueueFigures::wait_first, residual / (1 - first), errors[0]},
       {"wait of the second", &QueueFigures::wait_second,
        residual / (1 - first) / (1 - first - second), errors[1]}},
      0.02);
}

TEST(Theory, PriorityClassesOfAnMM1Queue) {
  constexpr double kFirst = 0.3, kSecond = 0.5;
  Scenario scenario =
      open_queue(kFirst / kServiceSeconds, exponential_law(kServiceSeconds), kRequests);
  scenario.workload[0].priority = 1;
  scenario.workload.push_back(scenario.workload[0]);
  scenario.workload[1].name = "second";
  scenario.workload[1].priority = 5;
  scenario.workload[1].arrivals.rate = kSecond / kServiceSeconds;
  scenario.fleet[0].order = QueueOrder::priority;
  // E[S²] = 2 E[S]²
  expect_cobham("M/M/1 by priority", scenario, (kFirst + kSecond) * kServiceSeconds, kFirst,
                kSecond);
}

TEST(Theory, ShortestFirstOnAnLlmThatServesOneRequestAtATime) {
  // An answer of n tokens takes a prefill and n − 1 decode steps, each of 1 ms.
  constexpr double kShortTokens = 2, kLongTokens = 20, kShortRate = 150, kLongRate = 25;
  Scenario scenario = open_queue(kShortRate, fixed_law(0), kRequests);
  scenario.workload[0].input_tokens = fixed_law(1);
  scenario.workload[0].output_tokens = fixed_law(kShortTokens);
  scenario.workload.push_back(scenario.workload[0]);
  scenario.workload[1].name = "long";
  scenario.workload[1].arrivals.rate = kLongRate;
  scenario.workload[1].output_tokens = fixed_law(kLongTokens);
  Pool& pool = scenario.fleet[0];
  pool.kind = Pool::Kind::llm;
  pool.order = QueueOrder::shortest_first;
  pool.step_time.emplace().base_seconds = 1e-3;
  pool.kv.blocks = 1000;
  pool.max_model_len = 1000;
  const double residual =
      1e-6 * (kShortRate * kShortTokens * kShortTokens + kLongRate * kLongTokens * kLongTokens) / 2;
  expect_cobham("shortest first", scenario, residual, 1e-3 * kShortRate * kShortTokens,
                1e-3 * kLongRate * kLongTokens);
}

}  // namespace
}  // namespace headway
