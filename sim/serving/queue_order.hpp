// Which waiting request is served next.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// The rank of a request in a queue of this order: the lowest rank is served first, among equals
/// the earliest. fcfs: all equal; priority: the class's priority; shortest_first: input + output
/// tokens (an oracle: a real engine has to predict the output).
inline std::int64_t queue_rank(QueueOrder order, std::int32_t priority, std::int32_t input_tokens,
                               std::int32_t output_tokens) {
  switch (order) {
    case QueueOrder::priority:
      return priority;
    case QueueOrder::shortest_first:
      return std::int64_t{input_tokens} + output_tokens;
    case QueueOrder::fcfs:
    case QueueOrder::fair:
    case QueueOrder::deadline:
      break;
  }
  return 0;
}

/// The rank of a running request: it decides who gets tokens first and who is preempted last. Only
/// priorities reach into the running batch.
inline std::int64_t running_rank(QueueOrder order, std::int32_t priority) {
  return order == QueueOrder::priority ? priority : 0;
}

}  // namespace headway
