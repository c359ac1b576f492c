#include "calibration/cuda/decode_split.hpp"

#include <algorithm>
#include <cmath>

namespace headway {

namespace {

constexpr std::int64_t kBlockPages = 4, kCombinePages = 8;  // costs, in pages read
constexpr std::int64_t kMostSplits = 128, kLeastPages = 8;  // two rounds of a block's four warps

std::int64_t quotient_up(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace

std::int64_t DecodeSplit::partial_bytes(std::int64_t rows, std::int64_t head_dim) const {
  return splits == 1 ? 0 : 4 * splits * rows * head_dim;
}

std::int64_t DecodeSplit::logarithm_bytes(std::int64_t rows) const {
  return splits == 1 ? 0 : 4 * splits * rows;
}

DecodeSplit choose_decode_split(const std::vector<std::int64_t>& pages,
                                std::int64_t blocks_per_sequence, std::int64_t resident) {
  const std::int64_t longest = *std::max_element(pages.begin(), pages.end());
  const std::int64_t most = std::clamp<std::int64_t>(longest / kLeastPages, 1, kMostSplits);
  DecodeSplit best;
  double least = 0;
  for (std::int64_t wanted = 1; wanted <= most; ++wanted) {
    const std::int64_t each = quotient_up(longest, wanted), splits = quotient_up(longest, each);
    std::int64_t blocks = 0;
    for (const std::int64_t count : pages) blocks += quotient_up(count, each);
    // A last round that is not full goes faster than a full one: it has more bandwidth a block.
    const auto all = static_cast<double>(blocks * blocks_per_sequence);
    const double exact = all / static_cast<double>(resident);
    const double rounds = std::max(1.0, (exact + std::ceil(exact)) / 2);
    const double time = rounds * static_cast<double>(each + kBlockPages) +
                        static_cast<double>(splits > 1 ? kCombinePages : 0);
    if (wanted == 1 || time < least) {
      least = time;
      best = {static_cast<std::int32_t>(splits), static_cast<std::int32_t>(each)};
    }
  }
  return best;
}

}  // namespace headway
