#include <gtest/gtest.h>

#include <vector>

#include "calibration/profile_maker.hpp"
#include "tests/unit/calibration/attention_sample.hpp"

namespace headway {
namespace {

Sample all_reduce(std::int64_t bytes, double seconds) {
  Sample sample;
  sample.point.op = "all_reduce";
  sample.point.format = "fp16";
  sample.point.gpus = 8;
  sample.point.bytes = bytes;
  sample.seconds = seconds;
  return sample;
}

TEST(Collectives, ThatWereHeldUpDoNotCount) {
  // 1,024 bytes on eight H100 took 15.6 us in a public table, 2,048 bytes 3.53 us.
  const ProfileFamily family =
      make_family({all_reduce(512, 3.32e-6), all_reduce(1024, 15.6e-6), all_reduce(2048, 3.53e-6)},
                  "all_reduce", "bf16");
  ASSERT_EQ(family.rows.size(), 1u);
  // A third of the way from 512 to 2,048 bytes: 3.32 + 0.21 / 3.
  EXPECT_NEAR(family.rows[0].seconds[1], 3.39e-6, 1e-12);
}

TEST(Collectives, ThatAreALittleSlowerThanLargerOnesAreKept) {
  const ProfileFamily family =
      make_family({all_reduce(512, 6.2e-6), all_reduce(1024, 5.0e-6), all_reduce(2048, 9e-6)},
                  "all_reduce", "bf16");
  ASSERT_EQ(family.rows.size(), 1u);
  EXPECT_EQ(family.rows[0].seconds, (std::vector<double>{6.2e-6, 5.0e-6, 9e-6}));
}

/// vLLM's all-reduce was measured in CUDA graphs and out of them.
TEST(Collectives, OutsideGraphsAreAFamilyOfTheirOwn) {
  std::vector<Sample> samples = {all_reduce(512, 4e-6), all_reduce(1024, 5e-6),
                                 all_reduce(512, 21e-6), all_reduce(1024, 22e-6)};
  samples[0].point.variant = samples[1].point.variant = "vllm_graph";
  samples[2].point.variant = samples[3].point.variant = "vllm_eager";
  const ProfileFamily graphs = make_family(samples, "all_reduce", "bf16");
  const ProfileFamily eager = make_family(samples, "all_reduce_eager", "bf16");
  ASSERT_EQ(graphs.rows.size(), 1u);
  ASSERT_EQ(eager.rows.size(), 1u);
  EXPECT_EQ(graphs.rows[0].seconds, (std::vector<double>{4e-6, 5e-6}));
  EXPECT_EQ(eager.rows[0].seconds, (std::vector<double>{21e-6, 22e-6}));
  samples.resize(2);
  EXPECT_TRUE(make_family(samples, "all_reduce_eager", "bf16").rows.empty());
}

Sample attention(const char* op, std::int64_t chunk, std::int64_t prefix, std::int64_t batch,
                 std::int64_t context, double microseconds) {
  Sample sample = attention_sample(op, 1e-6 * microseconds);
  sample.point.chunk = chunk;
  sample.point.prefix = prefix;
  sample.point.batch = batch;
  sample.point.context = context;
  return sample;
}

/// Beside 16 tokens decodes were measured at 1,536 tokens of context too, where they take a step
/// up; beside 512 at powers of two alone, in 1.5 times as long at the lower and twice at the upper.
TEST(MixedAttention, TakesContextsFromTheShortestChunkWhereALongerOneHasNone) {
  SampleFile file;
  file.header.gpu = "rtx-4090-24gb";
  file.header.source = "a test";
  for (const std::int64_t chunk : {16, 512})
    for (const std::int64_t prefix : {0, 1024})
      file.samples.push_back(attention("attention_prefill", chunk, prefix, 1, 0, 10));
  const auto mixed = [&](std::int64_t chunk, std::int64_t context, double microseconds) {
    file.samples.push_back(attention("attention_mixed", chunk, 0, 64, context, 10 + microseconds));
  };
  mixed(16, 1024, 100);
  mixed(16, 1536, 120);
  mixed(16, 2048, 200);
  mixed(512, 1024, 150);
  mixed(512, 2048, 400);
  ProfileRequest request;
  request.gpu = "rtx-4090";
  request.engine = "vllm-0.19.0";
  request.format = "bf16";
  request.date = "2026-11-30";
  const Profile profile = make_profile({file}, request);
  const ProfileFamily* family = profile.find("attention_mixed");
  ASSERT_NE(family, nullptr);
  ASSERT_EQ(family->axes[2], (std::vector<double>{1024, 1536, 2048}));
  const TimeGrid grid = family->grid(family->rows.at(0).seconds);
  EXPECT_NEAR(grid.at(16, 64, 1536).seconds, 120e-6, 1e-9);
  EXPECT_NEAR(grid.at(512, 64, 1536).seconds, 1.75 * 120e-6, 1e-9);
  EXPECT_NEAR(grid.at(512, 64, 2048).seconds, 400e-6, 1e-9);
}

}  // namespace
}  // namespace headway
