#include "sim/report/report.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <thread>

#include "sim/report/version.hpp"

namespace headway {

namespace {

RunFacts::Source source_of(const Pool& pool) {
  if (pool.kind == Pool::Kind::service)
    return {pool.name, "", "", "", "the service-time law of the scenario"};
  const std::string& engine = pool.placement.engine.name;
  return {pool.name, pool.placement.architecture.name, pool.placement.gpu.name, engine,
          pool.step_time ? "coefficients given in the scenario"
                         : "measured profiles where they reach, else the roofline: data-sheet peak "
                           "rates x stated efficiencies of " +
                               engine};
}

/// The shares that are there, in per cent.
std::string shares_text(const PoolUse& use) {
  std::string text;
  const struct {
    double share;
    const char* name;
  } parts[] = {{use.from_profile, "measured"},
               {use.from_interpolation, "between measured shapes"},
               {use.from_roofline, "roofline (data sheet)"}};
  for (const auto& part : parts) {
    if (part.share < 0.005) continue;
    text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", 100 * part.share, part.name);
  }
  return text;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

RunFacts facts_of(const Scenario& scenario) {
  RunFacts facts;
  facts.seed = scenario.run.seed;
  facts.warnings = scenario.warnings;
  for (const WorkloadClass& workload_class : scenario.workload)
    facts.client_cap = facts.client_cap || workload_class.max_concurrency > 0;
  for (const Pool& pool : scenario.fleet) facts.sources.push_back(source_of(pool));
  return facts;
}

void tell_step_times(const Summary& summary, const std::vector<std::string>& sources,
                     RunFacts& facts) {
  constexpr double kMostOutside = 0.05;
  for (std::size_t i = 0; i < facts.sources.size() && i < summary.pools.size(); ++i) {
    const PoolUse& use = summary.pools[i];
    if (use.from_profile + use.from_interpolation + use.from_roofline <= 0) continue;
    RunFacts::Source& source = facts.sources[i];
    if (use.from_profile + use.from_interpolation > 0) {
      source.step_times = fmt::format("{}; of the GPU's time {}",
                                      i < sources.size() ? sources[i] : "", shares_text(use));
    } else {
      source.step_times = "roofline: data-sheet peak rates x stated efficiencies of " +
                          source.engine + "; no measured profile";
    }
    if (use.outside_measured > kMostOutside) {
      facts.warnings.push_back(
          fmt::format("{}: {:.0f} % of the step time is for shapes beyond those measured", use.name,
                      100 * use.outside_measured));
    }
  }
}

Provenance provenance_of(const Scenario& scenario, double wall_seconds) {
  Provenance provenance;
  provenance.headway_version = kVersion;
  provenance.scenario_file = scenario.file;
  provenance.engine = scenario.run.engine == Run::Engine::heap ? "heap" : "simgrid";
  provenance.stepping = scenario.run.stepping == Run::Stepping::reference ? "reference" : "fast";
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) == 0) provenance.host = host;
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char stamp[32] = "";
  if (::gmtime_r(&now, &utc) != nullptr)
    std::strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
  provenance.finished_at = stamp;
  provenance.cores = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  provenance.wall_seconds = wall_seconds;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0) {
    provenance.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    provenance.peak_memory_bytes = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  }
  return provenance;
}

}  // namespace headway
