// Over how many blocks the keys of a decoding sequence are split.
#pragma once

#include <cstdint>
#include <vector>

namespace headway {

struct DecodeSplit {
  std::int32_t splits = 1;           // of the longest sequence
  std::int32_t pages_per_split = 1;  // pages that one block reads
  /// Bytes of the partial results, and of their logarithms, of `rows` pairs of sequence and head;
  /// 0 with one split.
  std::int64_t partial_bytes(std::int64_t rows, std::int64_t head_dim) const;
  std::int64_t logarithm_bytes(std::int64_t rows) const;
};

/// What a sequence's pages are to be cut into so that all multiprocessors have work and few wait
/// for the last: the split with the least time by count of pages, where a block costs what reading
/// four pages costs, and combining costs as much as eight. `pages` of each sequence, 1 or more;
/// `blocks_per_sequence`: KV heads × tiles of query heads; `resident`: blocks that the card holds
/// at once.
DecodeSplit choose_decode_split(const std::vector<std::int64_t>& pages,
                                std::int64_t blocks_per_sequence, std::int64_t resident);

}  // namespace headway
