// Batches from one queue, of a service time that does not depend on their size, against the
// stationary law of the chain at the ends of service.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "agreement.hpp"

namespace headway {
namespace {

struct BulkQueue {
  double number = 0, waiting = 0;  // mean requests in the system, and not in service
};

/// Poisson arrivals at `rate`; a free server starts a batch as soon as `least` wait, of all that
/// wait but `most` at the most, for `service` seconds. The number X left behind at the end of a
/// service is a Markov chain: the next service starts with Y = max(X, least), and leaves
/// Y − min(Y, most) + A behind, A the Poisson arrivals during it. Its stationary law (truncated at
/// 400, by iteration) and the renewal-reward theorem over one service and the wait before it give
/// the time averages.
BulkQueue solve_bulk(double rate, double service, int least, int most) {
  constexpr int kStates = 400;
  const double mean = rate * service;
  std::vector<double> arrivals(kStates + 1);
  for (int a = 0; a <= kStates; ++a) {
    arrivals[static_cast<std::size_t>(a)] =
        std::exp(a * std::log(mean) - mean - std::lgamma(a + 1));
  }
  std::vector<double> law(kStates + 1, 0.0);
  law[0] = 1;
  for (double moved = 1; moved > 1e-13;) {
    std::vector<double> next(kStates + 1, 0.0);
    for (int x = 0; x <= kStates; ++x) {
      const int y = std::max(x, least), left = y - std::min(y, most);
      for (int a = 0; left + a <= kStates; ++a) {
        next[static_cast<std::size_t>(left) + static_cast<std::size_t>(a)] +=
            law[static_cast<std::size_t>(x)] * arrivals[static_cast<std::size_t>(a)];
      }
    }
    moved = 0;
    for (std::size_t x = 0; x <= kStates; ++x) moved += std::fabs(next[x] - law[x]);
    law = next;
  }
  double cycle = 0, number = 0, waiting = 0, served = 0;
  for (int x = 0; x <= kStates; ++x) {
    const double p = law[static_cast<std::size_t>(x)];
    const int y = std::max(x, least), batch = std::min(y, most);
    double filling = 0;  // ∫ N dt while x grows to `least`, a mean gap of arrivals at each level
    for (int level = x; level < y; ++level) filling += level / rate;
    const double joining = mean * service / 2;  // ∫ of those who arrive during the service
    cycle += p * (service + (y - x) / rate);
    number += p * (filling + y * service + joining);
    waiting += p * (filling + (y - batch) * service + joining);
    served += p * batch;
  }
  EXPECT_NEAR(served / cycle / rate, 1, 1e-9) << "what enters leaves";
  return {number / cycle, waiting / cycle};
}

void expect_bulk(const std::string& name, const Batching& batching, int least, int most,
                 double load) {
  constexpr std::int64_t kRequests = 3'000'000;
  const double rate = load * most / kServiceSeconds;
  const BulkQueue theory = solve_bulk(rate, kServiceSeconds, least, most);
  Scenario scenario = open_queue(rate, fixed_law(kServiceSeconds), kRequests);
  scenario.fleet[0].batching = batching;
  const std::vector<double> errors = replicated_errors(
      scenario,
      {&QueueFigures::number, &QueueFigures::waiting, &QueueFigures::sojourn, &QueueFigures::wait});
  expect_agreement(fmt::format("{} at {}", name, load), scenario,
                   {{"number in system", &QueueFigures::number, theory.number, errors[0]},
                    {"number waiting", &QueueFigures::waiting, theory.waiting, errors[1]},
                    {"sojourn s", &QueueFigures::sojourn, theory.number / rate, errors[2]},
                    {"wait s", &QueueFigures::wait, theory.waiting / rate, errors[3]}},
                   0.02);
}

TEST(Theory, TheNumericSolutionOfBatchesOfOneIsMD1) {
  for (const double load : {0.3, 0.8}) {
    const double wait = load / 2 / (1 - load);
    EXPECT_NEAR(solve_bulk(load, 1, 1, 1).waiting, load * wait, 1e-9);
  }
}

TEST(Theory, DynamicBatchesAreMD1WithBulkServiceOf1ToB) {
  Batching batching;
  batching.kind = Batching::Kind::dynamic;
  batching.max_size = 4;
  expect_bulk("M/D^[1,4]/1", batching, 1, 4, 0.4);
  expect_bulk("M/D^[1,4]/1", batching, 1, 4, 0.8);
  batching.max_size = 16;
  expect_bulk("M/D^[1,16]/1", batching, 1, 16, 0.9);
}

TEST(Theory, StaticBatchesWithoutTimeOutAreBulkServiceOfExactlyN) {
  Batching batching;
  batching.kind = Batching::Kind::fixed;
  batching.size = 4;
  batching.timeout_seconds = 1e6;
  expect_bulk("M/D^[4,4]/1", batching, 4, 4, 0.3);
  expect_bulk("M/D^[4,4]/1", batching, 4, 4, 0.8);
}

}  // namespace
}  // namespace headway
