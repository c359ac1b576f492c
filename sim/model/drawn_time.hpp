// Times drawn from a scenario's laws.
#pragma once

#include <cmath>
#include <optional>

#include "models/units.hpp"
#include "sim/workload/draw.hpp"
#include "sim/workload/sampler.hpp"

namespace headway {

/// A law of seconds with its draws. Absent: always 0.
class DrawnTime {
 public:
  DrawnTime(const std::optional<Distribution>& law, std::uint64_t seed, Stream stream,
            std::uint64_t entity)
      : given_(law), sampler_(law ? Sampler(*law) : Sampler()), draw_(seed, stream, entity) {}

  bool given() const { return given_; }
  /// The time with this index, in [0, kEndOfTime].
  Time operator()(std::uint64_t index) const {
    if (!given_) return 0;
    const double picoseconds = sampler_(draw_, index) * kPicosecondsPerSecond;
    constexpr auto kLongest = static_cast<double>(kEndOfTime);
    return picoseconds < kLongest ? static_cast<Time>(std::llround(picoseconds)) : kEndOfTime;
  }

 private:
  bool given_;
  Sampler sampler_;
  Draw draw_;
};

}  // namespace headway
