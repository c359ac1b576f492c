// Texts gone wrong, deterministically: each seed gives the same mutation.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/draw.hpp"

namespace headway {

/// Draws one after the other.
class FuzzDice {
 public:
  explicit FuzzDice(std::uint64_t seed) : draw_(seed, Stream::router, 0xf22) {}
  /// In [0, sides).
  std::size_t below(std::size_t sides) {
    return static_cast<std::size_t>(draw_.below(sides, next_++));
  }
  bool chance(double p) { return draw_.uniform(next_++) < p; }
  double real(double low, double high) { return low + (high - low) * draw_.uniform(next_++); }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

 private:
  Draw draw_;
  std::uint64_t next_ = 0;
};

/// The text after one to eight changes: bytes flipped, dropped and put in, pieces deleted, repeated
/// and swapped, numbers replaced by extreme ones, and words of `dictionary` put in.
std::string mutated(std::string_view text, FuzzDice& dice,
                    const std::vector<std::string>& dictionary = {});

/// The most seconds of processor time that one text or one run may take.
#ifdef HEADWAY_SANITIZE
inline constexpr double kLongestRound = 8;
#else
inline constexpr double kLongestRound = 2;
#endif

/// How the programs of this folder bound themselves: a fixed number of rounds, fewer on a machine
/// that needs over 15 s of processor time for them.
class Budget {
 public:
  bool spent() const { return seconds() > 15; }
  double seconds() const {
    return static_cast<double>(std::clock() - start_) / static_cast<double>(CLOCKS_PER_SEC);
  }

 private:
  std::clock_t start_ = std::clock();
};

}  // namespace headway
