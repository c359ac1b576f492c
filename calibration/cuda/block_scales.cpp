#include "calibration/cuda/block_scales.hpp"

#include "calibration/cuda/storage_format.hpp"

namespace headway {

namespace {

constexpr std::int64_t kTileRows = 128, kTileScales = 4, kTileBytes = kTileRows * kTileScales;

std::int64_t tiles(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace

std::int64_t BlockScales::place(std::int64_t row, std::int64_t block) const {
  const std::int64_t across = tiles(columns / kScaledColumns, kTileScales);
  const std::int64_t tile = row / kTileRows * across + block / kTileScales;
  const std::int64_t inside = row % kTileRows;
  return tile * kTileBytes + inside % 32 * 16 + inside / 32 * kTileScales + block % kTileScales;
}

float BlockScales::value(std::int64_t row, std::int64_t block) const {
  return e4m3_value(bytes[static_cast<std::size_t>(place(row, block))]);
}

BlockScales make_block_scales(std::int64_t rows, std::int64_t columns, std::uint32_t salt) {
  constexpr std::uint8_t kValues[] = {0x30, 0x38, 0x40};  // ½, 1, 2
  BlockScales scales;
  scales.rows = rows;
  scales.columns = columns;
  const std::int64_t blocks = columns / kScaledColumns;
  scales.bytes.resize(
      static_cast<std::size_t>(tiles(rows, kTileRows) * tiles(blocks, kTileScales) * kTileBytes));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto mixed = static_cast<std::uint32_t>(row) * 2654435761u +
                         static_cast<std::uint32_t>(block) * 40503u + salt;
      scales.bytes[static_cast<std::size_t>(scales.place(row, block))] =
          kValues[(mixed ^ (mixed >> 15)) % 3];
    }
  return scales;
}

}  // namespace headway
