// What the CUDA backend decides and lays out on the host: no card is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "calibration/cuda/attention_reference.hpp"
#include "calibration/cuda/block_scales.hpp"
#include "calibration/cuda/catalogue_name.hpp"
#include "calibration/cuda/cublas_product.hpp"
#include "calibration/cuda/cuda_call.hpp"
#include "calibration/cuda/cuda_device.hpp"
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/decode_split.hpp"
#include "calibration/cuda/expert_layout.hpp"
#include "calibration/cuda/nvml.hpp"
#include "calibration/cuda/paged_decode.hpp"
#include "calibration/cuda/storage_format.hpp"
#include "models/catalog.hpp"

namespace headway {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(StorageFormat, CodesHaveTheValuesOfTheirDefinitions) {
  EXPECT_EQ(bf16_value(0x3f80), 1.0f);
  EXPECT_EQ(bf16_value(0xc049), -3.140625f);
  EXPECT_EQ(fp16_value(0x3c00), 1.0f);
  EXPECT_EQ(fp16_value(0x7bff), 65504.0f);
  EXPECT_EQ(fp16_value(0x0001), 0x1p-24f);
  EXPECT_TRUE(std::isinf(fp16_value(0xfc00)));
  EXPECT_EQ(e4m3_value(0x38), 1.0f);
  EXPECT_EQ(e4m3_value(0x7e), 448.0f);  // the largest
  EXPECT_EQ(e4m3_value(0x81), -0x1p-9f);
  EXPECT_TRUE(std::isnan(e4m3_value(0x7f)));
  std::vector<float> e2m1;
  for (std::uint8_t code = 0; code < 8; ++code) e2m1.push_back(e2m1_value(code));
  EXPECT_THAT(e2m1, ElementsAre(0, 0.5f, 1, 1.5f, 2, 3, 4, 6));
  EXPECT_EQ(e2m1_value(0xf), -6.0f);
}

TEST(StorageFormat, TwoFp4NumbersShareAByteTheLowerHalfFirst) {
  EXPECT_EQ(storage_bytes(StorageFormat::fp4_e2m1, 3), 2u);
  EXPECT_THAT(storage_values(StorageFormat::fp4_e2m1, {0x21, 0x0f}, 3), ElementsAre(0.5f, 1, -6));
  EXPECT_THAT(storage_values(StorageFormat::int8, {0xff, 0x7f}, 2), ElementsAre(-1, 127));
  EXPECT_THAT(storage_values(StorageFormat::int32, {0xfe, 0xff, 0xff, 0xff}, 1), ElementsAre(-2));
}

TEST(BlockScales, EveryScaleHasAPlaceOfItsOwnInTilesOf128RowsByFour) {
  const BlockScales scales = make_block_scales(300, 16 * 10, 1);
  EXPECT_EQ(scales.bytes.size(), 3u * 3u * 512u);  // 384 rows by 12 scales
  EXPECT_EQ(scales.place(0, 0), 0);
  EXPECT_EQ(scales.place(0, 3), 3);
  EXPECT_EQ(scales.place(1, 0), 16);
  EXPECT_EQ(scales.place(31, 0), 496);
  EXPECT_EQ(scales.place(32, 0), 4);
  EXPECT_EQ(scales.place(127, 3), 511);
  EXPECT_EQ(scales.place(0, 4), 512);        // the next tile of the same rows
  EXPECT_EQ(scales.place(128, 0), 3 * 512);  // the next rows
  std::set<std::int64_t> places;
  for (std::int64_t row = 0; row < 300; ++row)
    for (std::int64_t block = 0; block < 10; ++block) {
      places.insert(scales.place(row, block));
      const float value = scales.value(row, block);
      EXPECT_TRUE(value == 0.5f || value == 1 || value == 2) << value;
    }
  EXPECT_EQ(places.size(), 3000u);
  EXPECT_LT(*places.rbegin(), static_cast<std::int64_t>(scales.bytes.size()));
}

// Blocks that an H100 holds: 132 multiprocessors of three.
constexpr std::int64_t kResident = 3 * 132;

TEST(DecodeSplit, OneLongSequenceIsCutSoThatEveryMultiprocessorHasWork) {
  const DecodeSplit split = choose_decode_split({1024}, 8, kResident);  // 16,384 keys, 8 KV heads
  EXPECT_GE(split.splits * 8, 132);
  EXPECT_LE(split.splits * 8, kResident);  // in one round
  EXPECT_GE(split.splits * split.pages_per_split, 1024);
  EXPECT_LT((split.splits - 1) * split.pages_per_split, 1024);
}

TEST(DecodeSplit, ALargeBatchNeedsNone) {
  const DecodeSplit split = choose_decode_split(std::vector<std::int64_t>(256, 64), 8, kResident);
  EXPECT_EQ(split.splits, 1);
  EXPECT_EQ(split.pages_per_split, 64);
  EXPECT_EQ(split.partial_bytes(256 * 32, 128), 0);
}

TEST(DecodeSplit, ShortContextsAreNotCutIntoLessThanTwoRoundsOfABlock) {
  EXPECT_EQ(choose_decode_split({1}, 8, kResident).splits, 1);
  EXPECT_LE(choose_decode_split({16}, 1, kResident).splits, 2);
}

TEST(DecodeSplit, ALongestSequenceIsCutEvenWhereTheBatchFillsTheCard) {
  std::vector<std::int64_t> pages(64, 16);
  pages.front() = 2048;
  EXPECT_GT(choose_decode_split(pages, 8, kResident).splits, 8);
}

TEST(DecodeSplit, EverySplitHasPages) {
  for (std::int64_t pages = 1; pages < 300; ++pages)
    for (const std::int64_t blocks : {1, 8, 64}) {
      const DecodeSplit split = choose_decode_split({pages, 1}, blocks, kResident);
      ASSERT_GE(split.splits * split.pages_per_split, pages);
      ASSERT_LT((split.splits - 1) * split.pages_per_split, pages);
    }
}

TEST(DecodeSplit, PartialResultsAreFloatsForEverySplitSequenceAndHead) {
  DecodeSplit split;
  split.splits = 3;
  EXPECT_EQ(split.partial_bytes(2 * 32, 128), 3 * 2 * 32 * 128 * 4);
  EXPECT_EQ(split.logarithm_bytes(2 * 32), 3 * 2 * 32 * 4);
}

TEST(PagedDecode, BuffersAreTheCacheAboveAll) {
  OperatorPoint point;
  point.op = "attention_decode", point.kv = "bf16";
  point.heads = 32, point.kv_heads = 8, point.head_dim = 128;
  point.batch = 64, point.context = 4096;
  const double cache = 64.0 * 4096 * 8 * 128 * 4;  // keys and values, two bytes each
  EXPECT_NEAR(PagedDecode::buffer_bytes(point) / cache, 1, 0.02);
  point.window = 1024;  // only the window is kept
  EXPECT_NEAR(PagedDecode::buffer_bytes(point) / cache, 0.25, 0.02);
}

// Two experts of three and one visits, of four tokens.
const std::vector<ExpertVisit> kVisits = {{0, 1}, {2, 1}, {3, 1}, {2, 5}};

TEST(ExpertLayout, EachTileHoldsVisitsOfOneExpertWithTokens) {
  const ExpertLayout layout = lay_experts(kVisits, 4);
  EXPECT_EQ(layout.experts, 2);
  EXPECT_THAT(layout.token_of, ElementsAre(0, 2, 3, 2));
  ASSERT_EQ(layout.tiles.size(), 2u);
  EXPECT_EQ(layout.tiles[0].expert, 0);
  EXPECT_EQ(layout.tiles[0].end, 3);
  EXPECT_EQ(layout.tiles[1].expert, 1);
  EXPECT_EQ(layout.tiles[1].first, 3);
  EXPECT_EQ(layout.tiles[1].end, 4);
}

TEST(ExpertLayout, ATokensVisitsAreFoundByToken) {
  const ExpertLayout layout = lay_experts(kVisits, 4);
  EXPECT_THAT(layout.first, ElementsAre(0, 1, 1, 3, 4));  // token 1 has none
  EXPECT_THAT(layout.visits, ElementsAre(0, 1, 3, 2));
}

TEST(ExpertLayout, TilesGrowWithTheTokensOfAnExpertAndLeaveNoVisitOut) {
  OperatorPoint point;
  point.experts = 8, point.topk = 2, point.expert_parallel = 1;
  std::int32_t last = 0;
  for (const std::int64_t tokens : {1, 64, 256, 4096}) {
    point.tokens = tokens;
    const ExpertLayout layout = lay_experts(expert_visits(point), tokens);
    EXPECT_GE(layout.tile_rows, last);
    last = layout.tile_rows;
    std::int32_t next = 0;
    for (const ExpertTile& tile : layout.tiles) {
      EXPECT_EQ(tile.first, next);
      EXPECT_LE(tile.end - tile.first, layout.tile_rows);
      next = tile.end;
    }
    EXPECT_EQ(next, 2 * tokens);
  }
  EXPECT_EQ(last, 128);
}

TEST(ExpertLayout, TokensWithoutExpertsHereHaveNoWork) {
  const ExpertLayout layout = lay_experts({}, 3);
  EXPECT_TRUE(layout.tiles.empty());
  EXPECT_THAT(layout.first, ElementsAre(0, 0, 0, 0));
}

TEST(AttentionReference, WeighsValuesByTheSoftmaxOfTheScores) {
  // Scores 0 and ln 3 weigh the values by 1/4 and 3/4.
  const float key = static_cast<float>(std::log(3.0) * std::sqrt(2.0));
  const std::vector<double> out = attention_reference({1, 0}, {0, 5, key, 7}, {4, 8, 8, -8});
  ASSERT_EQ(out.size(), 2u);
  EXPECT_NEAR(out[0], 0.25 * 4 + 0.75 * 8, 1e-6);
  EXPECT_NEAR(out[1], 0.25 * 8 + 0.75 * -8, 1e-6);
}

TEST(CatalogueName, CardsThatTheDriverNamesAreInTheCatalogue) {
  EXPECT_EQ(catalogue_gpu_name("NVIDIA H100 80GB HBM3"), "h100-sxm-80gb");
  EXPECT_EQ(catalogue_gpu_name("NVIDIA A100-SXM4-40GB"), "a100-sxm-40gb");
  EXPECT_EQ(catalogue_gpu_name("NVIDIA L40S"), "l40s-48gb");
  EXPECT_EQ(catalogue_gpu_name("NVIDIA L4"), "l4-24gb");
  EXPECT_EQ(catalogue_gpu_name("NVIDIA GeForce RTX 4090"), "rtx-4090-24gb");
  EXPECT_EQ(catalogue_gpu_name("NVIDIA GeForce RTX 4090 D"), "");  // another card
  EXPECT_EQ(catalogue_gpu_name("NVIDIA RTX PRO 6000 Blackwell Server Edition"),
            "rtx-pro-6000-96gb");
  EXPECT_EQ(catalogue_gpu_name("Tesla T4"), "");
  for (const char* name : {"NVIDIA H200", "NVIDIA B200", "NVIDIA GB200", "NVIDIA A10G",
                           "NVIDIA H100 NVL", "NVIDIA H100 PCIe", "NVIDIA A100 80GB PCIe",
                           "NVIDIA A100-PCIE-40GB", "NVIDIA GeForce RTX 5090"})
    EXPECT_THAT(gpu_names(), Contains(catalogue_gpu_name(name))) << name;
}

TEST(ClockReasons, TemperatureAndPowerHoldAClockDownAndIdlingDoesNot) {
  EXPECT_FALSE(held_down(0));
  EXPECT_FALSE(held_down(0x1));  // idle
  EXPECT_FALSE(held_down(0x2));  // application clocks
  EXPECT_TRUE(held_down(0x4));   // power cap
  EXPECT_TRUE(held_down(0x40));  // hardware thermal slowdown
  EXPECT_TRUE(held_down(0x1 | 0x80));
}

TEST(CudaCall, OnlyABrokenContextLosesTheDevice) {
  EXPECT_EQ(consequence_of(cudaSuccess), CudaConsequence::fine);
  EXPECT_EQ(consequence_of(cudaErrorMemoryAllocation), CudaConsequence::out_of_memory);
  EXPECT_EQ(consequence_of(cudaErrorInvalidConfiguration), CudaConsequence::unsupported);
  EXPECT_EQ(consequence_of(cudaErrorIllegalAddress), CudaConsequence::device_lost);
  EXPECT_EQ(consequence_of(cudaErrorECCUncorrectable), CudaConsequence::device_lost);
}

TEST(CudaDevice, ACardThatIsNotThereIsToldWithTheReason) {
  try {
    open_cuda_device(1 << 20);
    FAIL();
  } catch (const CalibrationFailure& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no CUDA device: "));
  }
}

TEST(CudaFormats, FollowTheMatrixUnitsOfTheCard) {
  EXPECT_THAT(cuda_formats(80), Not(Contains("fp8")));
  EXPECT_THAT(cuda_formats(89), Contains("fp8"));
  EXPECT_THAT(cuda_formats(90), Not(Contains("fp4")));
  EXPECT_THAT(cuda_formats(120), Contains("fp4"));
  for (const std::string& format : cuda_formats(120)) EXPECT_GT(product_form(format).tolerance, 0);
  EXPECT_THROW(product_form("int4"), PointError);
}

}  // namespace
}  // namespace headway
