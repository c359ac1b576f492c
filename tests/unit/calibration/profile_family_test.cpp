#include <gtest/gtest.h>

#include <vector>

#include "calibration/profile_maker.hpp"

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

}  // namespace
}  // namespace headway
