#include "random_holds.hpp"

#include "dice.hpp"

namespace headway {

void add_random_holds(std::uint64_t seed, bool pressure, Scenario& scenario) {
  Dice dice(seed, Thrower::holds);
  for (Pool& pool : scenario.fleet) {
    Batching& batching = pool.batching;
    if (batching.kind != Batching::Kind::continuous) continue;
    if (dice.chance(0.3)) {
      batching.batch_wait_timeout_iters = dice.between(1, dice.chance(0.5) ? 5 : 100);
      batching.batch_wait_max_tokens_ratio = dice.chance(0.3) ? 1 : dice.real(0.01, 1);
    } else if (dice.chance(0.3)) {
      pool.placement.parallel.data = pressure ? 2 : dice.between(2, 5);
      batching.attention_dp_timeout_iters = dice.between(0, dice.chance(0.5) ? 5 : 100);
      batching.attention_dp_batching_wait_iters = dice.between(0, 12);
    }
  }
}

}  // namespace headway
