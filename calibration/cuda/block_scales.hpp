// Scales of fp4 products: one e4m3 number for each 16 columns of a row, in the tiles that the
// matrix units read.
#pragma once

#include <cstdint>
#include <vector>

namespace headway {

constexpr std::int64_t kScaledColumns = 16;  // that share a scale (NVFP4)

/// Scales of a matrix of `rows` × `columns`, in cuBLASLt's tiled layout ("1D Block Scaling Factors
/// Layout" of its documentation): tiles of 128 rows by 4 scales, row of tiles after row of tiles,
/// 512 bytes each.
struct BlockScales {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::uint8_t> bytes;

  /// Where the scale of a row's block stands in `bytes`.
  std::int64_t place(std::int64_t row, std::int64_t block) const;
  /// The value that multiplies the numbers of a row's block.
  float value(std::int64_t row, std::int64_t block) const;
};

/// Scales of ½, 1 and 2, mixed so that a scale in a wrong place shows; 0 in the padding. Columns
/// are a multiple of 16.
BlockScales make_block_scales(std::int64_t rows, std::int64_t columns, std::uint32_t salt);

}  // namespace headway
