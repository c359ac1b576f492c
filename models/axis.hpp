// The points of one axis of a table, with a quick search among them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headway {

/// Ascending points ≥ 0. A search starts at the power of two below the number that is looked for,
/// so that it takes a comparison or two where points stand at powers of two.
class Axis {
 public:
  Axis() = default;
  explicit Axis(std::vector<double> points);

  const std::vector<double>& points() const { return points_; }

  /// How many points are at or below `value`; NaN counts as just below 1.
  std::size_t at_or_below(double value) const {
    std::size_t octave = 0;
    if (value >= 1) {
      constexpr int kMantissaBits = 52, kBias = 1023;
      const auto exponent = (std::bit_cast<std::uint64_t>(value) >> kMantissaBits) - kBias;
      octave = std::min<std::uint64_t>(exponent, kOctaves - 1) + 1;
    }
    const auto first = points_.begin();
    return static_cast<std::size_t>(
        std::upper_bound(first + starts_[octave], first + starts_[octave + 1], value) - first);
  }

 private:
  static constexpr std::size_t kOctaves = 48;  // from 1; what is larger counts to the last

  std::vector<double> points_;
  // Of the points below 1, of those from each power of two on, and their end.
  std::array<std::int32_t, kOctaves + 2> starts_{};
};

}  // namespace headway
