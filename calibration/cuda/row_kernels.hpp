// Kernels that go through memory once: filling and flushing, norm, activation, rotary embedding,
// embedding, sampler, the experts' sum. Data in bf16 unless said otherwise, row-major, sums in
// float. They are launched on the stream and return at once; the launch is checked.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "calibration/cuda/storage_format.hpp"

namespace headway {

/// Fills a buffer with numbers spread over (-scale, scale), the same for the same salt: uniform for
/// bf16, fp16, fp32 and fp8; all codes alike for int8 and fp4, whatever the scale.
void launch_fill(cudaStream_t stream, StorageFormat format, void* to, std::int64_t count,
                 float scale, std::uint32_t salt);

/// Reads `bytes` (a multiple of 16) of another buffer, so that the last cache level holds nothing
/// else; the lines it leaves are clean, so that no write-back burdens what runs next.
void launch_read_over(cudaStream_t stream, const void* from, std::int64_t bytes, void* sink);

/// Root mean square norm (arXiv 1910.07467) of the sum with the residual stream:
/// residual += x; y = residual · weight / sqrt(mean(residual²) + 1e-6).
void launch_norm(cudaStream_t stream, const void* x, void* residual, const void* weight, void* y,
                 std::int64_t tokens, std::int64_t width);

/// SwiGLU (arXiv 2002.05202): y[width] = silu(x[0, width)) · x[width, 2 width).
void launch_activation(cudaStream_t stream, const void* x, void* y, std::int64_t tokens,
                       std::int64_t width);
/// The same into fp8 (e4m3), unscaled.
void launch_activation_fp8(cudaStream_t stream, const void* x, void* y, std::int64_t tokens,
                           std::int64_t width);

/// Rotary embedding (arXiv 2104.09864) of the pairs that stand half a head apart, position = row;
/// `turns` holds cosine and sine side by side, float, [tokens][head / 2]. `head` divides `width`.
void launch_rotary(cudaStream_t stream, const void* x, const float* turns, void* y,
                   std::int64_t tokens, std::int64_t width, std::int64_t head);

/// y[row] = table[ids[row]].
void launch_embedding(cudaStream_t stream, const void* table, const std::int32_t* ids, void* y,
                      std::int64_t tokens, std::int64_t width);

/// Top-k sampling: of each row of float logits keeps the k largest (and those equal to the k-th),
/// and draws from their softmax: the first kept token, by index, at which the cumulative weight
/// passes share[row], of (0, 1). At most 1,024 tokens are kept; k ≤ 256.
void launch_top_k_sampler(cudaStream_t stream, const float* logits, const float* share,
                          std::int32_t* tokens, std::int64_t batch, std::int64_t vocabulary,
                          std::int32_t k);

/// fp8 (e4m3) to bf16; the count is a multiple of 16.
void launch_widen_fp8(cudaStream_t stream, const void* from, void* to, std::int64_t count);

/// y[token] = weight · sum of rows[visit] over the visits first[token] … first[token + 1) of
/// `visits`.
void launch_sum_visits(cudaStream_t stream, const void* rows, const std::int32_t* visits,
                       const std::int32_t* first, float weight, void* y, std::int64_t tokens,
                       std::int64_t width);

}  // namespace headway
