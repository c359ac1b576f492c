// M/D/1 and M/G/1 against the Pollaczek-Khinchine formula, and M/D/1 with set-up times.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "agreement.hpp"

namespace headway {
namespace {

Distribution gamma_law(double mean, double cv) {
  Distribution law;
  law.kind = Distribution::Kind::gamma;
  law.a = mean;
  law.b = cv;
  return law;
}

Distribution lognormal_law(double mean, double cv) {
  Distribution law;
  law.kind = Distribution::Kind::lognormal;
  law.b = std::sqrt(std::log(1 + cv * cv));
  law.a = std::log(mean) - law.b * law.b / 2;
  return law;
}

/// Wq = ρ (1 + cv²) / 2 / (1 − ρ) service times. Standard errors come from 30 replications; they
/// start empty as the long runs do, which take as many relaxation times as in the exponential case,
/// where the start is a twentieth of the error or less.
void expect_pollaczek_khinchine(const std::string& name, const Distribution& service, double cv,
                                double load, std::int64_t requests) {
  const double rate = load / kServiceSeconds;
  const double wait = load * (1 + cv * cv) / 2 / (1 - load) * kServiceSeconds;
  const Scenario scenario = open_queue(rate, service, requests);
  const std::vector<double> errors = replicated_errors(
      scenario,
      {&QueueFigures::number, &QueueFigures::waiting, &QueueFigures::sojourn, &QueueFigures::wait});
  const double sojourn = wait + kServiceSeconds;
  expect_agreement(fmt::format("{} at {}", name, load), scenario,
                   {{"number in system", &QueueFigures::number, rate * sojourn, errors[0]},
                    {"number waiting", &QueueFigures::waiting, rate * wait, errors[1]},
                    {"sojourn s", &QueueFigures::sojourn, sojourn, errors[2]},
                    {"wait s", &QueueFigures::wait, wait, errors[3]}},
                   0.02);
}

TEST(Theory, MD1WaitsHalfAsLongAsMM1) {
  expect_pollaczek_khinchine("M/D/1", fixed_law(kServiceSeconds), 0, 0.5, 1'000'000);
  expect_pollaczek_khinchine("M/D/1", fixed_law(kServiceSeconds), 0, 0.8, 3'000'000);
}

TEST(Theory, MG1WithGammaServiceOfCv2) {
  expect_pollaczek_khinchine("M/G/1 gamma", gamma_law(kServiceSeconds, 2), 2, 0.5, 4'000'000);
  expect_pollaczek_khinchine("M/G/1 gamma", gamma_law(kServiceSeconds, 2), 2, 0.8, 8'000'000);
}

TEST(Theory, MG1WithLognormalServiceOfCv2) {
  expect_pollaczek_khinchine("M/G/1 log-normal", lognormal_law(kServiceSeconds, 2), 2, 0.5,
                             8'000'000);
}

/// An engine that takes one prompt at a time, in steps of one length, and wakes up first when it
/// was idle: M/D/1 with a set-up time D, whose wait is longer by (2D + λD²) / (2(1 + λD)) (P.
/// Welch, On a generalized M/G/1 queuing process in which the first customer of each busy period
/// receives exceptional service, Operations Research 12(5), 1964). The set-up is part of the wait.
TEST(Theory, AnEngineThatWakesUpIsMD1WithSetUpTimes) {
  for (const auto& [load, wakes] : {std::pair(0.3, 0.4e-3), std::pair(0.6, 2e-3)}) {
    const double rate = load / kServiceSeconds;
    Scenario scenario = open_queue(rate, fixed_law(kServiceSeconds), 2'000'000);
    scenario.workload[0].input_tokens = scenario.workload[0].output_tokens = fixed_law(1);
    Pool& pool = scenario.fleet[0];
    pool = Pool();
    pool.batching.max_num_seqs = 1;
    pool.kv.blocks = 100;
    pool.step_time = LinearStepCost{.base_seconds = kServiceSeconds};
    pool.placement.engine.idle_overhead_seconds = wakes;
    const std::vector<double> errors =
        replicated_errors(scenario, {&QueueFigures::sojourn, &QueueFigures::wait});
    const double wait = load / 2 / (1 - load) * kServiceSeconds +
                        (2 * wakes + rate * wakes * wakes) / (2 * (1 + rate * wakes));
    expect_agreement(fmt::format("M/D/1 at {}, set-up {} ms", load, 1e3 * wakes), scenario,
                     {{"sojourn s", &QueueFigures::sojourn, wait + kServiceSeconds, errors[0]},
                      {"wait s", &QueueFigures::wait, wait, errors[1]}},
                     0.02);
  }
}

}  // namespace
}  // namespace headway
