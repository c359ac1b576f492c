// Draws for one random scenario, one after the other.
#pragma once

#include <cstdint>

#include "sim/workload/draw.hpp"

namespace headway {

/// Who throws: each has a sequence of its own, so that one more throw shifts nobody else's.
enum class Thrower : std::uint64_t {
  scenario = 0x7e57,
  traffic,
  queues,
  scaling,
  routing,
  failures,
  holds
};

class Dice {
 public:
  explicit Dice(std::uint64_t seed, Thrower thrower = Thrower::scenario)
      : draw_(seed, Stream::router, static_cast<std::uint64_t>(thrower)) {}
  int between(int low, int high) {
    return low + static_cast<int>(draw_.below(static_cast<std::uint64_t>(high - low + 1), next_++));
  }
  double real(double low, double high) { return low + (high - low) * draw_.uniform(next_++); }
  bool chance(double p) { return draw_.uniform(next_++) < p; }

 private:
  Draw draw_;
  std::uint64_t next_ = 0;
};

}  // namespace headway
