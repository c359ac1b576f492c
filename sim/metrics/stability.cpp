#include "sim/metrics/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/units.hpp"

namespace headway {

namespace {

constexpr double kUnstableZ = 5, kTrendZ = 2.5;
constexpr double kLeastGrowth = 0.01;  // of the offered rate
constexpr std::int64_t kFewSamples = 200;
constexpr double kWidestInterval = 0.2;   // of the mean
constexpr double kFarFromCapacity = 0.5;  // share of time with a queue
constexpr double kTargetInterval = 0.1;   // that a deciding run should reach

double mean_of(const std::vector<LoadSection>& sections, std::size_t first, std::size_t last,
               double LoadSection::*member) {
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += sections[i].*member;
  return sum / static_cast<double>(last - first);
}

Stability undecided(const Evidence& evidence, std::string reason, double factor) {
  Stability result;
  result.verdict = Verdict::undecided;
  result.reason = std::move(reason);
  factor = std::clamp(std::ceil(factor), 2.0, 1000.0);
  result.deciding_seconds = evidence.load_seconds * factor;
  result.what_would_decide =
      fmt::format("a run of about {} ({:.0f} times as long)",
                  format_quantity(result.deciding_seconds, Dimension::time), factor);
  return result;
}

Stability verdict_of(const Evidence& e) {
  const Growth& growth = e.growth;
  const bool grows = growth.waiting && growth.per_second > kLeastGrowth * growth.offered_per_second;
  if (grows && growth.z > kUnstableZ && !growth.empties) {
    Stability result;
    result.verdict = Verdict::unstable;
    result.reason =
        fmt::format("{:.3g} requests/s arrive, {:.3g} /s leave: the queue grows by {:.3g} /s",
                    growth.offered_per_second, growth.offered_per_second - growth.per_second,
                    growth.per_second);
    return result;
  }
  if (e.samples == 0) {
    Stability result;
    result.verdict = Verdict::undecided;
    result.reason = "no request completed in the measured part of the run";
    return result;
  }
  if (e.samples < kFewSamples) {
    return undecided(e, fmt::format("only {} requests were measured", e.samples),
                     2.0 * static_cast<double>(kFewSamples) /
                         static_cast<double>(std::max<std::int64_t>(e.samples, 1)));
  }
  if (grows && growth.z > kTrendZ) {
    return undecided(e, "the queue grew through the run, but not beyond chance",
                     std::max(4.0, std::pow(kUnstableZ / growth.z, 2)));
  }
  if (!e.settled) return undecided(e, "no steady state before half of the run", 4);
  Stability result;
  result.verdict = Verdict::stable;
  result.reason = "a steady state was reached and measured";
  if (e.waiting < kFarFromCapacity) {
    if (!e.e2e_half_width) {
      result.reason =
          "hardly any queue; latencies stay correlated over the run, so their mean has no interval";
    }
    return result;
  }
  if (!e.e2e_half_width) {
    return undecided(e, "latencies stay correlated over the whole run: too short for an interval",
                     10);
  }
  const double relative = e.mean_e2e > 0 ? *e.e2e_half_width / e.mean_e2e : 0;
  if (relative > kWidestInterval) {
    return undecided(e, fmt::format("mean latency is known to ± {:.0f} % only", 100 * relative),
                     std::pow(relative / kTargetInterval, 2));
  }
  return result;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::stable:
      return "stable";
    case Verdict::unstable:
      return "unstable";
    case Verdict::undecided:
      return "undecided";
    case Verdict::finite:
      return "finite";
  }
  return "unknown";
}

Growth measure_growth(const std::vector<LoadSection>& sections) {
  Growth growth;
  if (sections.size() < 12) return growth;
  const std::size_t n = sections.size(), first = n / 3, m = n - first;
  double seconds = 0;
  std::int64_t departures = 0;
  std::vector<double> increments;
  for (std::size_t i = first; i < n; ++i) {
    seconds += sections[i].seconds;
    growth.arrivals += sections[i].arrivals;
    departures += sections[i].departures;
    increments.push_back(static_cast<double>(sections[i].arrivals - sections[i].departures));
  }
  if (growth.arrivals == 0 || seconds <= 0) return growth;
  const auto gained = static_cast<double>(growth.arrivals - departures);
  growth.per_second = gained / seconds;
  growth.offered_per_second = static_cast<double>(growth.arrivals) / seconds;
  const double mean = gained / static_cast<double>(m);
  double squares = 0;
  for (const double x : increments) squares += (x - mean) * (x - mean);
  const double poisson = static_cast<double>(growth.arrivals + departures);
  const double spread = squares * static_cast<double>(m) / static_cast<double>(m - 1);
  growth.z = gained / std::sqrt(std::max(poisson, spread));
  const std::size_t quarter = m / 4;
  const double in_system = mean_of(sections, n - quarter, n, &LoadSection::in_system) -
                           mean_of(sections, first, first + quarter, &LoadSection::in_system);
  const double running = mean_of(sections, n - quarter, n, &LoadSection::running) -
                         mean_of(sections, first, first + quarter, &LoadSection::running);
  growth.waiting = in_system - running > 0.5 * in_system;
  const double before = mean_of(sections, 0, first, &LoadSection::in_system);
  std::int64_t fewest = INT64_MAX;
  for (std::size_t i = n - n / 3; i < n; ++i) fewest = std::min(fewest, sections[i].fewest);
  growth.empties = static_cast<double>(fewest) <= before;
  return growth;
}

Stability judge(const Evidence& evidence) {
  Stability result = verdict_of(evidence);
  result.growth_per_second = evidence.growth.per_second;
  result.growth_z = evidence.growth.z;
  return result;
}

}  // namespace headway
