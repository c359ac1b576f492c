#include "sim/model/fault_injector.hpp"

namespace headway {
namespace {

/// How long a load waits on a link that gives nothing before its client tries again. (The AWS SDKs'
/// clients, which object stores are read with, have a socket time-out of 60 s.)
constexpr double kStalledSeconds = 60;

}  // namespace

FaultInjector::FaultInjector(const Scenario& scenario, Clock& clock, Network& network, Fleet& fleet,
                             Entity entity)
    : scenario_(scenario), clock_(clock), network_(network), fleet_(fleet), entity_(entity) {
  for (const FaultUnit& unit : fault_units(scenario)) {
    units_.push_back({unit, FaultTimes(unit, scenario.run.seed)});
    set(static_cast<std::uint32_t>(units_.size() - 1), Event::fault, units_.back().times.next(0));
  }
}

void FaultInjector::set(std::uint32_t unit, Event event, Time at, std::uint32_t machine) {
  if (at >= kEndOfTime) return;
  due_.push({at, unit, event, machine});
  clock_.wake(entity_, due_.top().at);
}

void FaultInjector::on_wake(Time now) {
  while (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    on_due(due, now);
  }
  clock_.wake(entity_, due_.empty() ? kNever : due_.top().at);
}

void FaultInjector::on_due(const Due& due, Time now) {
  const Unit& unit = units_[due.unit];
  switch (due.event) {
    case Event::fault:
      return on_fault(due.unit, now);
    case Event::reclaim:
      if (fleet_.machine(first_replica(unit)) == due.machine) {
        fleet_.reclaim(first_replica(unit), now);
      }
      return;
    case Event::mend: {
      const std::uint32_t store = unit.of.pool;
      return network_.set_bandwidth(fleet_.store_link(store), scenario_.stores[store].bandwidth);
    }
    case Event::reload:
      return reload(unit.of.pool, now);
  }
}

void FaultInjector::on_fault(std::uint32_t number, Time now) {
  Unit& unit = units_[number];
  const Time down_for = unit.times.repair();
  bool met = true;
  if (unit.of.kind == FaultUnit::Kind::store) {
    cut(number, down_for, now);
  } else if (unit.of.kind == FaultUnit::Kind::spot) {
    met = give_notice(number, down_for, now);
  } else {
    met = fail_replicas(unit, down_for, now);
  }
  if (met) ++counts_[static_cast<std::size_t>(unit.of.kind)];
  set(number, Event::fault, unit.times.next(time_after(now, down_for)));
}

bool FaultInjector::fail_replicas(const Unit& unit, Time down_for, Time now) {
  const auto width = static_cast<std::uint32_t>(unit.of.end - unit.of.first);
  const auto fault =
      unit.of.kind == FaultUnit::Kind::crash ? Fleet::Fault::engine : Fleet::Fault::machine;
  bool met = false;
  for (std::uint32_t r = first_replica(unit); r < first_replica(unit) + width; ++r) {
    met |= fleet_.fail(r, fault, down_for, now);
  }
  return met;
}

bool FaultInjector::give_notice(std::uint32_t number, Time notice, Time now) {
  const std::uint32_t replica = first_replica(units_[number]);
  if (!fleet_.has_machine(replica)) return false;
  const std::uint32_t machine = fleet_.machine(replica);
  if (notice > 0) {
    set(number, Event::reclaim, time_after(now, notice), machine);
    fleet_.drain(replica, now);
  } else {
    fleet_.reclaim(replica, now);
  }
  return true;
}

void FaultInjector::cut(std::uint32_t number, Time down_for, Time now) {
  network_.set_bandwidth(fleet_.store_link(units_[number].of.pool), 0);
  set(number, Event::mend, time_after(now, down_for));
  const Time stalled = to_picoseconds(kStalledSeconds);
  if (down_for > stalled) set(number, Event::reload, time_after(now, stalled));
}

void FaultInjector::reload(std::uint32_t store, Time now) {
  for (std::size_t p = 0; p < scenario_.fleet.size(); ++p) {
    const auto& cold = scenario_.fleet[p].cold_start;
    if (!cold || cold->store_index != store) continue;
    for (std::uint32_t r = 0; r < fleet_.places(p); ++r) {
      fleet_.reload(fleet_.first_place(p) + r, now);
    }
  }
}

}  // namespace headway
