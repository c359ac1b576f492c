#include "gui/runs/short_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headway {

namespace {

// Enough for p99 to some per cent, and simulated within a tenth of a second.
constexpr double kShortRequests = 10000;
constexpr double kClosedShare = 0.1;
// A run that is cut by less than this is as well made in full.
constexpr double kWorthwhile = 0.5;

// Requests a second that are offered; 0 where answers set the pace.
double offered_rate(const Scenario& scenario) {
  double rate = 0;
  for (const WorkloadClass& of : scenario.workload) {
    const Arrivals& arrivals = of.arrivals;
    if (arrivals.kind == Arrivals::Kind::closed) return 0;
    if (arrivals.kind == Arrivals::Kind::mmpp) {
      double stay = 0, requests = 0;
      for (const Arrivals::State& state : arrivals.states) {
        stay += state.mean_seconds;
        requests += state.mean_seconds * state.rate;
      }
      rate += requests / stay;
    } else {
      rate += arrivals.rate;
    }
  }
  return rate;
}

}  // namespace

std::vector<std::string> short_run_sets(const Scenario& scenario) {
  if (!scenario.stationary()) return {};
  const Run& run = scenario.run;
  const double rate = offered_rate(scenario);
  if (run.duration_seconds > 0) {
    const double seconds = rate > 0 ? kShortRequests / rate : run.duration_seconds * kClosedShare;
    if (seconds > kWorthwhile * run.duration_seconds) return {};
    return {fmt::format("run.duration={} s", seconds)};
  }
  if (static_cast<double>(run.requests) * kWorthwhile <= kShortRequests) return {};
  return {fmt::format("run.requests={}", kShortRequests)};
}

}  // namespace headway
