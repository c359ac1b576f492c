// A block multiplies up to kRows visits with 128 columns of their expert's weights: tiles of 128
// bytes along k come to shared memory by asynchronous copies, some ahead of the products.
#include <cuda_bf16.h>

#include "calibration/cuda/grouped_kernel.hpp"
#include "calibration/cuda/warp.cuh"

namespace headway {

namespace {

constexpr int kColumns = 128, kBytes = 128, kChunks = kBytes / 16, kStages = 3;

template <int kRows>
struct Layout {
  static constexpr int kWarps = kRows == 128 ? 8 : 4, kThreads = 32 * kWarps;
  static constexpr int kWarpRows = kRows == 16 ? 16 : 32;    // of a warp's part
  static constexpr int kWarpsAlongRows = kRows / kWarpRows;  // 1, 2, 4
  static constexpr int kWarpsAlongColumns = kWarps / kWarpsAlongRows;
  static constexpr int kWarpColumns = kColumns / kWarpsAlongColumns;  // 32 or 64
  static constexpr int kRowParts = kWarpRows / 16, kColumnParts = kWarpColumns / 8;
  static constexpr int kStageBytes = (kRows + kColumns) * kBytes;
  static constexpr int kSharedBytes = kStages * kStageBytes;
};

// Where a row's chunk stands: chunks are exchanged by row, so that eight rows' chunks lie in
// different banks.
__device__ int swizzled(int row, int chunk) {
  return row * kBytes + (chunk ^ (row % 8)) * 16;
}

// Brings the tile of k that begins at byte `offset` of each row.
template <int kRows>
__device__ void fetch(std::uint8_t* stage, const GroupedArguments& in, const ExpertTile& tile,
                      std::int64_t row_bytes, std::int64_t offset) {
  const auto* x = static_cast<const std::uint8_t*>(in.x);
  const auto* w = static_cast<const std::uint8_t*>(in.w) + tile.expert * in.n * row_bytes;
  const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kColumns;
  for (int i = threadIdx.x; i < (kRows + kColumns) * kChunks; i += Layout<kRows>::kThreads) {
    const int row = i / kChunks, chunk = i % kChunks;
    const std::int64_t at = offset + chunk * 16;
    const std::uint8_t* from = x;
    bool there = at < row_bytes;
    if (row < kRows) {
      const std::int32_t visit = tile.first + row;
      there = there && visit < tile.end;
      if (there) from = x + (in.rows != nullptr ? in.rows[visit] : visit) * row_bytes + at;
    } else {
      there = there && column + row - kRows < in.n;
      if (there) from = w + (column + row - kRows) * row_bytes + at;
    }
    copy16(stage + swizzled(row, chunk), from, there);
  }
}

template <int kRows, bool kFp8>
__device__ void multiply_stage(
    const std::uint8_t* stage, int warp_row, int warp_column,
    float (&sums)[Layout<kRows>::kRowParts][Layout<kRows>::kColumnParts][4]) {
  using L = Layout<kRows>;
  const int lane = threadIdx.x % 32;
  const std::uint8_t* weights = stage + kRows * kBytes;
#pragma unroll
  for (int step = 0; step < kBytes / 32; ++step) {
    std::uint32_t a[L::kRowParts][4], b[L::kColumnParts / 2][4];
#pragma unroll
    for (int part = 0; part < L::kRowParts; ++part)
      load_matrices(a[part],
                    stage + swizzled(warp_row + 16 * part + lane % 16, 2 * step + lane / 16));
#pragma unroll
    for (int part = 0; part < L::kColumnParts / 2; ++part)
      load_matrices(b[part], weights + swizzled(warp_column + 16 * part + lane / 16 * 8 + lane % 8,
                                                2 * step + lane / 8 % 2));
#pragma unroll
    for (int row = 0; row < L::kRowParts; ++row)
#pragma unroll
      for (int column = 0; column < L::kColumnParts; ++column)
        multiply<kFp8 ? MatrixFormat::fp8 : MatrixFormat::bf16>(
            sums[row][column], a[row][0], a[row][1], a[row][2], a[row][3],
            b[column / 2][column % 2 * 2], b[column / 2][column % 2 * 2 + 1]);
  }
}

template <int kRows, bool kFp8>
__global__ void __launch_bounds__(Layout<kRows>::kThreads)
    grouped_kernel(const GroupedArguments in) {
  using L = Layout<kRows>;
  std::uint8_t* shared = launched_shared_memory();
  const ExpertTile tile = in.tiles[blockIdx.x];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / L::kWarpsAlongColumns * L::kWarpRows;
  const int warp_column = warp % L::kWarpsAlongColumns * L::kWarpColumns;
  const std::int64_t row_bytes = in.k * (kFp8 ? 1 : 2);
  const int steps = static_cast<int>((row_bytes + kBytes - 1) / kBytes);

  for (int step = 0; step < kStages - 1; ++step) {
    if (step < steps)
      fetch<kRows>(shared + step * L::kStageBytes, in, tile, row_bytes,
                   static_cast<std::int64_t>(step) * kBytes);
    close_copies();
  }
  float sums[L::kRowParts][L::kColumnParts][4] = {};
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<kStages - 2>();  // all stages but the youngest are there
    __syncthreads();
    const int next = step + kStages - 1;
    if (next < steps)
      fetch<kRows>(shared + next % kStages * L::kStageBytes, in, tile, row_bytes,
                   static_cast<std::int64_t>(next) * kBytes);
    close_copies();
    multiply_stage<kRows, kFp8>(shared + step % kStages * L::kStageBytes, warp_row, warp_column,
                                sums);
  }

  auto* y = static_cast<__nv_bfloat16*>(in.y);
#pragma unroll
  for (int row = 0; row < L::kRowParts; ++row)
#pragma unroll
    for (int column = 0; column < L::kColumnParts; ++column)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const std::int64_t visit = tile.first + warp_row + 16 * row + lane / 4 + 8 * half;
        const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * kColumns + warp_column +
                                8 * column + lane % 4 * 2;
        if (visit < tile.end && at < in.n)
          *reinterpret_cast<__nv_bfloat162*>(y + visit * in.n + at) =
              __floats2bfloat162_rn(sums[row][column][2 * half], sums[row][column][2 * half + 1]);
      }
}

template <int kRows>
void launch_rows(cudaStream_t stream, const GroupedArguments& arguments) {
  using L = Layout<kRows>;
  const auto kernel = arguments.fp8 ? grouped_kernel<kRows, true> : grouped_kernel<kRows, false>;
  const dim3 grid(static_cast<unsigned>(arguments.tile_count),
                  static_cast<unsigned>((arguments.n + kColumns - 1) / kColumns));
  launch(kernel, grid, L::kThreads, L::kSharedBytes, stream, arguments);
}

}  // namespace

void launch_grouped(cudaStream_t stream, const GroupedArguments& arguments) {
  if (arguments.tile_count == 0) return;
  if (arguments.tile_rows == 16)
    launch_rows<16>(stream, arguments);
  else if (arguments.tile_rows == 64)
    launch_rows<64>(stream, arguments);
  else
    launch_rows<128>(stream, arguments);
}

}  // namespace headway
