#include "sim/metrics/bill.hpp"

#include <algorithm>

namespace headway {

std::int64_t billed_gpus_per_replica(const Pool& pool) {
  if (pool.kind == Pool::Kind::service && pool.usd_per_gpu_hour <= 0) return 0;
  return pool.gpus_per_replica;
}

BillingUnit billing_unit(const Pool& pool) {
  const std::int64_t gpus = billed_gpus_per_replica(pool), node = pool.billed_node_gpus;
  if (node <= 0 || gpus <= 0) return {1, gpus};
  if (gpus <= node) return {static_cast<std::int32_t>(node / gpus), node};
  return {1, (gpus + node - 1) / node * node};
}

__int128 PoolBill::billed() const {
  __int128 sum = rest_of_nodes + minimum;
  for (int p = 0; p < kReplicaPhases; ++p) {
    if (is_billed(static_cast<ReplicaPhase>(p))) sum += phase[p];
  }
  return sum;
}

Bill::Bill(const Scenario& scenario) {
  for (const Pool& pool : scenario.fleet) {
    PoolState state;
    state.gpus = billed_gpus_per_replica(pool);
    state.unit = billing_unit(pool);
    state.minimum = to_picoseconds(pool.minimum_billing_seconds);
    const std::size_t first_unit = units_.size();
    for (std::int32_t place = 0; place < pool.places(); ++place) {
      const std::size_t unit = first_unit + static_cast<std::size_t>(place / state.unit.replicas);
      units_.resize(unit + 1);
      ReplicaState replica;
      replica.pool = static_cast<std::uint32_t>(pools_.size());
      replica.unit = static_cast<std::uint32_t>(unit);
      if (place < pool.replicas) {
        replica.phase = ReplicaPhase::ready;
        take(state, units_[unit], 0);
      }
      replicas_.push_back(replica);
    }
    pools_.push_back(std::move(state));
  }
}

void Bill::change_paid_gpus(PoolState& pool, std::int64_t change, Time now) {
  if (now > pool.paid_since) {
    pool.bill.most_gpus = std::max(pool.bill.most_gpus, pool.paid_gpus);
    pool.paid_since = now;
  }
  pool.paid_gpus += change;
}

void Bill::take(PoolState& pool, UnitState& unit, Time now) {
  if (unit.there++ > 0) return;
  unit.taken = now;
  change_paid_gpus(pool, pool.unit.gpus, now);
}

void Bill::give_back(PoolState& pool, UnitState& unit, Time now, bool failed) {
  if (--unit.there > 0) return;
  change_paid_gpus(pool, -pool.unit.gpus, now);
  // Its replicas' own GPU-time is told by their phases.
  pool.bill.rest_of_nodes += static_cast<__int128>(now - unit.taken) * pool.unit.gpus;
  if (failed || pool.minimum <= now - unit.taken) return;
  const Time until = pool.minimum > kNever - unit.taken ? kNever : unit.taken + pool.minimum;
  pool.bill.minimum += static_cast<__int128>(until - now) * pool.unit.gpus;
  if (pool.promised.size() >= pool.prune_at) {
    std::erase_if(pool.promised, [now](const Minimum& one) { return one.until <= now; });
    pool.prune_at = std::max<std::size_t>(64, 2 * pool.promised.size());
  }
  pool.promised.push_back({until, pool.unit.gpus});
}

void Bill::on_phase(Time now, std::uint32_t index, ReplicaPhase phase) {
  ReplicaState& replica = replicas_[index];
  if (replica.phase == phase) return;
  PoolState& pool = pools_[replica.pool];
  const __int128 time = static_cast<__int128>(now - replica.since) * pool.gpus;
  pool.bill.phase[static_cast<int>(replica.phase)] += time;
  const bool was_billed = is_billed(replica.phase);
  if (was_billed) pool.bill.rest_of_nodes -= time;
  replica.since = now;
  replica.phase = phase;
  if (!was_billed && is_billed(phase)) take(pool, units_[replica.unit], now);
  if (was_billed && !is_billed(phase))
    give_back(pool, units_[replica.unit], now, phase == ReplicaPhase::down);
}

void Bill::finish(Time end) {
  for (ReplicaState& replica : replicas_) {
    PoolState& pool = pools_[replica.pool];
    const __int128 time = static_cast<__int128>(end - replica.since) * pool.gpus;
    pool.bill.phase[static_cast<int>(replica.phase)] += time;
    replica.since = end;
    if (!is_billed(replica.phase)) continue;
    pool.bill.rest_of_nodes -= time;
    UnitState& unit = units_[replica.unit];
    pool.bill.rest_of_nodes += static_cast<__int128>(end - unit.taken) * pool.unit.gpus;
    unit.taken = end;
  }
  for (PoolState& pool : pools_) {
    change_paid_gpus(pool, 0, end);
    for (const Minimum& one : pool.promised) {
      if (one.until > end) pool.bill.minimum -= static_cast<__int128>(one.until - end) * one.gpus;
    }
    pool.promised.clear();
  }
}

double gpu_hours(__int128 gpu_picoseconds) {
  return static_cast<double>(gpu_picoseconds) / kPicosecondsPerSecond / 3600;
}

}  // namespace headway
