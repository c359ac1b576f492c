// One server without a queue: who finds it busy tries again later (the M/M/1/1 retrial queue), or
// is lost.
#include <gtest/gtest.h>

#include <cmath>

#include "agreement.hpp"

namespace headway {
namespace {

/// Mean service. The least time of a failure, 1 ms, is nothing beside it.
constexpr double kMeanService = 5;

/// Requests in the orbit, by the equations of its chain. With c = 0, 1 requests at the server and n
/// in the orbit: (λ + nθ) p(0, n) = μ p(1, n), and the flow up from n is the flow down from n + 1:
/// λ p(1, n) = (n + 1) θ p(0, n + 1).
double orbit_by_chain(double arrival_rate, double service_rate, double retry_rate) {
  double idle = 1, sum = 0, moment = 0;
  for (int n = 0; n < 10'000; ++n) {
    const double busy = (arrival_rate + n * retry_rate) * idle / service_rate;
    sum += idle + busy;
    moment += n * (idle + busy);
    idle = arrival_rate * busy / ((n + 1) * retry_rate);
  }
  return moment / sum;
}

/// ρ / (1 − ρ) · (ρ + λ/θ): Falin and Templeton, Retrial Queues, 1997, 1.2.
double orbit_in_closed_form(double arrival_rate, double service_rate, double retry_rate) {
  const double load = arrival_rate / service_rate;
  return load / (1 - load) * (load + arrival_rate / retry_rate);
}

Scenario retrial_queue(double load, double retry_rate, std::int64_t requests) {
  Scenario scenario = open_queue(load / kMeanService, exponential_law(kMeanService), requests);
  scenario.admission.max_requests = 1;
  Retries& retries = scenario.workload[0].retries;
  retries.attempts = 1'000'000;
  retries.backoff_seconds = 1 / retry_rate;
  retries.factor = 1;
  retries.longest_seconds = 1e6;
  retries.jitter = Retries::Jitter::exponential;
  return scenario;
}

TEST(Theory, TheClosedFormOfARetrialQueueIsThatOfItsChain) {
  for (const double load : {0.2, 0.6, 0.9}) {
    for (const double retry_rate : {0.1, 1.0, 10.0}) {
      EXPECT_NEAR(orbit_by_chain(load, 1, retry_rate) / orbit_in_closed_form(load, 1, retry_rate),
                  1, 1e-9);
    }
  }
}

TEST(Theory, WhoFindsTheServerBusyTriesAgain) {
  constexpr double kLoad = 0.6, kRetryRate = 0.5 / kMeanService;
  const Scenario scenario = retrial_queue(kLoad, kRetryRate, 400'000);
  const double arrival_rate = kLoad / kMeanService;
  const double orbit = orbit_by_chain(arrival_rate, 1 / kMeanService, kRetryRate);
  EXPECT_NEAR(orbit, 2.7, 1e-9) << "0.6 / 0.4 · (0.6 + 1.2)";
  const std::vector<double> errors = replicated_errors(
      scenario, {&QueueFigures::number, &QueueFigures::sojourn, &QueueFigures::retries});
  expect_agreement(
      "M/M/1/1 with retries", scenario,
      {{"number", &QueueFigures::number, orbit + kLoad, errors[0]},
       {"sojourn", &QueueFigures::sojourn, (orbit + kLoad) / arrival_rate, errors[1]},
       {"retries a request", &QueueFigures::retries, kRetryRate * orbit / arrival_rate, errors[2]}},
      0.03);
}

TEST(Theory, WhoFindsAllServersBusyIsLost) {
  // Erlang's B of three servers and two erlangs: (2³/3!) / (1 + 2 + 2²/2! + 2³/3!) = 4/19.
  Scenario scenario = open_queue(2 / kMeanService, exponential_law(kMeanService), 400'000, 3);
  scenario.admission.max_requests = 3;
  const std::vector<double> errors = replicated_errors(scenario, {&QueueFigures::loss});
  expect_agreement("M/M/3/3 at the door", scenario,
                   {{"loss", &QueueFigures::loss, 4.0 / 19, errors[0]}}, 0.02);
}

}  // namespace
}  // namespace headway
