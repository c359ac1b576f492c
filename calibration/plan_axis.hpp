// Values of one axis of a plan, and the order in which they are worth measuring.
#pragma once

#include <cstdint>
#include <vector>

namespace headway {

/// Indices 0 … count − 1 in order of refinement: the ends, the middle, the quarters and so on.
std::vector<std::size_t> refinement_order(std::size_t count);

/// `count` of the values at most, evenly chosen over the list, the ends always among them.
std::vector<std::int64_t> thinned(const std::vector<std::int64_t>& values, std::size_t count);

/// Token counts of matrix products up to `largest`: 1, 2, 4, 8, then multiples of 16 in growing
/// steps, with one beyond a multiple of 128 and of 256, where the grid of tiles gains a row.
std::vector<std::int64_t> token_axis(std::int64_t largest);

/// `first`, first · factor, … below `last`, then `last`; `last` alone where it is not above
/// `first`.
std::vector<std::int64_t> geometric_axis(std::int64_t first, std::int64_t last,
                                         std::int64_t factor);

}  // namespace headway
