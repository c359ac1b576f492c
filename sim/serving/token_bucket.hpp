// A token bucket: fills at a rate, holds so much, and lets through what it can pay for.
#pragma once

#include <cstdint>

#include "models/units.hpp"

namespace headway {

/// Levels are integers of 1 / (86,400,000,000 · 10¹²) of a token, so that a rate of whole
/// micro-tokens a day fills exactly so much in a picosecond: nothing is rounded but the rate, once,
/// to the nearest micro-token a day. The bucket is full at the run's start (Turner, New Directions
/// in Communications, IEEE Communications Magazine 24(10), 1986: the leaky bucket as a meter).
class TokenBucket {
 public:
  /// `per_second` in (0, 1e12] tokens; holds what that gives in `burst_seconds` (≥ 0), at least one
  /// token and at most 1e15.
  TokenBucket(double per_second, double burst_seconds);

  /// Whether it holds `amount` ≥ 0 tokens at `now`, which never goes back. An amount over the
  /// capacity is never held.
  bool holds(std::int64_t amount, Time now);
  /// Takes what holds() has just found there.
  void take(std::int64_t amount) { level_ -= amount * kToken; }

  /// Whole tokens that it holds when full.
  std::int64_t capacity() const { return static_cast<std::int64_t>(capacity_ / kToken); }

 private:
  static constexpr __int128 kPerDay = static_cast<__int128>(86'400) * 1'000'000;  // micro-tokens
  static constexpr __int128 kToken = kPerDay * 1'000'000'000'000;

  __int128 rate_;      // micro-tokens a day = levels a picosecond
  __int128 capacity_;  // in levels
  __int128 level_;     // at filled_at_
  Time filled_at_ = 0;
};

}  // namespace headway
