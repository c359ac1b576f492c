// What a scenario says of requests between the client and a replica: where they may go, how long
// clients wait, what they do after a failure, and who is let in. Plain data, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/distribution.hpp"

namespace headway {

/// Where the requests of a class go.
struct Route {
  enum class Kind {
    any,      // the router chooses among all replicas of the legs' pools
    shares,   // a leg drawn by its share, request by request: canary, split by model
    cascade,  // the first leg; an answer that is not good enough is asked of the next leg again
  };
  struct Leg {
    std::string pool;
    std::uint32_t index = 0;  // of the pool in the fleet; filled by the check
    double share = 1;         // shares: > 0, not normalised
    double escalate = 0;      // cascade: probability that the leg's answer is not good enough
  };
  Kind kind = Kind::any;
  std::vector<Leg> legs;  // empty: every pool of the fleet
};

/// How long the client of a class waits; times from sending, drawn for each attempt.
struct Timeouts {
  std::optional<Distribution> queue;        // until the request first runs: patience in the queue
  std::optional<Distribution> first_token;  // until the first token has come
  std::optional<Distribution> total;        // until the last token has come
  bool any() const { return queue || first_token || total; }
};

/// Clients that hang up in the middle.
struct HangUp {
  double share = 0;    // of the requests, 0..1
  Distribution after;  // seconds from sending
};

/// What a client does after an attempt that failed.
struct Retries {
  enum class Jitter {
    none,         // the back-off itself
    equal,        // half of it, and up to half more
    full,         // anything up to it (Brooker, "Exponential Backoff And Jitter", AWS 2015)
    exponential,  // exponential with that mean
  };
  std::int64_t attempts = 1;    // sendings at most, the first included
  double backoff_seconds = 1;   // before the second attempt …
  double factor = 2;            // … and each further one is this times longer …
  double longest_seconds = 60;  // … up to this
  Jitter jitter = Jitter::full;
  bool rejected = true, timed_out = true, lost = true;  // after what it tries again
};

/// Those who share the fleet: classes name the tenant that they belong to.
struct Tenant {
  std::string name;
  double weight = 1;               // share under the pool order `fair`, > 0
  double requests_per_second = 0;  // rate limit, 0 = none
  double tokens_per_second = 0;    // rate limit on input + output tokens asked for, 0 = none
  double burst_seconds = 60;       // the bucket holds what the rate gives in this time
};

/// Who is let in at the front.
struct FrontAdmission {
  /// Requests of this priority number or a larger one (less important) are rejected while more than
  /// `above` of max_requests are inside.
  struct Shed {
    std::int32_t priority = 0;
    double above = 1;  // share of max_requests, 0..1
  };
  std::int64_t max_requests = 0;  // inside, from the front to the last token; 0 = no limit
  std::vector<Shed> shed;
  std::int64_t max_held = 0;  // waiting at the front while no replica is ready; 0 = no limit
};

/// A station of the front that each request passes before it is routed.
struct FrontStation {
  std::int32_t servers = 1;
  Distribution time;                   // seconds a request
  double seconds_per_input_token = 0;  // beside it
  std::int32_t batch = 1;  // requests that a server takes at a time, and hands on together
};

/// How the router learns of replicas.
struct HealthCheck {
  double interval_seconds = 0;  // 0: the router knows of a failure at once
  std::int32_t failures = 1;    // checks in a row that fail until a replica is taken out …
  std::int32_t successes = 1;   // … and that succeed until it is put in again
};

/// What the router policies need beside their kind.
struct RouterRules {
  double metrics_age_seconds = 0;  // the router sees loads as they were at multiples of this
  HealthCheck health;
  // prefix_aware
  double prefix_weight = 1, load_weight = 1;  // of the score
  std::int64_t index_blocks = 0;  // prefix blocks that the router remembers a replica; 0: as many
                                  // as its KV cache has
  // sticky (session_affinity with overflow)
  std::int32_t overflow = 0;  // outstanding requests from which a session goes elsewhere; 0: never
};

}  // namespace headway
