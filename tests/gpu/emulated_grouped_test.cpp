// The grouped product of experts on the host: each visit's row times its expert's weights.
#include "tests/gpu/warp_emulation.hpp"
// The kernel's source, after what stands for the card.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "calibration/cuda/expert_layout.hpp"
#include "calibration/cuda/grouped_kernel.cu"
#include "tests/gpu/spread_numbers.hpp"

namespace headway {
namespace {

// The largest difference from plain products, relative to the largest.
double error_of(std::int64_t tokens, std::int64_t n, std::int64_t k, bool fp8,
                std::int32_t tile_rows) {
  OperatorPoint point;
  point.tokens = tokens, point.experts = 3, point.topk = 2, point.expert_parallel = 1;
  const ExpertLayout layout = lay_experts(expert_visits(point), tokens);
  EXPECT_EQ(layout.tile_rows, tile_rows);
  const StorageFormat format = fp8 ? StorageFormat::fp8_e4m3 : StorageFormat::bf16;
  const auto x = spread_numbers(format, tokens * k, 1, 1),
             w = spread_numbers(format, layout.experts * n * k, 1, 2);
  std::vector<std::uint8_t> y(layout.token_of.size() * static_cast<std::size_t>(n) * 2, 0xff);
  GroupedArguments in;
  in.x = x.data(), in.w = w.data(), in.y = y.data();
  in.rows = layout.token_of.data(), in.tiles = layout.tiles.data();
  in.tile_count = static_cast<std::int32_t>(layout.tiles.size());
  in.tile_rows = layout.tile_rows;
  in.n = n, in.k = k, in.fp8 = fp8;
  launch_grouped(nullptr, in);

  const std::vector<float> xs = numbers_of(format, x), ws = numbers_of(format, w),
                           ys = numbers_of(StorageFormat::bf16, y);
  double difference = 0, magnitude = 0;
  for (const ExpertTile& tile : layout.tiles)
    for (std::int64_t visit = tile.first; visit < tile.end; ++visit)
      for (std::int64_t column = 0; column < n; ++column) {
        const auto* row = xs.data() + layout.token_of[static_cast<std::size_t>(visit)] * k;
        const auto* weights = ws.data() + (tile.expert * n + column) * k;
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i)
          sum += static_cast<double>(row[i]) * static_cast<double>(weights[i]);
        const double got = ys[static_cast<std::size_t>(visit * n + column)];
        difference = std::isfinite(got) ? std::max(difference, std::abs(got - sum)) : 1e9;
        magnitude = std::max(magnitude, std::abs(sum));
      }
  return difference / magnitude;
}

TEST(EmulatedGrouped, MultipliesEachVisitWithItsExpertsWeights) {
  for (const bool fp8 : {false, true}) {
    EXPECT_LT(error_of(20, 136, 464, fp8, 16), 5e-3);  // neither n nor k fills its last tile
    EXPECT_LT(error_of(60, 128, 64, fp8, 64), 5e-3);   // fewer tiles of k than stages
    EXPECT_LT(error_of(120, 40, 208, fp8, 128), 5e-3);
    EXPECT_LT(error_of(1, 8, 16, fp8, 16), 5e-3);  // the least there is
  }
}

}  // namespace
}  // namespace headway
