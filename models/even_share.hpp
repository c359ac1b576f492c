// Counts and sums shared out evenly: over data-parallel ranks, over the micro-batches of a
// pipeline.
#pragma once

#include <cstdint>

#include "models/fixed_point.hpp"

namespace headway {

/// The largest of `parts` equal parts of a count, rounded up. `parts` is at least 1, `count` at
/// least 0.
inline std::int64_t largest_part(std::int64_t count, std::int64_t parts) {
  return (count + parts - 1) / parts;
}

/// `whole` · `share` / `all`, rounded down; 0 of nothing. `share` is within 0..`all`.
inline std::int64_t part_of(std::int64_t whole, std::int64_t share, std::int64_t all) {
  return all > 0 ? static_cast<std::int64_t>(Fixed{bounded(whole)} * share / all) : 0;
}

}  // namespace headway
