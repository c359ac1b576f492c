// A pool's bill made from the whole list of its replicas' changes, unit by unit: another way to the
// number that Bill keeps as they come.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/metrics/bill.hpp"

namespace headway {

struct PhaseChange {
  Time at = 0;
  std::int32_t place = 0;  // of the replica in its pool
  ReplicaPhase phase = ReplicaPhase::off;
};

/// GPU-picoseconds paid for until the run's end.
inline __int128 billed_by_hand(const Pool& pool, const std::vector<PhaseChange>& changes,
                               Time end) {
  const BillingUnit unit = billing_unit(pool);
  const Time minimum = to_picoseconds(pool.minimum_billing_seconds);
  __int128 sum = 0;
  for (std::int32_t first = 0; first < pool.places(); first += unit.replicas) {
    std::vector<ReplicaPhase> phases;
    for (std::int32_t r = first; r < std::min(pool.places(), first + unit.replicas); ++r)
      phases.push_back(r < pool.replicas ? ReplicaPhase::ready : ReplicaPhase::off);
    const auto there = [&] { return std::any_of(phases.begin(), phases.end(), is_billed); };
    Time taken = there() ? 0 : kNever;
    const auto pay = [&](Time until) {
      sum += static_cast<__int128>(std::min(end, until) - taken) * unit.gpus;
      taken = kNever;
    };
    for (const PhaseChange& change : changes) {
      if (change.place < first || change.place >= first + unit.replicas) continue;
      phases[static_cast<std::size_t>(change.place - first)] = change.phase;
      if (taken == kNever && there()) {
        taken = change.at;
      } else if (taken != kNever && !there()) {
        const bool failed = change.phase == ReplicaPhase::down;
        pay(failed ? change.at : std::max(change.at, taken + minimum));
      }
    }
    if (taken != kNever) pay(end);
  }
  return sum;
}

}  // namespace headway
