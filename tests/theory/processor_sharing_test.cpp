// Requests that share the front's link are an M/G/1 queue with processor sharing: its mean number
// is ρ/(1 − ρ), whatever the law of their sizes (Kleinrock, Queueing Systems II, 1976, 4.4).
#include <gtest/gtest.h>

#include <cmath>

#include "agreement.hpp"
#include "birth_death.hpp"

namespace headway {
namespace {

constexpr double kMu = 1 / kServiceSeconds;
constexpr double kBytesPerSecond = 1e9;

/// Requests of these sizes on the link, to a station that takes no time.
Scenario shared_link(double load, const Distribution& bytes, std::int64_t requests) {
  Scenario scenario = open_queue(load * kMu, fixed_law(0), requests);
  scenario.workload[0].request_bytes = bytes;
  scenario.front.bandwidth = kBytesPerSecond;
  return scenario;
}

void expect_sharing(const std::string& queue, double load, const Distribution& bytes,
                    double tolerance) {
  const Scenario scenario = shared_link(load, bytes, 300'000);
  const std::vector<double> errors =
      replicated_errors(scenario, {&QueueFigures::number, &QueueFigures::sojourn});
  expect_agreement(queue, scenario,
                   {{"number in system", &QueueFigures::number, load / (1 - load), errors[0]},
                    {"sojourn s", &QueueFigures::sojourn, kServiceSeconds / (1 - load), errors[1]}},
                   tolerance);
}

TEST(Theory, MM1ProcessorSharingOnTheFrontLink) {
  // With exponential sizes the number is the birth-death chain of M/M/1.
  const double load = 0.8, rate = load * kMu;
  const std::int64_t requests = 1'000'000;
  const double seconds = static_cast<double>(requests) / rate;
  const QueueAverages chain = averages(mmc(rate, kMu, 1));
  expect_agreement(
      "M/M/1 shared at 0.8",
      shared_link(load, exponential_law(kServiceSeconds * kBytesPerSecond), requests),
      {{"number in system", &QueueFigures::number, 4, chain.number.error(seconds)},
       {"sojourn s", &QueueFigures::sojourn, 5 * kServiceSeconds, chain.sojourn.error(seconds)}},
      0.05);
}

TEST(Theory, MD1ProcessorSharingOnTheFrontLink) {
  expect_sharing("M/D/1 shared at 0.7", 0.7, fixed_law(kServiceSeconds * kBytesPerSecond), 0.05);
}

TEST(Theory, ProcessorSharingOfVeryUnequalRequestsWaitsAsThatOfEqualOnes) {
  Distribution sizes;
  sizes.kind = Distribution::Kind::gamma;
  sizes.a = kServiceSeconds * kBytesPerSecond;
  sizes.b = 3;  // first come, first served, they would wait ten times as long as equal ones
  expect_sharing("M/G/1 shared at 0.7, cv 3", 0.7, sizes, 0.1);
}

}  // namespace
}  // namespace headway
