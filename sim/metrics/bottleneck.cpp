#include "sim/metrics/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace headway {

namespace {

struct Candidate {
  const char* resource;
  double share;
  const char* relief;
};

Bottleneck named(const PoolUse& pool, const Candidate& candidate, bool saturated) {
  return {candidate.resource, pool.name, candidate.share, saturated, candidate.relief};
}

/// What set the pace of the steps for most of the time.
Candidate step_limit(const PoolUse& pool) {
  const Candidate candidates[] = {
      {"memory bandwidth", pool.memory_bandwidth,
       "larger batches, fp8 or int4 weights, fp8 KV, a GPU with more bandwidth, more tensor "
       "parallelism or replicas"},
      {"compute", pool.compute,
       "fp8 arithmetic, a GPU with more FLOP/s, prefix caching, shorter prompts, more replicas"},
      {"network between GPUs", pool.network,
       "less tensor parallelism, NVLink instead of PCIe, pipeline parallelism, more replicas"},
      {"host overhead", pool.host,
       "asynchronous scheduling, CUDA graphs, a faster CPU, larger batches, more replicas"},
  };
  return *std::max_element(
      std::begin(candidates), std::end(candidates),
      [](const Candidate& a, const Candidate& b) { return a.share < b.share; });
}

const PoolUse& most_pressed(const std::vector<PoolUse>& pools) {
  const auto pressure = [](const PoolUse& p) { return p.waiting + p.slots + p.kv_memory + p.busy; };
  return *std::max_element(pools.begin(), pools.end(), [&](const PoolUse& a, const PoolUse& b) {
    return pressure(a) < pressure(b);
  });
}

constexpr double kComputeBound =
    0.75;  // share of a pool's time from which larger batches gain little
constexpr double kWorthSlots = 1.15;  // throughput, times, from which twice the slots are worth it
constexpr double kOften = 0.2;  // share of a pool's time in which waiting for something matters

constexpr const char* kOfCapacity = "of the capacity wanted while requests waited";
constexpr const char* kOfRequests = "of the requests";
constexpr double kTurnedAway =
    0.05;  // share of the requests from which a limit at the front counts

/// What lies outside the pools' steps: replicas that are not there, limits at the front.
std::optional<Bottleneck> outside_limit(const std::vector<PoolUse>& pools,
                                        const Pressure& pressure) {
  const Shortage& shortage = pressure.shortage;
  if (shortage.waiting > kOften && std::max(shortage.starting, shortage.down) > kOften) {
    if (shortage.starting >= shortage.down)
      return Bottleneck{"replicas starting",
                        pools[shortage.starting_pool].name,
                        shortage.starting,
                        true,
                        "more replicas kept ready, a scaler that looks ahead, faster starts: a "
                        "smaller image, a faster store of weights, caches of compiled kernels",
                        kOfCapacity};
    return Bottleneck{"replicas down",
                      pools[shortage.down_pool].name,
                      shortage.down,
                      true,
                      "spare replicas, faster repair, smaller replicas that fail alone",
                      kOfCapacity};
  }
  for (const FrontUse& station : pressure.front) {
    if (station.waiting_share > kOften)
      return Bottleneck{station.name, "", station.busy, true,
                        "more servers at this station of the front, or a faster one"};
  }
  if (pressure.rate_limited >= kTurnedAway)
    return Bottleneck{"rate limits of tenants",
                      "",
                      pressure.rate_limited,
                      true,
                      "larger rate limits: the requests over them were rejected",
                      kOfRequests};
  if (pressure.turned_away >= kTurnedAway && pressure.waits.queue <= 0.1 * pressure.waits.e2e)
    return Bottleneck{"admission at the front",
                      "",
                      pressure.turned_away,
                      true,
                      "a larger max_requests: the fleet hardly queues what it lets in",
                      kOfRequests};
  return std::nullopt;
}

}  // namespace

Bottleneck find_bottleneck(const std::vector<PoolUse>& pools, const Pressure& pressure) {
  if (pools.empty()) return {};
  if (const std::optional<Bottleneck> outside = outside_limit(pools, pressure)) return *outside;
  const MeanWaits& waits = pressure.waits;
  const bool unstable = pressure.unstable;
  const PoolUse& pool = most_pressed(pools);
  const bool full = pool.service ? pool.busy > 0.95 : pool.waiting_for_slots > kOften;
  if (!full && waits.client_delay > waits.queue && waits.client_delay > 0.2 * waits.e2e) {
    return {"client concurrency cap", "", waits.client_delay / waits.e2e, true,
            "a larger max_concurrency, or more load generators: the servers could take more"};
  }
  const bool saturated = unstable || pool.waiting_for_slots > kOften ||
                         pool.waiting_for_kv > kOften || waits.queue > 0.1 * waits.e2e;
  const double busiest =
      std::max_element(pools.begin(), pools.end(), [](const PoolUse& a, const PoolUse& b) {
        return a.busy < b.busy;
      })->busy;
  if (busiest < 0.5 && !unstable) {
    return {fmt::format("none: the fleet is idle {:.0f} % of the time", 100 * (1 - busiest)), "",
            1 - busiest, false, "fewer replicas or a smaller GPU would carry this load"};
  }
  if (pool.service) {
    return named(pool, {"servers", pool.busy, "more servers or replicas, a faster service"},
                 saturated);
  }
  if (pool.compute >= kComputeBound) return named(pool, step_limit(pool), saturated);
  const bool thrashing =
      static_cast<double>(pool.preemptions) > 0.1 * static_cast<double>(pressure.completed) &&
      pool.preemptions > 0;
  const double kv = std::max(pool.waiting_for_kv, thrashing ? pool.kv_memory : 0);
  if (kv >= kOften && kv >= pool.waiting_for_slots) {
    return named(pool,
                 {"KV memory", kv,
                  "fp8 KV, a larger gpu_memory_utilization, a GPU with more memory, more replicas"},
                 true);
  }
  if (pool.waiting_for_slots >= kOften && pool.slots_gain >= kWorthSlots) {
    return named(pool,
                 {"sequence slots (max_num_seqs)", pool.waiting_for_slots,
                  pool.kv_memory < 0.8 ? "a larger max_num_seqs, more replicas" : "more replicas"},
                 true);
  }
  return named(pool, step_limit(pool), saturated);
}

}  // namespace headway
