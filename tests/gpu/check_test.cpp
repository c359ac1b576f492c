// The card itself, with HEADWAY_TEST_GPU=1: every operator is right on cuda:0, and the rates that
// bound the others come near their ceilings.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "calibration/cuda/cuda_device.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/sample_file.hpp"
#include "calibration/setup_check.hpp"

namespace headway {
namespace {

bool with_gpu() {
  const char* wanted = std::getenv("HEADWAY_TEST_GPU");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

#define NEEDS_GPU() \
  if (!with_gpu()) GTEST_SKIP() << "no GPU is used: HEADWAY_TEST_GPU=1 is not set"

TEST(CudaCard, EveryOperatorIsRightAndRatesComeNearTheirCeilings) {
  NEEDS_GPU();
  const std::unique_ptr<MeasuringDevice> device = open_cuda_device(0);
  const SetupCheck check = check_setup(*device, [] { return false; });
  std::cout << setup_text(*device, check);
  EXPECT_TRUE(check.passed());
  for (const CheckedOperator& each : check.operators)
    EXPECT_TRUE(each.passed) << point_text(each.point) << ": " << each.fault;
  for (const CheckedRate& rate : checked_rates(*device, check)) {
    if (rate.ceiling_name == "copy") {
      EXPECT_GE(rate.measured, 0.8 * rate.ceiling) << rate.name;
    }
    if (rate.ceiling > 0) {
      EXPECT_LE(rate.measured, 1.1 * rate.ceiling) << rate.name << ": more than there is";
    }
  }
}

// Shapes at the edges: one token, odd sizes, windows, unequal contexts, many heads, few experts.
const char* const kPoints[] = {
    R"({"op":"gemm","format":"bf16","m":1,"n":128256,"k":4096})",
    R"({"op":"gemm","format":"bf16","m":37,"n":1000,"k":520})",
    R"({"op":"attention_prefill","heads":32,"kv_heads":8,"head_dim":128,"batch":1,"chunk":1,"prefix":77})",
    R"({"op":"attention_prefill","heads":64,"kv_heads":8,"head_dim":64,"batch":2,"chunk":333,"window":128})",
    R"({"op":"attention_decode","heads":32,"kv_heads":8,"head_dim":128,"batch":1,"context":1})",
    R"({"op":"attention_decode","heads":64,"kv_heads":4,"head_dim":128,"batch":3,"context":5001})",
    R"({"op":"attention_decode","heads":64,"kv_heads":8,"head_dim":64,"batch":7,"context":900,"window":128})",
    R"({"op":"attention_decode","heads":16,"kv_heads":8,"head_dim":256,"batch":8,"context":1000,"longest":4000})",
    R"({"op":"attention_mixed","heads":32,"kv_heads":8,"head_dim":128,"batch":33,"context":777,"chunk":129,"prefix":5})",
    R"({"op":"norm","tokens":3,"width":515})",
    R"({"op":"activation","tokens":3,"width":515})",
    R"({"op":"rotary","tokens":9000,"width":514})",
    R"({"op":"sampler","batch":3,"width":30})",
    R"({"op":"moe","tokens":1,"hidden":512,"inner":336,"experts":8,"topk":2,"expert_parallel":1})",
    R"({"op":"moe","tokens":999,"hidden":512,"inner":336,"experts":8,"topk":2,"expert_parallel":2})",
    R"({"op":"moe","tokens":64,"hidden":512,"inner":336,"experts":128,"topk":8,"expert_parallel":1,"touched":16})",
};

TEST(CudaCard, ShapesAtTheEdgesAgreeWithTheirReferences) {
  NEEDS_GPU();
  const std::unique_ptr<MeasuringDevice> device = open_cuda_device(0);
  for (const std::string line : kPoints) {
    OperatorPoint point = parse_sample_line(line.substr(0, line.size() - 1) +
                                                (line.find("format") == std::string::npos
                                                     ? R"(,"format":"bf16","seconds":1})"
                                                     : R"(,"seconds":1})"),
                                            "point", 1)
                              .point;
    for (const std::string& kv : device->kv_formats()) {
      if (point.heads > 0) point.kv = kv;
      try {
        const std::unique_ptr<PreparedOperator> prepared = device->prepare(point);
        EXPECT_GT(prepared->verification().compared, 0);
        EXPECT_GT(prepared->run_once(5), 0);
      } catch (const PointError& error) {
        ADD_FAILURE() << point_text(point) << ": " << error.what();
      }
    }
  }
}

TEST(CudaCard, WhatDoesNotFitIsOutOfMemoryAndTheCardGoesOn) {
  NEEDS_GPU();
  const std::unique_ptr<MeasuringDevice> device = open_cuda_device(0);
  OperatorPoint copy;
  copy.op = "copy", copy.format = "bf16";
  copy.bytes = std::int64_t{1} << 40;
  try {
    device->prepare(copy);
    FAIL();
  } catch (const PointError& error) {
    EXPECT_EQ(error.fault(), PointFault::out_of_memory);
  }
  copy.bytes = 1 << 20;
  EXPECT_GT(device->prepare(copy)->run_once(5), 0);
}

}  // namespace
}  // namespace headway
