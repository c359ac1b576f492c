#include "calibration/skew_fit.hpp"

#include <gtest/gtest.h>

#include "calibration/profile_maker.hpp"
#include "tests/unit/calibration/attention_sample.hpp"

namespace headway {
namespace {

Sample decode(std::int64_t batch, std::int64_t context, std::int64_t longest, double seconds) {
  Sample sample = attention_sample("attention_decode", seconds);
  sample.point.batch = batch;
  sample.point.context = context;
  sample.point.longest = longest;
  return sample;
}

/// 10 us, and 1 ns for every key of every sequence.
double plain(double batch, double context) {
  return 10e-6 + 1e-9 * batch * context;
}

std::vector<Sample> equal_contexts() {
  std::vector<Sample> samples;
  for (const std::int64_t batch : {4, 8, 16, 32, 64})
    for (const std::int64_t context : {512, 1024, 2048, 4096, 8192})
      samples.push_back(decode(batch, context, 0,
                               plain(static_cast<double>(batch), static_cast<double>(context))));
  return samples;
}

/// Decodes that go `alpha` of the way to the longest's time.
void add_skewed(std::vector<Sample>& samples, double alpha) {
  for (const std::int64_t batch : {8, 16, 32, 64})
    for (const std::int64_t context : {512, 1024, 2048}) {
      const auto b = static_cast<double>(batch), c = static_cast<double>(context);
      samples.push_back(decode(batch, context, 4 * context,
                               plain(b, c) + alpha * (plain(b, 4 * c) - plain(b, c))));
    }
}

TEST(Skew, IsFoundAgainInDecodesThatFollowIt) {
  for (const double alpha : {0.0, 0.08, 0.5}) {
    std::vector<Sample> samples = equal_contexts();
    add_skewed(samples, alpha);
    const auto fit = fit_skew(samples, make_family(samples, "attention_decode", "bf16"), "bf16");
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha, alpha, 1e-6);
    EXPECT_EQ(fit->held_out.count, 12);
    EXPECT_LT(fit->held_out.mean, 1e-6);
  }
}

TEST(Skew, OfPointsThatDisagreeHasTheErrorThatTheOthersMake) {
  std::vector<Sample> samples = equal_contexts();
  // Twice the mean's time of 10 us + 8 us x 1,024, and none beyond it: each held out by the other.
  samples.push_back(
      decode(8, 1024, 4096, plain(8, 1024) + 0.2 * (plain(8, 4096) - plain(8, 1024))));
  samples.push_back(decode(8, 2048, 4096, plain(8, 2048)));
  const auto fit = fit_skew(samples, make_family(samples, "attention_decode", "bf16"), "bf16");
  ASSERT_TRUE(fit);
  EXPECT_GT(fit->alpha, 0);
  EXPECT_LT(fit->alpha, 0.2);
  const double first = plain(8, 1024) / (plain(8, 1024) + 0.2 * 8 * 3072e-9);   // by α = 0
  const double second = (plain(8, 2048) + 0.2 * 8 * 2048e-9) / plain(8, 2048);  // by α = 0.2
  EXPECT_NEAR(fit->held_out.mean, ((1 - first) + (second - 1)) / 2, 1e-6);
}

TEST(Skew, NeedsPointsThatTellIt) {
  std::vector<Sample> samples = equal_contexts();
  const ProfileFamily family = make_family(samples, "attention_decode", "bf16");
  EXPECT_FALSE(fit_skew(samples, family, "bf16"));
  samples.push_back(decode(8, 1024, 4096, 20e-6));
  EXPECT_FALSE(fit_skew(samples, family, "bf16"));     // one point
  samples.push_back(decode(8, 1024, 1 << 20, 20e-6));  // longer than any that was measured
  samples.push_back(decode(1, 1024, 4096, 20e-6));     // a batch smaller than any
  EXPECT_FALSE(fit_skew(samples, family, "bf16"));
}

TEST(Skew, GoesIntoTheProfileUnlessOneIsGiven) {
  SampleFile file;
  file.header.gpu = "test";
  file.samples = equal_contexts();
  add_skewed(file.samples, 0.08);
  ProfileRequest request;
  request.gpu = "test";
  request.engine = "headway";
  request.format = "bf16";
  EXPECT_NEAR(make_profile({file}, request).skew, 0.08, 1e-6);
  request.skew = 0.3;
  EXPECT_EQ(make_profile({file}, request).skew, 0.3);
  file.samples = equal_contexts();
  request.skew.reset();
  EXPECT_EQ(make_profile({file}, request).skew, 0);
}

}  // namespace
}  // namespace headway
