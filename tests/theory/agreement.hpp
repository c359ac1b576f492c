// Whether a simulated figure agrees with theory, within its own standard error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "queue_run.hpp"

namespace headway {

/// The seeds of every comparison.
inline constexpr std::uint64_t kSeeds[] = {1, 2, 3};

/// One figure of a queue: how it is read off a run, what theory says, and its standard error.
struct Expected {
  std::string name;
  double QueueFigures::*figure;
  double theory;
  double error;
};

/// Runs the scenario with each seed and prints, for every figure, simulated, theory, relative error
/// and z. Fails unless |z| < 4.5 and the relative error is at most `tolerance`.
void expect_agreement(const std::string& queue, const Scenario& scenario,
                      const std::vector<Expected>& expected, double tolerance);

/// Standard errors of the figures of one run of the scenario, from 30 runs with other seeds and a
/// thirtieth of the requests each: a mean over so many is as accurate as the one long run.
std::vector<double> replicated_errors(Scenario scenario,
                                      const std::vector<double QueueFigures::*>& figures);

}  // namespace headway
