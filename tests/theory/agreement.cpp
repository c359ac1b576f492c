#include "agreement.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

namespace headway {

namespace {
constexpr double kLargestZ = 4.5;
constexpr int kReplications = 30;
}  // namespace

void expect_agreement(const std::string& queue, const Scenario& scenario,
                      const std::vector<Expected>& expected, double tolerance) {
  for (const std::uint64_t seed : kSeeds) {
    const QueueFigures figures = run_queue(scenario, seed);
    for (const Expected& e : expected) {
      const double simulated = figures.*e.figure;
      const double z = (simulated - e.theory) / e.error;
      const double relative = simulated / e.theory - 1;
      std::cout << fmt::format(
          "{:<22} seed {} {:>9} requests  {:<18} {:>12.6g} theory {:>12.6g}  {:>+7.3f} %  z "
          "{:>+5.2f}\n",
          queue, seed, figures.arrived, e.name, simulated, e.theory, 100 * relative, z);
      EXPECT_LT(std::fabs(z), kLargestZ) << queue << ", " << e.name << ", seed " << seed;
      EXPECT_LE(std::fabs(relative), tolerance) << queue << ", " << e.name << ", seed " << seed;
    }
  }
}

std::vector<double> replicated_errors(Scenario scenario,
                                      const std::vector<double QueueFigures::*>& figures) {
  scenario.run.requests /= kReplications;
  std::vector<double> sums(figures.size()), squares(figures.size());
  for (int r = 0; r < kReplications; ++r) {
    const QueueFigures run = run_queue(scenario, 1000 + static_cast<std::uint64_t>(r));
    for (std::size_t f = 0; f < figures.size(); ++f) {
      sums[f] += run.*figures[f];
      squares[f] += std::pow(run.*figures[f], 2);
    }
  }
  std::vector<double> errors;
  for (std::size_t f = 0; f < figures.size(); ++f) {
    const double variance = (squares[f] - sums[f] * sums[f] / kReplications) / (kReplications - 1);
    errors.push_back(std::sqrt(variance / kReplications));
  }
  return errors;
}

}  // namespace headway
