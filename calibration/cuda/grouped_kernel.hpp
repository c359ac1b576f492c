// Products of the experts of a layer in one launch: each expert's tokens with its own weights.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace headway {

/// Rows of the tiles that there are kernels for: few where experts have few tokens.
constexpr std::int64_t kGroupedRows[] = {16, 64, 128};

/// A tile's work: visits first … end of one expert.
struct ExpertTile {
  std::int32_t expert = 0, first = 0, end = 0;
};

/// y[visit, n] = x[row of the visit, k] · w[expert, n, k]ᵀ, sums in float.
struct GroupedArguments {
  const void* x = nullptr;             // bf16, or fp8 (e4m3)
  const std::int32_t* rows = nullptr;  // row of x of each visit; null: the visit's own number
  const void* w = nullptr;             // the same format
  const ExpertTile* tiles = nullptr;   // of at most `tile_rows` visits each
  void* y = nullptr;                   // bf16
  std::int32_t tile_count = 0, tile_rows = 16;  // one of kGroupedRows
  std::int64_t n = 0, k = 0;  // n a multiple of 8; a row of k is a multiple of 16 bytes
  bool fp8 = false;           // needs compute capability 8.9
};

/// Enqueues it.
void launch_grouped(cudaStream_t stream, const GroupedArguments& arguments);

}  // namespace headway
