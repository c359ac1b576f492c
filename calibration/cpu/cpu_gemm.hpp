// Matrix products of the CPU backend.
#pragma once

#include <vector>

#include "calibration/cpu/cpu_operator.hpp"

namespace headway {

/// y[m, n] = x[m, k] · wᵀ, w[n, k] in bf16: rows of the weights are widened to float a panel at a
/// time, so that they are read from memory once, in 16 bits. Row-major, no padding.
void cpu_linear(const float* x, const Bf16* w, std::int64_t m, std::int64_t n, std::int64_t k,
                float* y, const Deadline& deadline);

/// The same output [row, column] in double, plainly.
double plain_linear(const float* x, const Bf16* w, std::int64_t k, std::int64_t row,
                    std::int64_t column);

}  // namespace headway
