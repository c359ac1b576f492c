#include "sim/serving/batcher.hpp"

#include <cassert>

namespace headway {

std::unique_ptr<Batcher> make_batcher(const Batching& batching) {
  switch (batching.kind) {
    case Batching::Kind::fixed:
      return make_static_batcher(batching.size, to_picoseconds(batching.timeout_seconds));
    case Batching::Kind::dynamic:
      return make_dynamic_batcher(batching.max_size, batching.preferred_sizes,
                                  to_picoseconds(batching.max_queue_delay_seconds));
    case Batching::Kind::none:
      break;
    case Batching::Kind::continuous:
      assert(!"continuous batching has no batcher");
  }
  return make_no_batcher();
}

}  // namespace headway
