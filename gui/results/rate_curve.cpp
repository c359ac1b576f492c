#include "gui/results/rate_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr double kPointRequests = 30000;
constexpr double kSharesOfBound[] = {0.1, 0.25, 0.4, 0.55, 0.68, 0.78, 0.86, 0.92, 0.97};
constexpr double kFactors[] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4};
constexpr double kCloseEnough = 1.04;

}  // namespace

std::vector<std::string> load_sets(const Scenario& scenario, double factor) {
  std::vector<std::string> sets;
  for (const WorkloadClass& one : scenario.workload) {
    const Arrivals& arrivals = one.arrivals;
    if (!arrivals.trace_fallback.empty() && arrivals.kind != Arrivals::Kind::trace)
      throw InputError("the trace of class " + one.name +
                       " is not there, and the load of what stands in for it cannot be changed; "
                       "open " +
                       arrivals.trace_fallback + " in its place");
    const auto set = [&](const char* path, double value, const char* unit) {
      sets.push_back(fmt::format("workload.{}.arrivals.{}={}{}", one.name, path, value, unit));
    };
    const auto set_items = [&](const char* list, const auto& items) {
      for (std::size_t i = 0; i < items.size(); ++i)
        set(fmt::format("{}.{}.rate", list, i).c_str(), items[i].rate * factor, " /s");
    };
    switch (arrivals.kind) {
      case Arrivals::Kind::constant:
        set("constant.rate", arrivals.rate * factor, " /s");
        break;
      case Arrivals::Kind::poisson:
        set("poisson.rate", arrivals.rate * factor, " /s");
        break;
      case Arrivals::Kind::gamma:
        set("gamma.rate", arrivals.rate * factor, " /s");
        break;
      case Arrivals::Kind::diurnal:
        set("diurnal.rate", arrivals.rate * factor, " /s");
        break;
      case Arrivals::Kind::mmpp:
        set_items("mmpp.states", arrivals.states);
        break;
      case Arrivals::Kind::stages:
        set_items("stages", arrivals.stages);
        break;
      case Arrivals::Kind::trace:
        set("trace.speed", arrivals.trace_speed * factor, "");
        break;
      case Arrivals::Kind::closed:
        set("closed.users", std::max(1.0, std::round(static_cast<double>(arrivals.users) * factor)),
            "");
        break;
    }
  }
  return sets;
}

std::vector<std::string> length_sets(const Scenario& scenario,
                                     const std::optional<double>& offered_per_second,
                                     double factor) {
  if (!scenario.stationary()) return {};
  const Run& run = scenario.run;
  if (run.requests > 0 && static_cast<double>(run.requests) > kPointRequests)
    return {fmt::format("run.requests={}", kPointRequests)};
  if (run.duration_seconds <= 0 || !offered_per_second || *offered_per_second * factor <= 0)
    return {};
  const double seconds = kPointRequests / (*offered_per_second * factor);
  if (seconds >= run.duration_seconds) return {};
  return {fmt::format("run.duration={} s", seconds)};
}

std::vector<double> curve_factors(const CheckReport& check) {
  std::vector<double> factors;
  const double offered = check.offered_per_second.value_or(0), bound = check.bound_per_second;
  if (!(offered > 0) || !(bound > 0) || !std::isfinite(bound / offered))
    return {std::begin(kFactors), std::end(kFactors)};
  for (const double share : kSharesOfBound) factors.push_back(share * bound / offered);
  return factors;
}

std::optional<double> refining_factor(const std::vector<RatePoint>& points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto unstable = [&](std::size_t at) {
      return points[at].report->summary.stability.verdict == Verdict::unstable;
    };
    if (!unstable(i) || unstable(i - 1)) continue;
    if (points[i].factor < kCloseEnough * points[i - 1].factor) return {};
    return (points[i].factor + points[i - 1].factor) / 2;
  }
  return {};
}

}  // namespace headway
