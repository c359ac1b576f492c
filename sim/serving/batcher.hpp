// When a free server takes a batch from its queue, and how large: the batchers that form whole
// batches (continuous batching is the engine's own loop, in sim/model).
#pragma once

#include <cstdint>
#include <memory>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

struct BatchDecision {
  std::int32_t take = 0;     // > 0: a batch of the first `take` waiting requests, now
  Time look_again = kNever;  // take = 0: decide again then, or at the next arrival
};

class Batcher {
 public:
  virtual ~Batcher() = default;
  /// A server is free, `waiting` ≥ 1 requests wait, the one at the front since `front_since`.
  virtual BatchDecision decide(std::int64_t waiting, Time front_since, Time now) const = 0;
};

std::unique_ptr<Batcher> make_no_batcher();
/// Waits for `size` requests, or until the front one has waited `timeout`, then takes what is
/// there.
std::unique_ptr<Batcher> make_static_batcher(std::int32_t size, Time timeout);
/// Triton's dynamic batcher (GetDynamicBatch of its scheduler): takes the largest preferred size
/// that can be formed; where none can, takes all that wait, up to `max_size`, as soon as that many
/// are there or the front request has waited `max_queue_delay` (at once if the delay is 0). Once
/// the delay is over, all that wait are taken, preferred size or not.
std::unique_ptr<Batcher> make_dynamic_batcher(std::int32_t max_size,
                                              std::vector<std::int32_t> preferred_sizes,
                                              Time max_queue_delay);
/// The batcher that the pool asks for; not for continuous batching.
std::unique_ptr<Batcher> make_batcher(const Batching& batching);

}  // namespace headway
