// A load balancer, a tokenizer and a station one behind the other. What leaves an M/M/c queue is a
// Poisson stream (P. Burke, The output of a queueing system, Operations Research 4(6), 1956), so
// each is an M/M/c queue by itself.
#include <gtest/gtest.h>

#include "agreement.hpp"
#include "birth_death.hpp"

namespace headway {
namespace {

TEST(Theory, QueuesOfTheFrontStandInTandem) {
  constexpr double kRate = 600, kBalancer = 2e-3, kTokenizer = 1.2e-3;
  Scenario scenario = open_queue(kRate, exponential_law(kServiceSeconds), 600'000);
  scenario.front.balancer = FrontStation{2, exponential_law(kBalancer), 0};
  scenario.front.tokenizer = FrontStation{1, exponential_law(kTokenizer), 0};
  const double number = averages(mmc(kRate, 1 / kBalancer, 2)).number.limit +
                        averages(mmc(kRate, 1 / kTokenizer, 1)).number.limit +
                        averages(mmc(kRate, 1 / kServiceSeconds, 1)).number.limit;
  // ρ = 0.6, 0.72, 0.6: 2 · 0.6 / (1 − 0.36) + 0.72 / 0.28 + 0.6 / 0.4.
  EXPECT_NEAR(number, 1.875 + 2.571428571 + 1.5, 1e-6);
  const std::vector<double> errors =
      replicated_errors(scenario, {&QueueFigures::number, &QueueFigures::sojourn});
  expect_agreement("M/M/2, M/M/1, M/M/1", scenario,
                   {{"number", &QueueFigures::number, number, errors[0]},
                    {"sojourn", &QueueFigures::sojourn, number / kRate, errors[1]}},
                   0.02);
}

}  // namespace
}  // namespace headway
