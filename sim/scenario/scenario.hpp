// A checked scenario: what scenario files say, resolved to numbers in SI units and catalogue
// entries. Plain data; everything in it has been checked, so nothing downstream has to ask whether
// it is sane.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/placement.hpp"
#include "models/pruning.hpp"
#include "models/step_cost.hpp"
#include "sim/scenario/distribution.hpp"
#include "sim/scenario/lifecycle.hpp"
#include "sim/scenario/traffic.hpp"

namespace headway {

/// When requests of a class arrive.
struct Arrivals {
  enum class Kind { constant, poisson, gamma, mmpp, stages, diurnal, trace, closed };
  enum class TraceFormat { azure, burstgpt, mooncake, plain };
  struct State {
    double rate = 0, mean_seconds = 0;
  };  // MMPP: visited in turn, exponential stays
  struct Stage {
    double rate = 0, seconds = 0;
    bool exact = false;  // as many requests as the rate makes on average, at random times
  };                     // else Poisson at this rate for this long
  Kind kind = Kind::poisson;
  double rate = 0;            // per second; constant, poisson, gamma; diurnal: the mean
  double cv = 1;              // gamma: coefficient of variation of the gaps
  std::vector<State> states;  // mmpp
  std::vector<Stage> stages;  // stages
  double amplitude = 0;  // diurnal: rate(t) = rate · (1 + amplitude · cos(2π (t − peak_at)/period))
  double period_seconds = 86400;  // diurnal
  double peak_at_seconds = 0;     // diurnal: time from the run's start
  std::string trace_path;         // trace: a path that existed when checked, resolved against the
                                  // scenario's folder
  std::string trace_fallback;  // a scenario to take the class from where the trace is absent; still
                               // set when that was done
  TraceFormat trace_format = TraceFormat::plain;
  double trace_speed = 1;         // 2 = twice as fast
  std::int64_t trace_limit = 0;   // requests at most, 0 = all
  std::int64_t trace_offset = 0;  // requests skipped at the start
  std::int64_t users = 0;         // closed
  Distribution think;             // closed: seconds between an answer and the user's next request
  std::int64_t requests = 0;      // closed: requests in all, 0 = until the duration ends

  /// True for laws without an end of their own whose rate does not change with the time of day:
  /// steady-state statistics make sense.
  bool stationary() const;
};

/// Promise to the users of a class. A request is good when it meets all; the SLO holds when
/// `percentile` per cent of the requests are good.
struct Slo {
  std::optional<double> ttft_seconds, tpot_seconds, e2e_seconds;
  double percentile = 99;
};

/// System prompts that the requests of a class begin with.
struct SharedPrefix {
  enum class Order { random, round_robin };
  std::int64_t groups = 1;  // prompts, at most 1,000,000
  std::int32_t tokens = 1;  // of each: the first of a request's input tokens
  double zipf = 0;          // random: prompt k (from 1) is as frequent as k^−zipf
  Order order = Order::random;
};

/// Conversations: what a class's arrivals begin, instead of single requests.
struct Session {
  Distribution turns;  // requests of a conversation, rounded to whole ones, at least 1
  Distribution think;  // seconds between an answer and the next turn
  std::optional<Distribution> input_tokens;  // what a later turn adds; absent: as the first
  std::int64_t max_context = 0;  // a turn whose prompt would be longer is not asked; 0 = no limit
};

struct WorkloadClass {
  std::string name;
  Arrivals arrivals;
  std::optional<Distribution> input_tokens, output_tokens;  // absent: from the trace, else 1
  std::optional<SharedPrefix> prefix;                       // absent: nothing shared
  std::optional<Session> session;                           // absent: requests stand alone
  std::optional<Slo> slo;
  std::int32_t priority = 0;                  // lower is served first (vLLM's meaning)
  std::int64_t max_concurrency = 0;           // client cap on requests in flight, 0 = none
  double turnaround_seconds = 0;              // from an answer to the capped client's next send
  std::optional<Distribution> request_bytes;  // sent through the front link; absent: 0
  Route route;                                // which pools serve it
  Timeouts timeouts;
  std::optional<HangUp> hang_up;
  Retries retries;
  std::string tenant;              // "" = one of its own …
  std::uint32_t tenant_index = 0;  // … which the check adds to the scenario's tenants
  bool streaming = true;           // false: the client has all tokens with the last
};

enum class QueueOrder {
  fcfs,
  priority,
  shortest_first,
  fair,     // weighted fair sharing between tenants, by tokens (start-time fair queueing)
  deadline  // earliest scheduled + SLO on TTFT, else E2E, first
};

/// How a replica forms batches.
struct Batching {
  enum class Kind { none, fixed, dynamic, continuous };  // `static` in the file is `fixed` here
  Kind kind = Kind::continuous;
  std::int32_t size = 1;                       // static: wait for this many …
  double timeout_seconds = 1;                  // … or for this long since the front one arrived
  std::int32_t max_size = 1;                   // dynamic
  std::vector<std::int32_t> preferred_sizes;   // dynamic, ascending
  double max_queue_delay_seconds = 0;          // dynamic
  std::int32_t max_num_seqs = 256;             // continuous; of a replica: its ranks' together
  std::int32_t max_num_batched_tokens = 8192;  // continuous; of all ranks and micro-batches
  bool chunked_prefill = true;                 // continuous
  std::int32_t long_prefill_token_threshold =
      0;  // continuous: longest chunk of a prefill, 0 = no limit
  // continuous: prompts are held back (sim/serving/prompt_hold.hpp)
  std::int32_t batch_wait_timeout_iters = 0;           // steps; 0 = off
  double batch_wait_max_tokens_ratio = 0;              // of max_num_batched_tokens; 0 = off
  std::int32_t attention_dp_timeout_iters = -1;        // steps; -1 = off
  std::int32_t attention_dp_batching_wait_iters = -1;  // steps; -1 = off
};

struct Kv {
  std::int32_t block_tokens = 16;
  bool prefix_caching = true;                                                 // continuous batching
  enum class OnPreemption { keep, drop } on_preemption = OnPreemption::keep;  // in the prefix cache
  double watermark = 0;      // fraction of the blocks kept free when admitting from the queue
  bool reserve_all = false;  // admission: reserve a request's whole length (no preemption)
  std::int64_t blocks = 0;   // per replica; given, or what memory leaves
};

/// A station with a service-time law: rerankers, vector search, the coffee shop of the textbook.
struct Service {
  Distribution time;  // seconds of a batch of one
  struct Point {
    double size = 1, factor = 1;
  };
  std::vector<Point> batch_factor;  // time(b) = time · factor(b): piecewise linear between the
                                    // points, level outside them; empty: 1 at every size
  std::int32_t servers = 1;         // batches served at the same time, from one queue
};

struct Pool {
  enum class Kind { llm, service };
  std::string name;
  Kind kind = Kind::llm;
  std::int32_t replicas = 1;
  Batching batching;
  QueueOrder order = QueueOrder::fcfs;
  double max_wait_seconds = 0;  // shortest_first, priority, fair: who has waited so long is next; 0
                                // = no bound
  std::int64_t max_queue = 0;   // waiting requests a replica holds, 0 = no limit; more are rejected
  Service service;              // kind service
  Placement placement;          // kind llm
  Pruning pruning;              // kind llm: of the model, before it is placed
  std::optional<Architecture> unpruned;     // kind llm: where pruning made placement.architecture
  std::vector<std::string> profiles;        // kind llm: files, before the catalogue's
  MemoryPlan memory;                        // kind llm: filled by the check
  Kv kv;                                    // kind llm
  std::int64_t max_model_len = 0;           // kind llm: input + output at most
  std::optional<LinearStepCost> step_time;  // kind llm: instead of the roofline
  std::int32_t gpus_per_replica = 1;        // billed; tensor · pipeline · data for an llm
  double usd_per_gpu_hour = 0;              // 0: no price known
  std::int32_t billed_node_gpus = 0;        // sold in whole nodes of so many GPUs; 0: by the GPU
  double minimum_billing_seconds = 0;   // a GPU, or node, that is taken is paid at least so long
  double weight = 1;                    // router weighted: > 0
  std::optional<ColdStart> cold_start;  // absent: replicas are there at 0, and start in no time
  std::optional<Autoscaler> autoscaler;
  std::optional<Failures> failures;
  std::vector<Deploy> deploys;  // ascending

  /// KV blocks that one request can have: a sequence stays on one data-parallel rank.
  std::int64_t blocks_of_rank() const { return kv.blocks / placement.parallel.data; }
  /// Replicas that can exist at a time.
  std::int32_t places() const;
};

enum class RouterKind {
  random,
  round_robin,
  least_requests,
  power_of_two,
  least_kv,
  weighted,             // as likely as the pools' weights say
  least_tokens,         // the fewest input and output tokens outstanding
  least_expected_wait,  // the fewest outstanding tokens over the rate that they were served at of
                        // late
  prefix_aware,         // the longest prefix that the replica had of late, against its load
  session_affinity,     // a conversation stays, by consistent hashing of its number
  sticky                // the same, but goes elsewhere where its replica has too much to do
};

/// The way from the clients to the router.
struct Front {
  double bandwidth = 0;  // bytes/s of the link that requests share (max-min fair), 0 = not modelled
  double latency_seconds = 0;                       // each way
  std::optional<FrontStation> balancer, tokenizer;  // passed in this order
};

struct Run {
  double duration_seconds = 0;  // of the load; 0: until the sources end
  std::int64_t requests = 0;    // offered at most, 0 = no limit
  bool drain = false;  // go on after the load until every request is answered, and report it whole
  bool warm_up_auto = true;  // MSER-5; else warm_up_seconds are cut
  double warm_up_seconds = 0;
  std::uint64_t seed = 1;
  enum class Stepping { fast, reference } stepping = Stepping::fast;
  enum class Engine { simgrid, heap } engine = Engine::simgrid;
};

struct Scenario {
  std::string name;
  std::string file;                     // where it was read from
  std::vector<WorkloadClass> workload;  // at least one
  std::vector<Pool> fleet;              // at least one
  RouterKind router = RouterKind::least_requests;
  RouterRules router_rules;
  Front front;
  FrontAdmission admission;
  std::vector<Tenant> tenants;
  std::vector<Store> stores;
  Run run;
  std::vector<std::string> warnings;  // with position: keys without effect and the like

  /// Every class is stationary and the run does not drain: warm-up is trimmed and intervals come
  /// from batch means.
  bool stationary() const;
};

}  // namespace headway
