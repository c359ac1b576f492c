// The result of a run: everything that tables, JSON and plots show, as plain data. Seconds, tokens,
// requests, USD; shares are 0..1. No member is ever NaN or infinite.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/model/totals.hpp"

namespace headway {

/// What a run says about the long run of the system.
enum class Verdict {
  stable,     // a steady state was reached and measured
  unstable,   // more is offered than can be served: the queue grows, no wait is finite
  undecided,  // too short to tell, or too near capacity
  finite,     // a trace, stages, a daily shape or a closed run: a whole that is reported as it was
};
const char* verdict_name(Verdict verdict);  // "stable", "unstable", "undecided", "finite"

struct Stability {
  Verdict verdict = Verdict::finite;
  std::string reason;            // one line for people: why this verdict
  double growth_per_second = 0;  // unstable and undecided: requests/s by which the number in system
                                 // grows over the last two thirds of the load; may be negative
  double growth_z = 0;           // that growth in standard errors
  std::string what_would_decide;  // undecided: one line, e.g. "a run of about 40 min"
  double deciding_seconds = 0;    // undecided: estimated length of such a run
};

/// One figure with what is known of its accuracy.
struct Figure {
  double value = 0;                  // seconds
  std::optional<double> half_width;  // of the 95 % confidence interval value ± half_width; absent
                                     // where no honest one exists
  bool converged = false;            // the interval passed the checks of batch_means.hpp
};

/// A distribution over requests (or token gaps), in seconds. Percentiles of exact samples are
/// numpy's "linear": at rank p·(count − 1), interpolated. Past a million samples they come from a
/// histogram with an error of at most 0.1 %.
struct Figures {
  std::int64_t count = 0;  // samples; 0: nothing to show
  bool unstable = false;   // no finite steady-state value exists: the figures below are all 0 and
                           // are not to be shown
  bool exact = true;       // percentiles from all samples, not from a histogram
  Figure mean, p50, p90, p95, p99, p99_9;
  double max = 0;
};

/// The latencies of one class, or of all requests.
struct Latencies {
  Figures ttft;            // from scheduled arrival
  Figures tpot;            // (E2E − TTFT) / (output − 1), requests with output ≥ 2
  Figures e2e;             // from scheduled arrival
  Figures queue;           // waiting at the replica, from entering its queue to first running
  Figures client_delay;    // sent − scheduled; all 0 without a concurrency cap
  Figures ttft_from_sent;  // what load generators report
  Figures e2e_from_sent;
};

/// Whether the promise of a class was kept.
struct SloResult {
  bool given = false;     // the class has one; else everything completed counts as good
  double good_share = 0;  // after warm-up, of the requests that ended, but for those whose client
                          // hung up by itself: what was rejected, timed out or lost is not good
  double required_share = 0;  // percentile / 100
  bool held = false;          // good_share ≥ required_share, and the system is not unstable
};

struct ClassSummary {
  std::string name;
  // Whole run. Escalations: answers asked of the next leg of a cascade.
  std::int64_t arrived = 0, completed = 0, rejected = 0, timed_out = 0, hung_up = 0, lost = 0;
  std::int64_t retries = 0, escalations = 0;
  double offered_per_second = 0, achieved_per_second = 0;
  double goodput_per_second = 0;  // good requests per second
  double output_tokens_per_second = 0, input_tokens_per_second = 0;
  SloResult slo;
  Latencies latencies;
};

/// What became of the requests whose last attempt met a replica of a pool. What a pool of a cascade
/// passed on counts where it was asked last, and its latencies run from its scheduled arrival.
struct PoolRequests {
  // Whole run.
  std::int64_t completed = 0, rejected = 0, timed_out = 0, hung_up = 0, lost = 0;
  double achieved_per_second = 0;
  double goodput_per_second = 0;     // good requests per second
  std::optional<double> good_share;  // as SloResult has it; of those that it met
  Figures ttft, tpot, e2e;           // as Latencies has them
};

/// GPU-hours of a pool's replicas over the whole run, by where they stood and for what they were
/// paid (bill.hpp).
struct GpuHours {
  double phase[kReplicaPhases] = {};  // of the replicas' GPUs; those of off are not told: 0
  double idle = 0;                    // of ready, draining and warming: no step at work
  double rest_of_nodes = 0;           // paid with a node, but of no replica that is
  double minimum = 0;                 // paid after they were given back
  double billed = 0;                  // paid: phases that are, rest of nodes, minimum
};

/// What is to be expected of a pool that fails, in the long run: from mean times, not from the few
/// faults that a run saw (availability.hpp).
struct ExpectedAvailability {
  bool known = false;      // the pool's replicas fail
  double share = 1;        // of its replicas that are up, mean over time
  bool counted = false;    // what follows holds: of the replicas that the scenario asks for
  double all_up = 1;       // share of time in which all are up
  double none_up = 0;      // share of time in which none is
  std::int32_t up_99 = 0;  // as many or more are up for 99 % of the time
};

/// What a pool's replicas did in the measured part of the run: means over time and over the
/// replicas that were there (ready, draining or warming).
struct PoolUse {
  std::string name;
  bool service = false;       // a service station: no KV, no step limits
  std::int32_t replicas = 0;  // that the scenario asks for at the start
  std::int32_t gpus = 0;      // paid for at the most at a time, over the whole run
  double usd_per_hour = 0;    // mean over the whole run
  double ready = 0;           // replicas ready, mean …
  std::int32_t ready_least = 0, ready_most = 0;  // … and range
  double existing = 0;         // replicas whose machines are there, and paid for: mean
  std::int64_t start_ups = 0;  // whole run: replicas that became ready
  std::int64_t failures = 0;   // whole run: replicas that went down, or whose engine crashed
  GpuHours gpu_hours;
  ExpectedAvailability availability;
  std::optional<double> up_share;  // whole run: share of the time that replicas were asked for (all
                                   // phases but off and draining) in which they took requests
  double busy = 0;                 // share of time with a step (service: a server) at work
  double idle = 0;                 // 1 − busy
  // Share of time that each was the limit of the step at work; with idle they sum to 1 for an llm.
  double compute = 0, memory_bandwidth = 0, network = 0, host = 0;
  // Share of the GPUs' step time by where it comes from: shapes that were measured, between
  // measured shapes, the data sheet; the three sum to 1, or are 0 where step times are stated
  // coefficients. And the share of it, from any, for shapes beyond those measured.
  double from_profile = 0, from_interpolation = 0, from_roofline = 0;
  double outside_measured = 0;
  double kv_memory = 0, kv_memory_peak = 0;  // share of the KV blocks in use, mean and largest
  double slots = 0, slots_peak = 0;          // share of the sequence slots (servers) in use
  double running = 0;                        // requests (servers) at work in the pool, mean
  double queue = 0;                          // requests waiting at the pool's replicas, mean
  double waiting = 0;            // share of time with requests waiting at a replica at work …
  double waiting_for_slots = 0;  // … while all sequence slots (servers) were taken
  double slots_gain = 1;         // throughput, times, that twice the slots would give at most
  double waiting_for_kv = 0;     // … while slots were free and KV blocks were nearly gone
  std::int64_t preemptions = 0;  // whole run
  std::optional<PoolRequests> requests;  // in a fleet of several pools
};

/// What a station of the front did in the whole run.
struct FrontUse {
  std::string name;  // "load balancer", "tokenizer"
  std::int32_t servers = 0;
  double busy = 0;           // mean share of its servers at work
  double queue = 0;          // requests in its line, mean
  double waiting_share = 0;  // of the time that requests spent in the system, in its line
};

struct Bottleneck {
  std::string resource;  // "memory bandwidth", "compute", "network between GPUs", "host overhead",
                         // "sequence slots (max_num_seqs)", "KV memory", "servers",
                         // "client concurrency cap", "replicas starting", "replicas down",
                         // "rate limits of tenants", "admission at the front", "load balancer",
                         // "tokenizer",
                         // "none: the fleet is idle 70 % of the time"
  std::string pool;      // where; empty: no one pool
  double share = 0;      // how much of `share_of` it was the limit, 0..1
  bool saturated = false;  // requests wait for it; else it only sets the pace of each step
  std::string relief;      // one line: what relieves it
  std::string share_of = "of the time";  // of the pool's; else "of the capacity wanted while
                                         // requests waited", "of the requests"
};

struct Cost {
  bool known = false;             // every pool with GPUs has a price
  std::int64_t gpus = 0;          // paid for at the most at a time, summed over pools
  double mean_gpus = 0;           // paid for, mean over the run
  double gpu_hours = 0;           // billed over the whole run, idle ones too; of these …
  double starting_gpu_hours = 0;  // … from the machine's order to the first request
  double draining_gpu_hours = 0;
  double idle_gpu_hours = 0;  // replicas that could work, without a step at work
  double rest_gpu_hours = 0;  // rest of nodes, and paid after they were given back
  double usd = 0;             // of the run
  double usd_per_hour = 0;    // mean over the run
  // Of what completed; absent where nothing completed.
  std::optional<double> usd_per_request, usd_per_million_output_tokens,
      usd_per_million_total_tokens;
};

struct WarmUp {
  enum class How { none, fixed, mser5 };
  How how = How::none;
  double seconds = 0;               // left out at the start
  std::int64_t requests = 0;        // completions left out at the start
  std::int64_t drain_requests = 0;  // completions after the load's end that were left out
  std::string text;  // for people: "MSER-5: 120 requests (6.1 s)", "nothing trimmed: a trace"
};

/// The run over time, in at most 600 buckets of equal width.
struct Timeline {
  double bucket_seconds = 0;  // bucket i covers [i, i + 1) · bucket_seconds
  struct Bucket {
    std::int64_t arrivals = 0, completions = 0, rejections = 0;
    std::int64_t output_tokens = 0;  // of the completions
    double in_system = 0;  // mean number of requests in the system, client queues included
    double queue = 0;      // mean number waiting at replicas
    double running = 0;    // mean number of sequence slots (servers) in use
    double kv_share = 0;   // of all KV blocks of the fleet, mean
    double busy = 0;       // of all replicas that were there, mean share of time at work
    std::int64_t timeouts = 0, hang_ups = 0, losses = 0;  // requests that left so
    std::int64_t retries = 0;                             // attempts that failed and are repeated
    double ready = 0, existing = 0;  // replicas of the fleet, mean: ready; there, and paid for
  };
  std::vector<Bucket> buckets;
};

struct Counts {
  /// arrived = completed + rejected + timed_out + hung_up + lost + in_flight
  std::int64_t arrived = 0, completed = 0, rejected = 0, timed_out = 0, hung_up = 0, lost = 0,
               in_flight = 0;
  std::int64_t retries = 0, escalations = 0;         // sendings after the first; legs of cascades
  FaultCounts faults{};                              // of the fleet and its stores, by kind
  std::int64_t rejected_by_reason[kOutcomes] = {};   // by Outcome; 0 but of rejections
  std::int64_t input_tokens = 0, output_tokens = 0;  // of completed requests
  std::int64_t prefix_hit_tokens = 0;  // of those input tokens: from prefix caches, not computed
  std::int64_t preemptions = 0, steps = 0, events = 0;
};

struct Summary {
  std::string scenario;
  bool partial = false;  // cancelled: figures of what had happened
  Stability stability;
  WarmUp warm_up;
  std::string interval_note;  // why there are no intervals: "single trace, no interval"; else empty

  double load_seconds = 0;      // until the last request was offered or the duration ended
  double makespan_seconds = 0;  // until the last answer
  double drain_seconds = 0;     // makespan − load
  double measured_seconds = 0;  // the part that rates below are taken over

  double offered_per_second = 0, achieved_per_second = 0;  // requests
  double input_tokens_per_second = 0, output_tokens_per_second = 0, total_tokens_per_second = 0;
  double goodput_per_second = 0;
  double good_share = 0;   // over all classes
  bool slo_given = false;  // some class has a promise
  bool slo_held = false;   // all promises given were kept

  Latencies latencies;  // all classes
  Figures itl;          // gaps between tokens, pooled over requests
  std::vector<ClassSummary> classes;

  double number_in_system = 0;  // mean over the measured part; not to be shown when unstable
  Counts counts;
  std::vector<FrontUse> front;  // its stations, in the order in which requests pass them
  std::vector<PoolUse> pools;
  Bottleneck bottleneck;
  Cost cost;
  Timeline timeline;
};

}  // namespace headway
