// Which resource limits a run, and what relieves it.
#pragma once

#include <vector>

#include "sim/metrics/summary.hpp"

namespace headway {

/// Means over measured requests in seconds, whether or not a steady state exists.
struct MeanWaits {
  double client_delay = 0, queue = 0, e2e = 0;
};

/// The rules, in order, on the pool where requests wait most:
/// 1. most of the wait is at the client, and the pool has slots to spare: the client's cap;
/// 2. every pool is idle more than half of the time: nothing;
/// 3. a station: its servers;
/// 4. arithmetic fills three quarters of the time or more, so that larger batches would gain
/// little:
///    compute;
/// 5. requests wait for slots (and twice as many would raise throughput by 15 % or more), or for KV
/// memory, in a fifth of the pool's time or more (or one
///    request in ten is preempted): that one;
/// 6. else what limited the steps for most of the time.
Bottleneck find_bottleneck(const std::vector<PoolUse>& pools, const MeanWaits& waits, bool unstable,
                           std::int64_t completed);

}  // namespace headway
