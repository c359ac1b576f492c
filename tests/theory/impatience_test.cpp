// Customers of little patience: M/M/c with exponential patience in the queue (Erlang's model A, C.
// Palm, Research on telephone traffic carried by full availability groups, Tele 1, 1957), by its
// birth-death chain.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agreement.hpp"
#include "birth_death.hpp"

namespace headway {
namespace {

constexpr double kMu = 1 / kServiceSeconds;

/// c servers; each that waits goes away at the rate `theta`. Cut where states are 1e-25 as likely
/// as an empty system.
BirthDeath erlang_a(double arrival_rate, int servers, double theta) {
  BirthDeath queue;
  queue.servers = servers;
  double likely = 1;
  for (int n = 1; likely > 1e-25; ++n) {
    queue.births.push_back(arrival_rate);
    queue.deaths.push_back(kMu * std::min(n, servers) + theta * std::max(0, n - servers));
    likely *= queue.births.back() / queue.deaths.back();
  }
  return queue;
}

/// The mean wait of those that are served. One that finds j waiting is served with probability
/// cμ / (cμ + (j + 1) θ); meanwhile the place in front of it, and then it, moves up in j + 1 stages
/// of rates cμ + iθ, i = 1 … j + 1, whoever goes.
double wait_of_the_served(const BirthDeath& queue, double theta) {
  const std::vector<double> pi = equilibrium(queue);
  const double all = kMu * queue.servers;
  double served = 0, wait = 0, stages = 0;
  for (std::size_t n = 0; n < pi.size(); ++n) {
    const int ahead = static_cast<int>(n) - queue.servers;
    if (ahead < 0) {
      served += pi[n];
      continue;
    }
    stages += 1 / (all + theta * (ahead + 1));
    const double is_served = all / (all + theta * (ahead + 1));
    served += pi[n] * is_served;
    wait += pi[n] * is_served * stages;
  }
  return wait / served;
}

void expect_erlang_a(double load, int servers, double patience_seconds) {
  constexpr std::int64_t kRequests = 1'000'000;
  const double rate = load * servers * kMu, theta = 1 / patience_seconds;
  const BirthDeath queue = erlang_a(rate, servers, theta);
  const QueueAverages chain = averages(queue);
  const double seconds = static_cast<double>(kRequests) / rate;
  Scenario scenario = open_queue(rate, exponential_law(kServiceSeconds), kRequests, servers);
  scenario.workload[0].timeouts.queue = exponential_law(patience_seconds);
  const std::vector<double> errors =
      replicated_errors(scenario, {&QueueFigures::loss, &QueueFigures::wait});
  expect_agreement(
      fmt::format("M/M/{} at {} with a patience of {:g} ms", servers, load, 1e3 * patience_seconds),
      scenario,
      {{"number in system", &QueueFigures::number, chain.number.limit, chain.number.error(seconds)},
       {"gone", &QueueFigures::loss, theta * chain.waiting.limit / rate, errors[0]},
       {"wait of the served", &QueueFigures::wait, wait_of_the_served(queue, theta), errors[1]}},
      0.03);
}

TEST(Theory, PatienceAsLongAsTheServiceMakesErlangAAnInfiniteServer) {
  // θ = μ: everybody leaves at the rate μ, waiting or not, so the number in system is Poisson.
  const BirthDeath queue = erlang_a(5 * kMu, 3, kMu);
  EXPECT_NEAR(averages(queue).number.limit, 5, 1e-9);
}

TEST(Theory, ImpatientCustomersOfOneServerAt80PerCentLoad) {
  expect_erlang_a(0.8, 1, 5 * kServiceSeconds);
}
TEST(Theory, ImpatientCustomersOfFourServersAbove100PerCentLoad) {
  expect_erlang_a(1.3, 4, 2 * kServiceSeconds);
}
TEST(Theory, ImpatientCustomersOfTenServersAt95PerCentLoad) {
  expect_erlang_a(0.95, 10, 10 * kServiceSeconds);
}

}  // namespace
}  // namespace headway
