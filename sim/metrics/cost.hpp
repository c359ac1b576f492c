// What a run cost: every billed GPU-second, idle ones too.
#pragma once

#include "sim/metrics/bill.hpp"
#include "sim/metrics/summary.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// A pool's part of the bill in GPU-hours. `idle_share`: of the time of replicas that could work,
/// over the whole run, 0..1.
GpuHours pool_gpu_hours(const PoolBill& bill, double idle_share);

/// The bill of all pools at their prices, over the run's time to its last answer and over all that
/// completed; `bill` is finished, `pools` has the GPU-hours of each pool. The price is known when
/// some pool has one and no llm pool lacks it.
Cost make_cost(const Scenario& scenario, const Bill& bill, const std::vector<PoolUse>& pools,
               const RunTotals& totals);

}  // namespace headway
