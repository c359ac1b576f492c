// The CPU backend: every operator gives the result of its plain reference, and what it cannot do is
// refused by name.
#include "calibration/cpu/cpu_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/sample_file.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

OperatorPoint point_of(const std::string& line) {
  return parse_sample_line(line.substr(0, line.size() - 1) + R"(,"format":"bf16","seconds":1})",
                           "point", 1)
      .point;
}

const char* const kPoints[] = {
    R"({"op":"gemm","m":1,"n":1,"k":1})",
    R"({"op":"gemm","m":1,"n":300,"k":2050})",
    R"({"op":"gemm","m":300,"n":77,"k":129})",
    R"({"op":"attention_prefill","heads":4,"kv_heads":2,"head_dim":32,"batch":2,"chunk":70})",
    R"({"op":"attention_prefill","heads":4,"kv_heads":4,"head_dim":64,"batch":1,"chunk":33,"prefix":200})",
    R"({"op":"attention_prefill","heads":2,"kv_heads":1,"head_dim":16,"batch":1,"chunk":300,"window":65})",
    R"({"op":"attention_prefill","heads":2,"kv_heads":1,"head_dim":16,"batch":1,"chunk":70,"window":1})",
    R"({"op":"attention_decode","heads":8,"kv_heads":2,"head_dim":64,"batch":5,"context":1})",
    R"({"op":"attention_decode","heads":8,"kv_heads":1,"head_dim":128,"batch":3,"context":1000})",
    R"({"op":"attention_decode","heads":8,"kv_heads":8,"head_dim":64,"batch":4,"context":500,"window":100})",
    R"({"op":"attention_decode","heads":8,"kv_heads":8,"head_dim":64,"batch":4,"context":100,"longest":301})",
    R"({"op":"attention_mixed","heads":8,"kv_heads":2,"head_dim":64,"batch":6,"context":300,"chunk":50,"prefix":20})",
    R"({"op":"norm","tokens":7,"width":515})",
    R"({"op":"activation","tokens":7,"width":515})",
    R"({"op":"rotary","tokens":7,"width":514})",
    R"({"op":"embedding","tokens":7,"width":515})",
    R"({"op":"sampler","batch":33,"width":2000})",
    R"({"op":"copy","bytes":1000001})",
    R"({"op":"moe","tokens":9,"hidden":64,"inner":48,"experts":8,"topk":2,"expert_parallel":1})",
    R"({"op":"moe","tokens":9,"hidden":64,"inner":48,"experts":8,"topk":2,"expert_parallel":2})",
    R"({"op":"moe","tokens":9,"hidden":64,"inner":48,"experts":8,"topk":2,"expert_parallel":1,"touched":3})",
};

TEST(CpuDevice, EveryOperatorAgreesWithItsReferenceAndTakesTime) {
  const std::unique_ptr<MeasuringDevice> device = open_cpu_device();
  EXPECT_EQ(device->identity().gpu, "cpu");
  for (const char* line : kPoints) {
    const std::unique_ptr<PreparedOperator> prepared = device->prepare(point_of(line));
    const Verification verification = prepared->verification();
    EXPECT_GT(verification.compared, 0) << line;
    EXPECT_LE(verification.error, verification.tolerance) << line;
    EXPECT_LT(verification.tolerance, 2e-3) << line;
    EXPECT_GT(prepared->run_once(10), 0) << line;
  }
}

PointFault fault_of(const OperatorPoint& point) {
  try {
    open_cpu_device()->prepare(point);
  } catch (const PointError& error) {
    return error.fault();
  }
  ADD_FAILURE() << "measured " << point_text(point);
  return PointFault::wrong_result;
}

TEST(CpuDevice, WhatItCannotDoIsRefused) {
  EXPECT_EQ(fault_of(point_of(R"({"op":"all_reduce","gpus":2,"bytes":64})")),
            PointFault::unsupported);
  EXPECT_EQ(fault_of(point_of(R"({"op":"rotary","tokens":2,"width":3})")), PointFault::unsupported);
  EXPECT_EQ(fault_of(point_of(R"({"op":"gemm","m":1,"n":10000000,"k":1000000})")),
            PointFault::out_of_memory);
  EXPECT_EQ(
      fault_of(point_of(
          R"({"op":"attention_decode","heads":3,"kv_heads":2,"head_dim":8,"batch":1,"context":8})")),
      PointFault::unsupported);
  OperatorPoint fp8 = point_of(R"({"op":"gemm","m":1,"n":1,"k":1})");
  fp8.format = "fp8";
  EXPECT_EQ(fault_of(fp8), PointFault::unsupported);
}

TEST(CpuDevice, ARunThatTakesTooLongIsEnded) {
  const auto prepared =
      open_cpu_device()->prepare(point_of(R"({"op":"gemm","m":512,"n":512,"k":512})"));
  try {
    prepared->run_once(0);
    FAIL();
  } catch (const PointError& error) {
    EXPECT_EQ(error.fault(), PointFault::timed_out);
  }
}

TEST(CpuDevice, AGemmCountsTwoOperationsAWeightAndToken) {
  const auto prepared =
      open_cpu_device()->prepare(point_of(R"({"op":"gemm","m":16,"n":128,"k":64})"));
  EXPECT_DOUBLE_EQ(prepared->flops(), 2.0 * 16 * 128 * 64);
  EXPECT_DOUBLE_EQ(prepared->memory_bytes(), 2.0 * 128 * 64 + 4 * 16 * (128 + 64));
}

TEST(Comparison, AWrongOrMissingNumberIsFound) {
  Comparison right;
  right.add(100.001, 100);
  right.add(0.001, 0);
  EXPECT_NEAR(right.result(1e-4).error, 1e-5, 1e-8);
  Comparison wrong;
  wrong.add(1, 100);
  EXPECT_NEAR(wrong.result(1e-4).error, 0.99, 1e-9);
  Comparison infinite;
  infinite.add(1.0 / 0.0, 1);
  infinite.add(1, 1);
  EXPECT_GT(infinite.result(1e-4).error, 1);
}

TEST(Bf16, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_float(to_bf16(1.0f)), 1.0f);
  EXPECT_EQ(to_float(to_bf16(1.0f + 0x1p-8f)), 1.0f);                // half way: to even
  EXPECT_EQ(to_float(to_bf16(1.0f + 3 * 0x1p-8f)), 1.0f + 0x1p-6f);  // half way: to even
  EXPECT_EQ(to_float(to_bf16(-3.1415927f)), -3.140625f);
}

}  // namespace
}  // namespace headway
