// Samples of attention, for tests.
#pragma once

#include "calibration/sample.hpp"

namespace headway {

/// Of the heads of Llama-3.1-8B, in bf16; batch, lengths and the like are 0.
inline Sample attention_sample(const char* op, double seconds) {
  Sample sample;
  sample.point.op = op;
  sample.point.kv = "bf16";
  sample.point.heads = 32;
  sample.point.kv_heads = 8;
  sample.point.head_dim = 128;
  sample.seconds = seconds;
  return sample;
}

}  // namespace headway
