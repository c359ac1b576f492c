// Picoseconds ×2^-20: step costs are sums of integer coefficients times integer aggregates, so that
// equal batches take equal times however their sums were reached.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/units.hpp"

namespace headway {

inline constexpr int kFractionBits = 20;

/// A sum of coefficient · aggregate. A coefficient is below 2^63, an aggregate at most 2^60: four
/// such products stay below 2^126.
__extension__ typedef __int128 Fixed;

/// The largest coefficient, so that it fits 64 bits: 8 s · 10^12 · 2^20 < 2^63.
inline constexpr double kLargestCoefficientSeconds = 8;

/// Aggregates count as at most this; 10^18 tokens are beyond every run.
inline constexpr std::int64_t kLargestAggregate = std::int64_t{1} << 60;

/// The longest time of a step or of a part of one: ten days, so that a sum of ten stays in 64 bits.
inline constexpr Picoseconds kLongestStep = Picoseconds{10} * 86400 * 1'000'000'000'000;

/// Seconds as a coefficient, rounded to nearest. Throws ModelError outside 0..8 s, and for NaN.
std::int64_t fixed_point(double seconds);

/// The aggregate within 0..kLargestAggregate.
inline std::int64_t bounded(std::int64_t aggregate) {
  return std::clamp<std::int64_t>(aggregate, 0, kLargestAggregate);
}

/// The nearest whole picosecond, at most kLongestStep.
inline Picoseconds to_whole(Fixed value) {
  constexpr Fixed kHalfPicosecond = Fixed{1} << (kFractionBits - 1);
  const Fixed whole = (value + kHalfPicosecond) >> kFractionBits;
  return whole > kLongestStep ? kLongestStep : static_cast<Picoseconds>(whole);
}

/// The whole picoseconds below, at most kLongestStep.
inline Picoseconds to_floor(Fixed value) {
  const Fixed whole = value >> kFractionBits;
  return whole > kLongestStep ? kLongestStep : static_cast<Picoseconds>(whole);
}

}  // namespace headway
