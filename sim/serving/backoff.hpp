// What a client does after an attempt that failed: whether it tries again, and when.
#pragma once

#include <cstdint>

#include "models/units.hpp"
#include "sim/scenario/traffic.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// How an attempt failed.
enum class Failure {
  rejected,   // by the front or a replica's queue: a later attempt may get in
  refused,    // it can never be served (HTTP 400): nobody tries that again
  timed_out,  // the client's patience ended
  lost,       // with a replica that failed
};

class Backoff {
 public:
  /// The retry rules of one class. They outlive it.
  Backoff(const Retries& rules, std::uint64_t seed, std::uint32_t workload_class);

  /// Whether the client sends again after its attempt number `attempts` (from 1) failed so.
  bool again(Failure why, std::int32_t attempts) const;
  /// How long it waits after its attempt number `attempts` ≥ 1 of request `request` has failed:
  /// min(longest, backoff · factor^(attempts − 1)), under the jitter; drawn by (request, attempts).
  /// At most 106 days.
  Picoseconds delay(std::uint64_t request, std::int32_t attempts) const;

 private:
  const Retries& rules_;
  const Draw draw_;
};

}  // namespace headway
