// What a profile is of: the samples' GPU, an engine with its version, a day of the calendar.
#include "calibration/profile_identity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/calibration_error.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

SampleFile samples_of(const std::string& gpu) {
  SampleFile file;
  file.header.gpu = gpu;
  return file;
}

TEST(ProfileIdentity, SamplesOfTwoGpusMakeNoProfile) {
  const std::vector<SampleFile> same = {samples_of("l40s-48gb"), samples_of("l40s-48gb")};
  EXPECT_EQ(measured_gpu({"a", "b"}, same), "l40s-48gb");
  const std::vector<SampleFile> mixed = {same[0], same[1], samples_of("h100-sxm-80gb")};
  EXPECT_EQ(error_of<SampleError>([&] {
              measured_gpu({"a", "b", "c"}, mixed);
            }),
            "a is of l40s-48gb, c of h100-sxm-80gb; expected samples of one GPU");
}

TEST(ProfileIdentity, TheGpuIsTheSamplesByNameStartOrAlias) {
  EXPECT_EQ(profile_gpu("h100-sxm", "h100-sxm-80gb"), "h100-sxm");
  EXPECT_EQ(profile_gpu("h100-sxm-80gb", "h100-sxm-80gb"), "h100-sxm-80gb");
  EXPECT_EQ(profile_gpu("a100-sxm", "a100-sxm-40gb"), "a100-sxm");
  EXPECT_EQ(profile_gpu("rtx4090", "rtx-4090-24gb"), "rtx-4090-24gb");
  EXPECT_EQ(profile_gpu("cpu", "cpu"), "cpu");
  EXPECT_EQ(profile_gpu("of-another-catalogue", "of-another-catalogue"), "of-another-catalogue");
}

TEST(ProfileIdentity, AnotherGpuThanTheSamplesIsRefused) {
  const auto refusal = [](const char* asked, const char* measured) {
    return error_of<SampleError>([&] { profile_gpu(asked, measured); });
  };
  EXPECT_THAT(refusal("h100-pcie", "h100-sxm-80gb"), HasSubstr("the samples are of h100-sxm-80gb"));
  EXPECT_THAT(refusal("cpu", "h100-sxm-80gb"), HasSubstr("the samples are of h100-sxm-80gb"));
  EXPECT_THAT(refusal("h100-sxm", "cpu"), HasSubstr("the samples are of cpu"));
  EXPECT_THAT(refusal("l4", "l40s-48gb"), HasSubstr("the samples are of l40s-48gb"));
  EXPECT_THAT(error_of<CatalogError>([] { profile_gpu("h100-sxn", "h100-sxm-80gb"); }),
              HasSubstr("did you mean \"h100-sxm\"?"));
  EXPECT_THAT(error_of<CatalogError>([] { profile_gpu("rtx", "rtx-4090-24gb"); }),
              HasSubstr("there is no GPU \"rtx\""));
}

TEST(ProfileIdentity, AnEngineHasANameAndAVersion) {
  EXPECT_EQ(profile_engine("vllm-0.19.0"), "vllm-0.19.0");
  EXPECT_EQ(profile_engine("trtllm 1.3.0rc20"), "trtllm-1.3.0rc20");
  EXPECT_EQ(profile_engine("headway-cpu 0.1.0"), "headway-cpu-0.1.0");
  for (const char* wrong : {"", "vllm", "vllm-", "-0.19.0", "0.19.0", "vllm-latest", "vllm  0.19",
                            "vllm/0.19-0", "v\"llm-0.19.0", "vllm-0.19.0\n"})
    EXPECT_THAT(error_of<SampleError>([&] { profile_engine(wrong); }), HasSubstr("NAME-VERSION"))
        << wrong;
}

TEST(ProfileIdentity, ADateIsADayOfTheCalendar) {
  for (const char* day : {"", "2026-11-30", "2028-02-29", "2000-02-29"})
    EXPECT_EQ(profile_date(day), day);
  for (const char* wrong : {"2026-02-29", "2026-02-30", "2100-02-29", "2026-13-01", "2026-00-01",
                            "2026-11-00", "2026-11-31", "26-11-30", "2026-11-3", "2026/11/30",
                            "30.11.2026", "yesterday", "2026-11-30 ", "2026-+1-30"})
    EXPECT_THAT(error_of<SampleError>([&] { profile_date(wrong); }), HasSubstr("calendar"))
        << wrong;
}

}  // namespace
}  // namespace headway
