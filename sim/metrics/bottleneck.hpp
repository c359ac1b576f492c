// Which resource limits a run, and what relieves it.
#pragma once

#include <vector>

#include "sim/metrics/run_timeline.hpp"
#include "sim/metrics/summary.hpp"

namespace headway {

/// Means over measured requests in seconds, whether or not a steady state exists.
struct MeanWaits {
  double client_delay = 0, queue = 0, e2e = 0;
};

/// What kept requests waiting, or away, apart from what pools tell of themselves.
struct Pressure {
  MeanWaits waits;
  Shortage shortage;
  std::vector<FrontUse> front;
  double rate_limited = 0;  // of the requests that arrived: over their tenant's rate limit
  double turned_away = 0;   // … and not let in by the front's admission
  bool unstable = false;    // the queue grows without end
  std::int64_t completed = 0;
};

/// The rules, in order, on the pool where requests wait most:
/// 1. replicas that were starting, or down, took a fifth or more of the capacity that was wanted
///    while requests waited, and a fifth of the requests in the system waited: those;
/// 2. a fifth of the time in the system is waiting for a station of the front: that one;
/// 3. one request in twenty is over its tenant's rate limit, or is not let in while hardly any
///    waits: that limit;
/// 4. most of the wait is at the client, and the pool has slots to spare: the client's cap;
/// 5. every pool is idle more than half of the time: nothing;
/// 6. a station: its servers;
/// 7. arithmetic fills three quarters of the time or more, so that larger batches would gain
///    little: compute;
/// 8. requests wait for slots (and twice as many would raise throughput by 15 % or more), or for KV
///    memory, in a fifth of the pool's time or more (or one request in ten is preempted): that one;
/// 9. else what limited the steps for most of the time.
Bottleneck find_bottleneck(const std::vector<PoolUse>& pools, const Pressure& pressure);

}  // namespace headway
