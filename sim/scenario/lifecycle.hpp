// What a scenario says of the life of a pool's replicas: how they start, how their number follows
// the load, how they fail, and how they are sold. Plain data, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/distribution.hpp"

namespace headway {

/// A place that starting replicas load from; what they load shares its link max-min fairly.
struct Store {
  std::string name;
  double bandwidth = 0;  // bytes/s, > 0
  double latency_seconds = 0;
  double cut_mtbf_seconds = 0;  // mean time between cuts of the link, exponential; 0 = never
  Distribution cut_repair;      // seconds until it is whole again
};

/// From nothing to the first answer, phase by phase; seconds, drawn for each start.
struct ColdStart {
  std::optional<Distribution> provision;  // machine asked for until it is there; absent: 0
  std::optional<Distribution> image;    // pull of the container image; absent: image_bytes, else 0
  double image_bytes = 0;               // from the store
  std::optional<Distribution> process;  // absent: the engine's entry
  std::optional<Distribution> weights;  // absent: weight_bytes from the store
  double weight_bytes = 0;              // of a replica; filled: the model's
  std::optional<Distribution> compile;  // absent: the engine's entry
  std::optional<Distribution> capture;  // absent: the engine's entry
  std::optional<Distribution> warm_up;  // what the first request waits; absent: 0
  std::string store;                    // name; "" = a link of the pool's own …
  std::uint32_t store_index = 0;        // … which the check adds to the scenario's stores
  std::int32_t quota = 0;  // replicas that exist at a time at most, starting ones too; 0 = none
  double stock_out = 0;    // probability that an order finds no machine, 0..1
  double stock_retry_seconds = 60;  // until it is ordered again
};

/// How the number of a pool's replicas follows the load.
struct Autoscaler {
  enum class Metric {
    concurrency,          // requests outstanding a replica
    requests_per_second,  // arrivals at the pool a replica
    queue,                // requests waiting a replica
    kv_use,               // mean share of KV blocks in use, 0..1
    ttft,                 // seconds, of requests that got their first token of late
    tpot,                 // seconds, of requests that completed of late
    tokens_per_second,    // output tokens of completed requests a replica
  };
  struct Target {
    Metric metric = Metric::concurrency;
    double value = 1;        // SI units, > 0
    double percentile = 50;  // ttft, tpot
    double activation = 0;   // keda: at zero replicas, and to zero, load is more than this in all
  };
  /// How fast the number may change: at most the larger (or smaller) of these within the period.
  struct Policy {
    double replicas = 0;  // 0: not limited so
    double share = 0;     // of the present number; 0: not limited so
    double period_seconds = 15;
  };
  struct Direction {
    double window_seconds = 0;  // stabilisation: the least (up) or largest (down) wish of this time
    std::vector<Policy> policies;  // empty: no limit
    bool select_largest = true;    // of the policies; else the smallest change
    bool disabled = false;         // never in this direction
  };
  enum class Kind { hpa, keda, ray, predictive };
  /// From `at` on (seconds into the period), `min` is at least this.
  struct Slot {
    double at_seconds = 0;
    std::int32_t min = 0;
  };

  Kind kind = Kind::hpa;
  std::int32_t min = 1, max = 1;  // replicas; min 0: scale to zero
  std::vector<Target> targets;    // the largest wish counts
  double poll_seconds = 15;
  double look_back_seconds = 60;        // of rates and latencies
  double tolerance = 0.1;               // hpa, keda: no change while the ratio is within 1 ± this
  Direction up, down;                   // hpa, keda
  double cool_down_seconds = 300;       // keda: to zero after so long without load …
  double activation_poll_seconds = 30;  // … which is looked at in this interval, from zero too
  double upscale_delay_seconds = 30, downscale_delay_seconds = 600;  // ray: a wish has to last
  double upscaling_factor = 1, downscaling_factor = 1;  // ray: of the change that is wished for
  double horizon_seconds = 300;  // predictive: the rate forecast for so far ahead …
  double history_seconds = 600;  // … by a line through the rates of this time
  std::vector<Slot> schedule;    // ascending
  double schedule_period_seconds = 86400;
};

/// Faults of a pool's replicas.
struct Failures {
  struct Fault {
    double mtbf_seconds = 0;  // of one unit, exponential; > 0
    Distribution repair;      // seconds
  };
  std::optional<Fault> gpu;    // of each GPU of a replica: the replica is down
  std::optional<Fault> node;   // all replicas on the node are down
  std::optional<Fault> rack;   // all replicas in the rack are down
  std::optional<Fault> crash;  // of a replica's engine: restarts on the same machine
  std::int32_t node_gpus = 8, rack_gpus = 64;  // GPUs of a node and a rack; replicas fill them in
                                               // order
  double spot_mtbf_seconds = 0;    // mean time until a machine is reclaimed, 0 = not spot
  double spot_notice_seconds = 0;  // it takes no new requests for so long, then it is gone
  double slow_share = 0;           // probability that a replica starts on a slow machine, 0..1
  double slow_factor = 1;          // its steps take this times as long, >= 1
};

/// A new version of what a pool runs: replica after replica is replaced.
struct Deploy {
  double at_seconds = 0;
  std::int32_t surge = 1;        // replicas above the wished number meanwhile …
  std::int32_t unavailable = 0;  // … and that may be missing
};

}  // namespace headway
