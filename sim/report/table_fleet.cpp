// The fleet in a result's table: use of the pools, the front, replicas that come and go, faults.
#include <fmt/format.h>

#include <algorithm>

#include "sim/report/table_sections.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr int kPoolName = 15;
constexpr int kPoolCell = 8;

std::string pool_heading(std::initializer_list<const char*> columns, const TableStyle& style) {
  std::string text = left("Pool", kPoolName);
  for (const char* column : columns) text += right(column, kPoolCell);
  return inked(style, Ink::bold, text) + "\n";
}

/// The name and a first number of a pool's line.
std::string pool_start(const PoolUse& pool, std::int64_t number) {
  const std::string name =
      pool.name.size() < kPoolName ? pool.name : pool.name.substr(0, kPoolName - 2) + "~";
  return left(name, kPoolName) + right(grouped(number), kPoolCell);
}

std::string share_cells(std::initializer_list<double> shares) {
  std::string text;
  for (const double share : shares) text += right(share_text(share), kPoolCell);
  return text;
}

class FleetSection {
 public:
  FleetSection(const Summary& summary, const TableStyle& style)
      : summary_(summary), style_(style) {}

  std::string text() {
    for (const FrontUse& station : summary_.front) front(station);
    for (const PoolUse& pool : summary_.pools) {
      if (comes_and_goes(pool)) replicas(pool);
      if (pool.availability.known) availability(pool);
    }
    faults();
    return std::move(out_);
  }

 private:
  void line(const std::string& label, const std::string& text) {
    out_ += labelled(label, text, Ink::bold, style_);
  }
  void front(const FrontUse& station);
  void replicas(const PoolUse& pool);
  void gpu_hours(const GpuHours& hours);
  void availability(const PoolUse& pool);
  void faults();

  const Summary& summary_;
  TableStyle style_;
  std::string out_;
};

void FleetSection::front(const FrontUse& station) {
  line("Front", fmt::format("{}: {} {}, {} busy, {} requests in line on average", station.name,
                            grouped(station.servers), station.servers == 1 ? "server" : "servers",
                            share_text(station.busy), number_text(station.queue)));
}

void FleetSection::replicas(const PoolUse& pool) {
  std::string text = fmt::format("{}: {} ready on average", pool.name, number_text(pool.ready));
  if (pool.ready_least != pool.ready_most)
    text += fmt::format(" ({} to {})", grouped(pool.ready_least), grouped(pool.ready_most));
  const auto add = [&](std::int64_t count, const char* one, const char* several) {
    if (count > 0) text += fmt::format(", {} {}", grouped(count), count == 1 ? one : several);
  };
  add(pool.start_ups, "start-up", "start-ups");
  add(pool.failures, "failure", "failures");
  line("Replicas", text);
  gpu_hours(pool.gpu_hours);
}

void FleetSection::gpu_hours(const GpuHours& hours) {
  std::string text;
  const auto part = [&](double gpu_hours, const std::string& what) {
    if (gpu_hours > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number_text(gpu_hours), what);
  };
  const auto of = [&](ReplicaPhase phase) { return hours.phase[static_cast<int>(phase)]; };
  part(of(ReplicaPhase::ready), "ready");
  part(starting_gpu_hours(hours), "starting");
  part(of(ReplicaPhase::draining), "draining");
  part(hours.rest_of_nodes, "rest of nodes");
  part(hours.minimum, "of minimum billing");
  if (!text.empty()) line("", "GPU-hours paid: " + text);
  const double unpaid = of(ReplicaPhase::down);
  if (unpaid > 0) line("", fmt::format("GPU-hours down: {}", number_text(unpaid)));
}

void FleetSection::availability(const PoolUse& pool) {
  line("Availability", pool.name + ": " + availability_text(pool.availability, pool.replicas));
  if (pool.up_share) line("", good_text(*pool.up_share) + " in this run");
}

/// What failed in the run: a share that was up over few faults, or none, is no evidence.
void FleetSection::faults() {
  std::string text;
  for (int kind = 0; kind < kFaultKinds; ++kind)
    if (const std::int64_t count = summary_.counts.faults[kind]; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped(count),
                          fault_name(static_cast<FaultUnit::Kind>(kind)));
  const bool may_fail = std::any_of(summary_.pools.begin(), summary_.pools.end(),
                                    [](const PoolUse& pool) { return pool.availability.known; });
  if (text.empty() && may_fail) text = "none in this run, which is no evidence of availability";
  if (!text.empty()) line("Faults", text);
}

}  // namespace

bool comes_and_goes(const PoolUse& pool) {
  return pool.start_ups > 0 || pool.failures > 0 || pool.ready_least != pool.ready_most ||
         pool.existing > pool.ready;
}

double starting_gpu_hours(const GpuHours& hours) {
  double starting = 0;
  for (int phase = 0; phase < kReplicaPhases; ++phase) {
    const auto one = static_cast<ReplicaPhase>(phase);
    if (is_starting(one) && is_billed(one)) starting += hours.phase[phase];
  }
  return starting;
}

std::string utilisation_section(const Summary& summary, const TableStyle& style) {
  std::string out, stations;
  for (const PoolUse& pool : summary.pools) {
    if (pool.service) {
      const bool unstable = summary.stability.verdict == Verdict::unstable;
      stations += pool_start(pool, pool.replicas) +
                  share_cells({pool.busy, pool.slots, pool.slots_peak}) +
                  right(unstable ? "-" : number_text(pool.queue), kPoolCell) + '\n';
    } else {
      out += pool_start(pool, pool.gpus) +
             share_cells({pool.busy, pool.compute, pool.memory_bandwidth, pool.network, pool.host,
                          pool.slots, pool.kv_memory}) +
             '\n';
    }
  }
  if (!out.empty())
    out = pool_heading({"GPUs", "busy", "compute", "memory", "network", "host", "slots", "KV"},
                       style) +
          out;
  if (!stations.empty())
    out += pool_heading({"replicas", "busy", "slots", "peak", "queue"}, style) + stations;
  return out;
}

std::string fleet_section(const Summary& summary, const TableStyle& style) {
  return FleetSection(summary, style).text();
}

}  // namespace headway
