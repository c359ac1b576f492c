// What is paid for: GPU-time of every pool, by phase, in the units that are sold.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// GPUs that a pool's vendor bills for a replica: those of llm pools, and those of a service
/// station that has a price.
std::int64_t billed_gpus_per_replica(const Pool& pool);

/// How a pool is sold: unit by unit, whole nodes or the GPUs of one replica. Places fill nodes in
/// order; a replica that is larger than a node has nodes of its own.
struct BillingUnit {
  std::int32_t replicas = 1;  // places in a unit
  std::int64_t gpus = 0;      // paid for a unit
  /// GPUs paid for when the first `count` places have replicas.
  std::int64_t gpus_of(std::int64_t count) const {
    return (count + replicas - 1) / replicas * gpus;
  }
};
BillingUnit billing_unit(const Pool& pool);

/// GPU-picoseconds of one pool.
struct PoolBill {
  __int128 phase[kReplicaPhases] = {};  // of the replicas' own GPUs, in every phase, paid or not
  __int128 rest_of_nodes = 0;  // of paid nodes: GPUs of no replica that is there, and whole
  __int128 minimum = 0;        // paid after they were given back
  std::int64_t most_gpus = 0;  // paid for at the most at a time, minimum times apart

  /// Everything paid: the billed phases, the rest of nodes, the minimum times.
  __int128 billed() const;
};

/// Follows the replicas' phases. A unit is paid for while a replica on it is there (is_billed), and
/// for `minimum_billing_seconds` since it was taken at least: no matter whether it was given back
/// before, and unless it failed, when nobody pays for what is not there. What is taken again is
/// taken anew, with a minimum of its own. The run's end cuts minimum times: a bill for a stretch of
/// time has nothing of what comes after it, and is never less than what ran.
class Bill {
 public:
  /// The scenario must outlive the bill.
  explicit Bill(const Scenario& scenario);

  /// A replica is in another phase from now on; times must not decrease. Before the first call a
  /// replica is ready, or off if its number is not below its pool's `replicas`.
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase);
  /// The run ended: bills are whole.
  void finish(Time end);

  const PoolBill& pool(std::size_t index) const { return pools_[index].bill; }

 private:
  struct ReplicaState {
    std::uint32_t pool = 0, unit = 0;
    ReplicaPhase phase = ReplicaPhase::off;
    Time since = 0;
  };
  struct UnitState {
    std::int32_t there = 0;  // replicas that are billed
    Time taken = 0;
  };
  struct Minimum {
    Time until = 0;
    std::int64_t gpus = 0;
  };
  struct PoolState {
    std::int64_t gpus = 0;  // of a replica
    BillingUnit unit;
    Time minimum = 0;
    std::int64_t paid_gpus = 0;     // now
    Time paid_since = 0;            // …
    std::vector<Minimum> promised;  // minimum times that may end after the run
    std::size_t prune_at = 64;      // size from which those that are over are taken out
    PoolBill bill;
  };

  void take(PoolState& pool, UnitState& unit, Time now);
  void give_back(PoolState& pool, UnitState& unit, Time now, bool failed);
  void change_paid_gpus(PoolState& pool, std::int64_t change, Time now);

  std::vector<PoolState> pools_;
  std::vector<ReplicaState> replicas_;
  std::vector<UnitState> units_;
};

/// GPU-hours from GPU-picoseconds.
double gpu_hours(__int128 gpu_picoseconds);

}  // namespace headway
