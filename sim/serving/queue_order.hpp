// Which waiting request is served next.
#pragma once

#include <cstdint>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// What the order of a queue goes by.
struct Queued {
  std::int32_t priority = 0;
  std::uint32_t tenant = 0;
  std::int32_t input_tokens = 1, output_tokens = 1;
  Time deadline = kNever;
  Time since = 0;  // it came to the queue then

  std::int64_t tokens() const { return std::int64_t{input_tokens} + output_tokens; }
};

/// The rank of a request in a queue of this order: the lowest rank is served first, among equals
/// the earliest. fcfs: all equal; priority: the class's priority; shortest_first: input + output
/// tokens (an oracle: a real engine has to predict the output); deadline: the deadline; fair: the
/// virtual time of its arrival, from which FairShare makes its start.
inline std::int64_t queue_rank(QueueOrder order, const Queued& request, std::int64_t virtual_time) {
  switch (order) {
    case QueueOrder::priority:
      return request.priority;
    case QueueOrder::shortest_first:
      return request.tokens();
    case QueueOrder::deadline:
      return request.deadline;
    case QueueOrder::fair:
      return virtual_time;
    case QueueOrder::fcfs:
      break;
  }
  return 0;
}

/// The rank of a running request: it decides who gets tokens first and who is preempted last. Only
/// priorities reach into the running batch.
inline std::int64_t running_rank(QueueOrder order, std::int32_t priority) {
  return order == QueueOrder::priority ? priority : 0;
}

/// How long a request may wait before it is next whatever its rank, the longest waiting first;
/// kNever where the order knows no such bound.
inline Time longest_wait(const Pool& pool) {
  const bool bounded = pool.max_wait_seconds > 0 &&
                       (pool.order == QueueOrder::priority ||
                        pool.order == QueueOrder::shortest_first || pool.order == QueueOrder::fair);
  return bounded ? to_picoseconds(pool.max_wait_seconds) : kNever;
}

}  // namespace headway
