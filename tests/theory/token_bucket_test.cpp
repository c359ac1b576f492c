// A token bucket before Poisson arrivals. What is missing in a bucket of K requests falls at its
// rate, rises by one with each request that is let in, and lets none in that would raise it over K:
// it is the unfinished work of an M/D/1/K queue, and the bucket rejects as much as that queue.
#include <gtest/gtest.h>

#include <cmath>

#include "agreement.hpp"

namespace headway {
namespace {

/// Blocking of an M/D/1/K queue at this load: O. Brun and J.-M. Garcia, Analytical solution of
/// finite capacity M/D/1 queues, Journal of Applied Probability 37(4), 2000.
double blocking(double load, int places) {
  const int last = places - 1;
  double b = 0, factorial = 1;
  for (int k = 0; k <= last; ++k) {
    if (k > 0) factorial *= k;
    b += std::pow(-1, k) / factorial * std::pow((last - k) * load, k) * std::exp((last - k) * load);
  }
  return 1 - b / (1 + load * b);
}

TEST(Theory, TheBlockingOfOnePlaceIsErlangsAndOfManyIsWhatIsTooMuch) {
  EXPECT_NEAR(blocking(0.7, 1), 0.7 / 1.7, 1e-12);
  EXPECT_NEAR(blocking(1, 2), 1 / (1 + std::exp(1)), 1e-12);
  EXPECT_NEAR(blocking(1.5, 12), 1 - 1 / 1.5, 1e-3);
}

TEST(Theory, ATokenBucketRejectsLikeAQueueOfDeterministicServices) {
  constexpr double kRate = 100;
  const struct {
    double load;
    int places;
  } cases[] = {{0.8, 1}, {0.9, 5}, {1.3, 3}};
  for (const auto& each : cases) {
    Scenario scenario = open_queue(each.load * kRate, fixed_law(1e-6), 500'000);
    scenario.tenants = {Tenant{
        .name = "customers", .requests_per_second = kRate, .burst_seconds = each.places / kRate}};
    const std::vector<double> errors = replicated_errors(scenario, {&QueueFigures::loss});
    expect_agreement(
        "bucket of " + std::to_string(each.places), scenario,
        {{"rejected", &QueueFigures::loss, blocking(each.load, each.places), errors[0]}}, 0.03);
  }
}

}  // namespace
}  // namespace headway
