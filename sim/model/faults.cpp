#include "sim/model/faults.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

constexpr std::int32_t ceiling(std::int32_t a, std::int32_t b) {
  return (a + b - 1) / b;
}

void add_units(std::vector<FaultUnit>& units, FaultUnit unit, std::int32_t count,
               std::int32_t width, std::int32_t places) {
  for (std::int32_t n = 0; n < count; ++n) {
    unit.number = static_cast<std::uint32_t>(n);
    unit.first = n * width;
    unit.end = std::min(places, unit.first + width);
    units.push_back(unit);
  }
}

void add_machines(std::vector<FaultUnit>& units, const Pool& pool, FaultUnit unit) {
  using Kind = FaultUnit::Kind;
  const Failures& failures = *pool.failures;
  const MachineLayout layout = MachineLayout::of(pool);
  const std::int32_t places = pool.places();
  if (failures.node) {
    unit.kind = Kind::node;
    unit.mean_seconds = failures.node->mtbf_seconds;
    unit.repair = failures.node->repair;
    for (std::int32_t n = 0; n < layout.nodes(places); ++n) {
      unit.number = static_cast<std::uint32_t>(n);
      unit.first = n / layout.nodes_of_place * layout.places_of_node;
      unit.end = std::min(places, unit.first + layout.places_of_node);
      units.push_back(unit);
    }
  }
  if (failures.rack) {
    unit.kind = Kind::rack;
    unit.mean_seconds = failures.rack->mtbf_seconds;
    unit.repair = failures.rack->repair;
    for (std::int32_t r = 0; r < layout.racks(places); ++r) {
      const std::int32_t node = r * layout.nodes_of_rack, next = node + layout.nodes_of_rack;
      unit.number = static_cast<std::uint32_t>(r);
      unit.first = node / layout.nodes_of_place * layout.places_of_node;
      unit.end = std::min(places, ceiling(next, layout.nodes_of_place) * layout.places_of_node);
      units.push_back(unit);
    }
  }
}

void add_replicas(std::vector<FaultUnit>& units, const Pool& pool, FaultUnit unit) {
  using Kind = FaultUnit::Kind;
  const Failures& failures = *pool.failures;
  const std::int32_t places = pool.places();
  if (failures.gpu && pool.gpus_per_replica > 0) {
    unit.kind = Kind::gpu;
    unit.mean_seconds = failures.gpu->mtbf_seconds / pool.gpus_per_replica;
    unit.repair = failures.gpu->repair;
    add_units(units, unit, places, 1, places);
  }
  if (failures.crash) {
    unit.kind = Kind::crash;
    unit.mean_seconds = failures.crash->mtbf_seconds;
    unit.repair = failures.crash->repair;
    add_units(units, unit, places, 1, places);
  }
  if (failures.spot_mtbf_seconds > 0) {
    unit.kind = Kind::spot;
    unit.mean_seconds = failures.spot_mtbf_seconds;
    unit.repair = Distribution{};
    unit.repair.a = failures.spot_notice_seconds;
    add_units(units, unit, places, 1, places);
  }
}

Stream stream_of(FaultUnit::Kind kind) {
  switch (kind) {
    case FaultUnit::Kind::spot:
      return Stream::spot;
    case FaultUnit::Kind::store:
      return Stream::store_cut;
    default:
      return Stream::failures;
  }
}

/// One number for each unit of a run.
std::uint64_t key_of(const FaultUnit& unit) {
  return (std::uint64_t{unit.pool} << 40) | (static_cast<std::uint64_t>(unit.kind) << 32) |
         unit.number;
}

Time picoseconds(double seconds) {
  constexpr auto kLongest = static_cast<double>(kEndOfTime);
  return static_cast<Time>(std::min(std::max(0.0, seconds) * kPicosecondsPerSecond, kLongest));
}

}  // namespace

const char* fault_name(FaultUnit::Kind kind) {
  switch (kind) {
    case FaultUnit::Kind::gpu:
      return "GPU faults";
    case FaultUnit::Kind::node:
      return "node faults";
    case FaultUnit::Kind::rack:
      return "rack faults";
    case FaultUnit::Kind::crash:
      return "engine crashes";
    case FaultUnit::Kind::spot:
      return "spot reclaims";
    case FaultUnit::Kind::store:
      return "store cuts";
  }
  return "";
}

std::vector<FaultUnit> fault_units(const Scenario& scenario) {
  std::vector<FaultUnit> units;
  for (std::uint32_t p = 0; p < scenario.fleet.size(); ++p) {
    const Pool& pool = scenario.fleet[p];
    if (!pool.failures) continue;
    FaultUnit unit;
    unit.pool = p;
    add_replicas(units, pool, unit);
    add_machines(units, pool, unit);
  }
  for (std::uint32_t s = 0; s < scenario.stores.size(); ++s) {
    const Store& store = scenario.stores[s];
    if (store.cut_mtbf_seconds <= 0) continue;
    units.push_back({FaultUnit::Kind::store, s, 0, 0, 0, store.cut_mtbf_seconds, store.cut_repair});
  }
  return units;
}

FaultTimes::FaultTimes(const FaultUnit& unit, std::uint64_t seed)
    : times_(seed, stream_of(unit.kind), key_of(unit)),
      repairs_(seed, Stream::repair, key_of(unit)),
      mean_seconds_(unit.mean_seconds),
      repair_law_(unit.repair) {}

Time FaultTimes::next(Time from) {
  const Time at =
      time_after(from, picoseconds(-std::log(times_.uniform(faults_++)) * mean_seconds_));
  return at < kEndOfTime ? at : kNever;
}

Time FaultTimes::repair() const {
  return picoseconds(repair_law_(repairs_, faults_));
}

double machine_slowness(const Pool& pool, std::uint64_t seed, std::uint32_t place,
                        std::uint64_t machine) {
  if (!pool.failures || pool.failures->slow_share <= 0) return 1;
  const Draw draw(seed, Stream::slow_node, place);
  return draw.uniform(machine) < pool.failures->slow_share ? pool.failures->slow_factor : 1;
}

}  // namespace headway
