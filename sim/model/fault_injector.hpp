// Makes replicas, machines and stores fail at their times.
#pragma once

#include <cstdint>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/faults.hpp"
#include "sim/model/fleet.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// One entity of the clock for all faults of a run.
///
/// A fault of a GPU, node or rack takes the engines on it, until its repair. A crash takes one
/// engine, whose machine stays. A spot machine that is reclaimed drains for its notice and is gone.
/// Loads over a cut link stall, and go on when it is mended; those that have stalled for a minute
/// are started again.
class FaultInjector {
 public:
  /// Sets the first wake-up. The fleet is asked of nothing before that.
  FaultInjector(const Scenario& scenario, Clock& clock, Network& network, Fleet& fleet,
                Entity entity);
  void on_wake(Time now);
  const FaultCounts& counts() const { return counts_; }

 private:
  enum class Event : std::uint8_t { fault, reclaim, mend, reload };
  struct Due {
    Time at;
    std::uint32_t unit;
    Event event;
    std::uint32_t machine;  // reclaim: the one that the notice was for
    bool operator>(const Due& other) const {
      return std::tie(at, unit, event) > std::tie(other.at, other.unit, other.event);
    }
  };
  struct Unit {
    FaultUnit of;
    FaultTimes times;
  };

  std::uint32_t first_replica(const Unit& unit) const {
    return fleet_.first_place(unit.of.pool) + static_cast<std::uint32_t>(unit.of.first);
  }
  void set(std::uint32_t unit, Event event, Time at, std::uint32_t machine = 0);
  void on_due(const Due& due, Time now);
  void on_fault(std::uint32_t unit, Time now);
  bool fail_replicas(const Unit& unit, Time down_for, Time now);
  bool give_notice(std::uint32_t unit, Time notice, Time now);
  void cut(std::uint32_t unit, Time down_for, Time now);
  void reload(std::uint32_t store, Time now);

  const Scenario& scenario_;
  Clock& clock_;
  Network& network_;
  Fleet& fleet_;
  const Entity entity_;
  std::vector<Unit> units_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  FaultCounts counts_{};
};

}  // namespace headway
