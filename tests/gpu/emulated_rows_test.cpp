// Norm, activation, rotary embedding, sampler and their like on the host, against their formulas.
#include "tests/gpu/warp_emulation.hpp"
// The kernels' source, after what stands for the card.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "calibration/cuda/row_kernels.cu"
#include "tests/gpu/spread_numbers.hpp"

namespace headway {
namespace {

using testing::ElementsAre;

constexpr auto kBf16 = StorageFormat::bf16;

TEST(EmulatedRows, NormScalesTheSumWithTheResidualByItsRootMeanSquare) {
  for (const std::int64_t width : {64, 70, 2056}) {  // wide loads, single ones, two rounds
    const auto x = spread_numbers(kBf16, 2 * width, 1, 1),
               weight = spread_numbers(kBf16, width, 1, 2);
    auto residual = spread_numbers(kBf16, 2 * width, 1, 3);
    const std::vector<float> xs = numbers_of(kBf16, x), before = numbers_of(kBf16, residual),
                             weights = numbers_of(kBf16, weight);
    std::vector<std::uint8_t> y(x.size());
    launch_norm(nullptr, x.data(), residual.data(), weight.data(), y.data(), 2, width);
    const std::vector<float> ys = numbers_of(kBf16, y), after = numbers_of(kBf16, residual);
    for (std::size_t row = 0; row < 2; ++row) {
      double squares = 0;
      const std::size_t begin = row * static_cast<std::size_t>(width),
                        end = begin + static_cast<std::size_t>(width);
      for (std::size_t i = begin; i < end; ++i)
        squares += std::pow(static_cast<double>(xs[i]) + static_cast<double>(before[i]), 2);
      const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-6);
      for (std::size_t i = begin; i < end; ++i) {
        const double sum = static_cast<double>(xs[i]) + static_cast<double>(before[i]);
        ASSERT_NEAR(after[i], sum, 5e-3);
        ASSERT_NEAR(ys[i], sum * scale * static_cast<double>(weights[i - begin]), 0.012) << width;
      }
    }
  }
}

TEST(EmulatedRows, ActivationIsTheGatesSiluTimesUp) {
  for (const std::int64_t width : {64, 71}) {
    const auto x = spread_numbers(kBf16, 3 * 2 * width, 1, 4);
    std::vector<std::uint8_t> y(x.size() / 2);
    launch_activation(nullptr, x.data(), y.data(), 3, width);
    const std::vector<float> xs = numbers_of(kBf16, x), ys = numbers_of(kBf16, y);
    for (std::size_t i = 0; i < ys.size(); ++i) {
      const auto wide = static_cast<std::size_t>(width);
      const std::size_t at = i / wide * 2 * wide + i % wide;
      const double gate = xs[at], up = xs[at + wide];
      ASSERT_NEAR(ys[i], gate / (1 + std::exp(-gate)) * up, 4e-3) << width;
    }
  }
}

TEST(EmulatedRows, ActivationInFp8IsTheSameRoundedOnceMore) {
  const auto x = spread_numbers(kBf16, 2 * 2 * 64, 1, 4);
  std::vector<std::uint8_t> y(2 * 64 * 2), narrow(2 * 64);
  launch_activation(nullptr, x.data(), y.data(), 2, 64);
  launch_activation_fp8(nullptr, x.data(), narrow.data(), 2, 64);
  const std::vector<float> wide = numbers_of(kBf16, y),
                           eight = numbers_of(StorageFormat::fp8_e4m3, narrow);
  for (std::size_t i = 0; i < wide.size(); ++i)
    ASSERT_NEAR(eight[i], wide[i], std::max(2e-3, 0.07 * std::abs(static_cast<double>(wide[i]))));
}

TEST(EmulatedRows, RotaryTurnsPairsHalfAHeadApart) {
  // Two heads of four numbers; row 1 turns its first pair by 90 degrees, its second by none.
  const std::vector<float> turns = {1, 0, 1, 0, 0, 1, 1, 0};
  std::vector<std::uint8_t> x(2 * 8 * 2), y(x.size());
  for (std::size_t i = 0; i < 16; ++i) {
    const __nv_bfloat16 number = __float2bfloat16(static_cast<float>(i));
    std::memcpy(x.data() + 2 * i, &number, 2);
  }
  launch_rotary(nullptr, x.data(), turns.data(), y.data(), 2, 8, 4);
  EXPECT_THAT(numbers_of(kBf16, y),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, -10, 9, 8, 11, -14, 13, 12, 15));
}

TEST(EmulatedRows, TheSamplerDrawsFromTheSoftmaxOfTheLargest) {
  // Weights 1, 3 and 4 of the three largest stand at tokens 1, 4 and 5000; the others have none.
  std::vector<float> row(6000, -1);
  row[1] = 0, row[4] = std::log(3.0f), row[5000] = std::log(4.0f);
  std::vector<float> logits;
  const std::vector<float> share = {0.1f, 0.2f, 0.49f, 0.51f, 0.99f};
  for (std::size_t i = 0; i < share.size(); ++i)
    logits.insert(logits.end(), row.begin(), row.end());
  std::vector<std::int32_t> tokens(share.size(), -1);
  launch_top_k_sampler(nullptr, logits.data(), share.data(), tokens.data(), 5, 6000, 3);
  EXPECT_THAT(tokens, ElementsAre(1, 4, 4, 5000, 5000));
}

TEST(EmulatedRows, TheSamplerOfOneTokenTakesTheLargest) {
  const std::vector<float> logits = {-3, -2, -2.5f}, share = {0.5f};
  std::int32_t token = -1;
  launch_top_k_sampler(nullptr, logits.data(), share.data(), &token, 1, 3, 1);
  EXPECT_EQ(token, 1);
}

TEST(EmulatedRows, WideningFp8IsExact) {
  const auto narrow = spread_numbers(StorageFormat::fp8_e4m3, 64, 100, 5);
  std::vector<std::uint8_t> wide(128);
  launch_widen_fp8(nullptr, narrow.data(), wide.data(), 64);
  EXPECT_EQ(numbers_of(kBf16, wide), numbers_of(StorageFormat::fp8_e4m3, narrow));
}

TEST(EmulatedRows, EmbeddingsAreRowsOfTheTable) {
  for (const std::int64_t width : {24, 5}) {
    const auto table = spread_numbers(kBf16, 10 * width, 1, 6);
    const std::vector<std::int32_t> ids = {7, 0, 7};
    std::vector<std::uint8_t> y(static_cast<std::size_t>(3 * width * 2));
    launch_embedding(nullptr, table.data(), ids.data(), y.data(), 3, width);
    const auto row = table.begin() + 7 * width * 2;
    EXPECT_TRUE(std::equal(row, row + width * 2, y.begin()));
    EXPECT_TRUE(std::equal(row, row + width * 2, y.begin() + 2 * width * 2));
    EXPECT_TRUE(std::equal(table.begin(), table.begin() + width * 2, y.begin() + width * 2));
  }
}

TEST(EmulatedRows, ATokensVisitsAreSummed) {
  std::vector<std::uint8_t> rows(3 * 2), y(2 * 2);
  for (std::size_t i = 0; i < 3; ++i) {
    const __nv_bfloat16 number = __float2bfloat16(static_cast<float>(1 << i));  // 1, 2, 4
    std::memcpy(rows.data() + 2 * i, &number, 2);
  }
  const std::vector<std::int32_t> visits = {2, 0, 1}, first = {0, 2, 3};
  launch_sum_visits(nullptr, rows.data(), visits.data(), first.data(), 0.5f, y.data(), 2, 1);
  EXPECT_THAT(numbers_of(kBf16, y), ElementsAre(2.5f, 1));
}

}  // namespace
}  // namespace headway
