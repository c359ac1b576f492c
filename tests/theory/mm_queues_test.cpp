// M/M/1, M/M/4, M/M/1/K and the machine-repair queue against their closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "agreement.hpp"
#include "birth_death.hpp"

namespace headway {
namespace {

constexpr double kMu = 1 / kServiceSeconds;

/// The figures of an open queue with closed forms of L and Lq, and the errors of this chain.
std::vector<Expected> open_figures(const QueueAverages& chain, double rate, double number,
                                   double waiting, double seconds) {
  return {{"number in system", &QueueFigures::number, number, chain.number.error(seconds)},
          {"number waiting", &QueueFigures::waiting, waiting, chain.waiting.error(seconds)},
          {"sojourn s", &QueueFigures::sojourn, number / rate, chain.sojourn.error(seconds)},
          {"wait s", &QueueFigures::wait, waiting / rate, chain.wait.error(seconds)}};
}

/// The run starts empty. What that takes from the mean over a whole run is known exactly: small
/// against the standard error, so nothing is discarded.
void expect_negligible_start(const TimeAverage& average, double seconds) {
  EXPECT_LT(std::fabs(average.bias / seconds), 0.05 * average.error(seconds));
}

double erlang_c(int servers, double offered) {
  double term = 1, sum = 0;
  for (int n = 0; n < servers; ++n) {
    sum += term;
    term *= offered / (n + 1);
  }
  const double all_busy = term / (1 - offered / servers);
  return all_busy / (sum + all_busy);
}

void expect_open(int servers, double load, std::int64_t requests, double tolerance) {
  const double offered = load * servers, rate = offered * kMu;
  const double waiting = erlang_c(servers, offered) * load / (1 - load);
  const double seconds = static_cast<double>(requests) / rate;
  const QueueAverages chain = averages(mmc(rate, kMu, servers));
  EXPECT_NEAR(chain.number.limit / (waiting + offered), 1, 1e-9);
  expect_negligible_start(chain.number, seconds);
  expect_negligible_start(chain.sojourn, seconds);
  expect_agreement(fmt::format("M/M/{} at {}", servers, load),
                   open_queue(rate, exponential_law(kServiceSeconds), requests, servers),
                   open_figures(chain, rate, waiting + offered, waiting, seconds), tolerance);
}

TEST(Theory, AsymptoticVariancesAreThosePublished) {
  for (const double rho : {0.3, 0.5, 0.8, 0.95}) {
    const QueueAverages chain = averages(mmc(rho, 1, 1));
    // Whitt, Planning queueing simulations, Management Science 35(11), 1989, (23).
    EXPECT_NEAR(chain.number.variance / (2 * rho * (1 + rho) / std::pow(1 - rho, 4)), 1, 1e-6);
    // Daley, The serial correlation coefficients of waiting times in a stationary single server
    // queue, J. Austral. Math. Soc. 8, 1968: per customer, so times 1/ρ a unit of time.
    const double wait =
        rho * (2 + 5 * rho - 4 * rho * rho + rho * rho * rho) / std::pow(1 - rho, 4);
    EXPECT_NEAR(chain.wait.variance * rho / wait, 1, 1e-6);
  }
}

TEST(Theory, MM1AtHalfLoad) {
  expect_open(1, 0.5, 5'000'000, 0.02);
}
TEST(Theory, MM1At80PerCentLoadWaits4ServiceTimes) {
  expect_open(1, 0.8, 4'000'000, 0.02);
}
TEST(Theory, MM1At95PerCentLoad) {
  expect_open(1, 0.95, 9'000'000, 0.05);
}
TEST(Theory, MM4AtHalfLoad) {
  expect_open(4, 0.5, 5'000'000, 0.02);
}
TEST(Theory, MM4At80PerCentLoad) {
  expect_open(4, 0.8, 4'000'000, 0.02);
}
TEST(Theory, MM4At95PerCentLoad) {
  expect_open(4, 0.95, 9'000'000, 0.05);
}

TEST(Theory, MM1KLosesWhatFindsItFull) {
  constexpr int kCapacity = 5;  // one in service, four waiting
  constexpr std::int64_t kRequests = 3'000'000;
  for (const double rho : {0.9, 1.5}) {
    // π_n = ρ^n (1 − ρ) / (1 − ρ^(K+1))
    const double scale = (1 - rho) / (1 - std::pow(rho, kCapacity + 1));
    double number = 0, waiting = 0;
    for (int n = 1; n <= kCapacity; ++n) {
      number += n * std::pow(rho, n) * scale;
      waiting += (n - 1) * std::pow(rho, n) * scale;
    }
    const double loss = std::pow(rho, kCapacity) * scale;
    const double rate = rho * kMu, entered = rate * (1 - loss);
    const double seconds = static_cast<double>(kRequests) / rate;
    const QueueAverages chain = averages(mm1k(rate, kMu, kCapacity));
    expect_negligible_start(chain.loss, seconds);
    auto expected = open_figures(chain, entered, number, waiting, seconds);
    expected.push_back({"loss", &QueueFigures::loss, loss, chain.loss.error(seconds)});
    Scenario scenario = open_queue(rate, exponential_law(kServiceSeconds), kRequests);
    scenario.fleet[0].max_queue = kCapacity - 1;
    expect_agreement(fmt::format("M/M/1/{} at {}", kCapacity, rho), scenario, expected, 0.02);
  }
}

TEST(Theory, TheClosedMachineRepairQueue) {
  constexpr int kUsers = 20;
  constexpr std::int64_t kRequests = 3'000'000;
  for (const double think_seconds : {40e-3, 20e-3, 10e-3}) {
    // π_n ∝ N! / (N − n)! · r^n with r = service / think (Feller, vol. 1, XVII.7).
    const double r = kServiceSeconds / think_seconds;
    double term = 1, total = 1, weighted = 0, waits = 0;
    for (int n = 1; n <= kUsers; ++n) {
      term *= (kUsers - n + 1) * r;
      total += term;
      weighted += n * term;
      waits += (n - 1) * term;
    }
    const double number = weighted / total, waiting = waits / total;
    const double throughput = (1 - 1 / total) * kMu;
    const double seconds = static_cast<double>(kRequests) / throughput;
    const QueueAverages chain = averages(machine_repair(kUsers, 1 / think_seconds, kMu));
    EXPECT_NEAR(chain.number.limit / number, 1, 1e-9);
    expect_negligible_start(chain.number, seconds);
    auto expected = open_figures(chain, throughput, number, waiting, seconds);
    expected.push_back(
        {"throughput", &QueueFigures::throughput, throughput, chain.throughput.error(seconds)});
    expect_agreement(fmt::format("{} users, think {} ms", kUsers, 1e3 * think_seconds),
                     closed_queue(kUsers, exponential_law(think_seconds),
                                  exponential_law(kServiceSeconds), kRequests),
                     expected, 0.02);
  }
}

}  // namespace
}  // namespace headway
