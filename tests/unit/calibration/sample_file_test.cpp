// Samples files: what is written is read back, and what is wrong is told with its place.
#include "calibration/sample_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "calibration/calibration_error.hpp"
#include "calibration/operator_form.hpp"
#include "tests/unit/calibration/temporary_folder.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

const char* const kHeader = R"({"format":"headway.samples","version":1,"gpu":"cpu"})";

Sample gemm_sample() {
  Sample sample;
  sample.point.op = "gemm";
  sample.point.format = "bf16";
  sample.point.m = 16, sample.point.n = 4096, sample.point.k = 14336;
  sample.seconds = 4.0625e-5;
  sample.spread_seconds = 1e-7;
  sample.repeats = 31;
  sample.clock_hz = 1.98e9;
  return sample;
}

std::string reading(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.put("f.samples", text);
  std::string error = error_of<SampleError>([&] { read_samples(path); });
  if (error.starts_with(path)) error = error.substr(path.size());
  return error;
}

std::string reading_line(const std::string& line) {
  return reading(std::string(kHeader) + "\n" + line + "\n");
}

TEST(SampleFile, WhatIsWrittenIsReadBack) {
  SampleFile file;
  file.header = {"h100-sxm-80gb", "NVIDIA \"H100\"", "vllm 0.19.0",
                 "CUDA 13",       "a table",         "2026-11-30"};
  file.samples = {gemm_sample(), gemm_sample()};
  file.samples[1].point = {};
  file.samples[1].point.op = "attention_decode";
  file.samples[1].point.kv = "fp8";
  for (auto dimension : {&OperatorPoint::heads, &OperatorPoint::kv_heads, &OperatorPoint::head_dim,
                         &OperatorPoint::batch, &OperatorPoint::context, &OperatorPoint::longest})
    file.samples[1].point.*dimension = 64;
  const TemporaryFolder folder;
  write_samples(folder.path("f.samples"), file);
  const SampleFile read = read_samples(folder.path("f.samples"));
  EXPECT_EQ(read.header.device, "NVIDIA \"H100\"");
  EXPECT_EQ(read.header.date, "2026-11-30");
  ASSERT_EQ(read.samples.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(read.samples[i].point, file.samples[i].point);
    EXPECT_DOUBLE_EQ(read.samples[i].seconds, 4.0625e-5);
    EXPECT_EQ(read.samples[i].repeats, 31);
  }
}

TEST(SampleFile, ALineLeavesOutWhatIsZero) {
  Sample sample = gemm_sample();
  sample.spread_seconds = 0, sample.repeats = 0, sample.clock_hz = 0;
  EXPECT_EQ(sample_line(sample),
            R"({"op":"gemm","format":"bf16","m":16,"n":4096,"k":14336,"seconds":4.0625e-05})");
}

TEST(SampleFile, AGzipFileIsReadToo) {
  const TemporaryFolder folder;
  const std::string path = folder.path("f.samples.gz");
  const std::string text = std::string(kHeader) + "\n" + sample_line(gemm_sample()) + "\n";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  EXPECT_EQ(read_samples(path).samples.size(), 1u);
}

TEST(SampleFile, WrongLinesAreToldWithTheirPlace) {
  EXPECT_THAT(reading(""), HasSubstr(":1:1: the file is empty"));
  EXPECT_THAT(reading("{}\n"), HasSubstr(":1:1: no samples file"));
  EXPECT_THAT(reading("[1]\n"), HasSubstr("no JSON object"));
  EXPECT_THAT(reading(R"({"format":"headway.samples","version":2,"gpu":"cpu"})"),
              HasSubstr(":1:29: samples of version 2"));
  EXPECT_THAT(reading(R"({"format":"headway.samples","version":1})"), HasSubstr("lacks gpu"));
  EXPECT_THAT(reading_line(R"({"op":"gem","m":1,"n":1,"k":1,"seconds":1})"),
              HasSubstr(R"(:2:2: unknown operator "gem"; expected gemm)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"seconds":1})"), HasSubstr("gemm lacks k"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"k":1,"heads":2,"seconds":1})"),
              HasSubstr(":2:32: gemm has no heads (2)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":-1,"n":1,"k":1,"seconds":1})"),
              HasSubstr(":2:14: m is negative (-1)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1.5,"n":1,"k":1,"seconds":1})"),
              HasSubstr("m is no whole number"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"k":1})"), HasSubstr("seconds is missing"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"k":1,"seconds":0})"),
              HasSubstr("seconds is out of range (0)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"k":1,"seconds":1e999})"), HasSubstr(":2:"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"m":1,"n":1,"k":1,"seconds":1})"),
              HasSubstr("m is there twice"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":1,"n":1,"k":1,"secnds":1})"),
              HasSubstr(R"(unknown key "secnds"; did you mean "seconds"?)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m":[1]})"), HasSubstr("m has the wrong type (a list)"));
  EXPECT_THAT(reading_line(R"({"op":"gemm","m")"), HasSubstr(":2:"));
}

TEST(SampleFile, ATornLastLineIsAnErrorExceptToThoseWhoResume) {
  const TemporaryFolder folder;
  const std::string whole = std::string(kHeader) + "\n" + sample_line(gemm_sample()) + "\n";
  const std::string path = folder.put("f.samples", whole + R"({"op":"gemm","m":1)");
  EXPECT_THAT(error_of<SampleError>([&] { read_samples(path); }), HasSubstr(":3:"));
  const InterruptedSamples read = read_interrupted_samples(path);
  EXPECT_EQ(read.file.samples.size(), 1u);
  EXPECT_EQ(read.whole_bytes, static_cast<std::int64_t>(whole.size()));
}

TEST(SampleFile, AFileThatCannotBeWrittenLeavesTheOldOne) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of<CalibrationFailure>([&] { write_samples(folder.path("no/f"), {}); }),
              HasSubstr("cannot write"));
}

TEST(OperatorForm, EveryOperatorHasItsDimensionsAndNoOther) {
  std::string key;
  for (const std::string& op : operator_names()) {
    OperatorPoint point;
    point.op = op;
    EXPECT_THAT(point_fault(point, key), HasSubstr("lacks")) << op;
    for (int turn = 0; turn < 30 && !point_fault(point, key).empty(); ++turn)
      for (const PointDimension& dimension : point_dimensions())
        if (key == dimension.name) point.*dimension.member = 1;
    EXPECT_EQ(point_fault(point, key), "") << op;
  }
}

}  // namespace
}  // namespace headway
