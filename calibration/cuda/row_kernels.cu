#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>

#include "calibration/cuda/row_kernels.hpp"
#include "calibration/cuda/warp.cuh"

namespace headway {

namespace {

using Bf16 = __nv_bfloat16;

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1 << 16;

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((items + kThreads - 1) / kThreads, 1, kMostBlocks));
}

__device__ std::uint32_t mixed(std::uint64_t index, std::uint32_t salt) {
  std::uint64_t value = index * 0x9e3779b97f4a7c15u + salt * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 29)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(value >> 32);
}

__device__ float spread(std::uint64_t index, std::uint32_t salt) {
  return static_cast<float>(static_cast<std::int32_t>(mixed(index, salt))) * 0x1p-31f;
}

__global__ void fill_kernel(StorageFormat format, void* to, std::int64_t count, float scale,
                            std::uint32_t salt) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const float value = scale * spread(static_cast<std::uint64_t>(i), salt);
    switch (format) {
      case StorageFormat::bf16:
        static_cast<Bf16*>(to)[i] = __float2bfloat16(value);
        break;
      case StorageFormat::fp16:
        static_cast<__half*>(to)[i] = __float2half(value);
        break;
      case StorageFormat::fp8_e4m3:
        static_cast<__nv_fp8_e4m3*>(to)[i] = __nv_fp8_e4m3(value);
        break;
      case StorageFormat::fp32:
        static_cast<float*>(to)[i] = value;
        break;
      default:  // bytes: all codes of int8, two of fp4
        static_cast<std::uint8_t*>(to)[i] =
            static_cast<std::uint8_t>(mixed(static_cast<std::uint64_t>(i), salt) >> 24);
    }
  }
}

__global__ void read_over_kernel(const uint4* from, std::int64_t count, std::uint32_t* sink) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::uint32_t sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const uint4 four = from[i];
    sum += four.x ^ four.y ^ four.z ^ four.w;
  }
  if (sum == 0x9e3779b9u) *sink = sum;  // so that the reads count as used
}

// The sum over the block, for all of its threads.
__device__ float block_sum(float value) {
  __shared__ float partial[32];
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x % 32 < blockDim.x / 32 ? partial[threadIdx.x % 32] : 0;
  for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
  return value;
}

// Eight numbers at a time, where the width allows: `kWide`.
struct alignas(16) Eight {
  __nv_bfloat162 pair[4];
};

template <bool kWide>
__global__ void norm_kernel(const Bf16* x, Bf16* residual, const Bf16* weight, Bf16* y,
                            std::int64_t width) {
  x += blockIdx.x * width, residual += blockIdx.x * width, y += blockIdx.x * width;
  float squares = 0;
  if constexpr (kWide) {
    for (std::int64_t i = threadIdx.x; i < width / 8; i += blockDim.x) {
      const Eight in = reinterpret_cast<const Eight*>(x)[i];
      Eight sum = reinterpret_cast<Eight*>(residual)[i];
      for (int j = 0; j < 4; ++j) {
        const float2 a = __bfloat1622float2(in.pair[j]), b = __bfloat1622float2(sum.pair[j]);
        sum.pair[j] = __floats2bfloat162_rn(a.x + b.x, a.y + b.y);
        squares += (a.x + b.x) * (a.x + b.x) + (a.y + b.y) * (a.y + b.y);
      }
      reinterpret_cast<Eight*>(residual)[i] = sum;
    }
  } else {
    for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
      const float sum = __bfloat162float(x[i]) + __bfloat162float(residual[i]);
      residual[i] = __float2bfloat16(sum);
      squares += sum * sum;
    }
  }
  const float scale = rsqrtf(block_sum(squares) / static_cast<float>(width) + 1e-6f);
  if constexpr (kWide) {
    for (std::int64_t i = threadIdx.x; i < width / 8; i += blockDim.x) {
      const Eight sum = reinterpret_cast<const Eight*>(residual)[i];
      const Eight by = reinterpret_cast<const Eight*>(weight)[i];
      Eight out;
      for (int j = 0; j < 4; ++j) {
        const float2 a = __bfloat1622float2(sum.pair[j]), b = __bfloat1622float2(by.pair[j]);
        out.pair[j] = __floats2bfloat162_rn(a.x * scale * b.x, a.y * scale * b.y);
      }
      reinterpret_cast<Eight*>(y)[i] = out;
    }
  } else {
    for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x)
      y[i] = __float2bfloat16(__bfloat162float(residual[i]) * scale * __bfloat162float(weight[i]));
  }
}

__device__ float swiglu(float gate, float up) {
  return gate / (1 + __expf(-gate)) * up;
}

// One thread a pair of columns where the width is even, else one a column.
template <typename Out>
__global__ void activation_kernel(const Bf16* x, Out* y, std::int64_t tokens, std::int64_t width) {
  const std::int64_t count = tokens * width / 2;  // of pairs
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const std::int64_t row = 2 * i / width, column = 2 * i % width;
    const Bf16* from = x + row * 2 * width + column;
    const float2 gate = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(from));
    const float2 up = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(from + width));
    const float2 out = {swiglu(gate.x, up.x), swiglu(gate.y, up.y)};
    if constexpr (sizeof(Out) == 2)
      reinterpret_cast<__nv_bfloat162*>(y)[i] = __float22bfloat162_rn(out);
    else
      reinterpret_cast<__nv_fp8x2_e4m3*>(y)[i] = __nv_fp8x2_e4m3(out);
  }
}

__global__ void odd_activation_kernel(const Bf16* x, Bf16* y, std::int64_t tokens,
                                      std::int64_t width) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < tokens * width; i += step) {
    const Bf16* from = x + i / width * 2 * width + i % width;
    y[i] = __float2bfloat16(swiglu(__bfloat162float(from[0]), __bfloat162float(from[width])));
  }
}

__global__ void rotary_kernel(const Bf16* x, const float2* turns, Bf16* y, std::int64_t tokens,
                              std::int64_t width, std::int64_t head) {
  const std::int64_t half = head / 2, pairs = width / 2;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < tokens * pairs; i += step) {
    const std::int64_t row = i / pairs, pair = i % pairs;
    const std::int64_t at = row * width + pair / half * head + pair % half;
    const float2 turn = turns[row * half + pair % half];
    const float low = __bfloat162float(x[at]), high = __bfloat162float(x[at + half]);
    y[at] = __float2bfloat16(low * turn.x - high * turn.y);
    y[at + half] = __float2bfloat16(high * turn.x + low * turn.y);
  }
}

template <typename Part>
__global__ void embedding_kernel(const Part* table, const std::int32_t* ids, Part* y,
                                 std::int64_t parts) {
  const Part* from = table + ids[blockIdx.x] * parts;
  for (std::int64_t i = threadIdx.x; i < parts; i += blockDim.x)
    y[blockIdx.x * parts + i] = from[i];
}

// Floats in the order of unsigned integers.
__device__ std::uint32_t ordered(float value) {
  const std::uint32_t bits = __float_as_uint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

constexpr int kSamplerThreads = 1024, kKept = 1024;

// The key of the k-th largest number of a row, by the radix of its bytes from the highest down.
__device__ std::uint32_t kth_key(const float* row, std::int64_t width, std::int32_t k) {
  __shared__ std::int32_t count[256];
  __shared__ std::uint32_t chosen;
  __shared__ std::int32_t left;
  std::uint32_t prefix = 0;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (threadIdx.x < 256) count[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t mask = shift == 24 ? 0 : ~0u << (shift + 8);
    for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
      const std::uint32_t key = ordered(row[i]);
      if ((key & mask) == prefix) atomicAdd(&count[(key >> shift) & 255], 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      std::int32_t rest = k;
      int digit = 255;
      while (digit > 0 && count[digit] < rest) rest -= count[digit--];
      chosen = static_cast<std::uint32_t>(digit) << shift;
      left = rest;
    }
    __syncthreads();
    prefix |= chosen;
    k = left;
    __syncthreads();
  }
  return prefix;
}

__global__ void __launch_bounds__(kSamplerThreads)
    top_k_kernel(const float* logits, const float* share, std::int32_t* tokens, std::int64_t width,
                 std::int32_t k) {
  __shared__ std::int32_t kept, index[kKept], sorted[kKept];
  const float* row = logits + blockIdx.x * width;
  if (threadIdx.x == 0) kept = 0;
  const std::uint32_t least = kth_key(row, width, k);
  for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x)
    if (ordered(row[i]) >= least) {
      const std::int32_t place = atomicAdd(&kept, 1);
      if (place < kKept) index[place] = static_cast<std::int32_t>(i);
    }
  __syncthreads();
  const std::int32_t count = min(kept, kKept);
  // The order in which they came depends on the run; by index it does not.
  if (threadIdx.x < count) {
    std::int32_t rank = 0;
    for (std::int32_t i = 0; i < count; ++i) rank += index[i] < index[threadIdx.x] ? 1 : 0;
    sorted[rank] = index[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float peak = row[sorted[0]], total = 0, sum = 0;
  for (std::int32_t i = 1; i < count; ++i) peak = fmaxf(peak, row[sorted[i]]);
  for (std::int32_t i = 0; i < count; ++i) total += __expf(row[sorted[i]] - peak);
  const float target = share[blockIdx.x] * total;
  std::int32_t place = 0;
  while (place < count - 1 && (sum += __expf(row[sorted[place]] - peak)) < target) ++place;
  tokens[blockIdx.x] = sorted[place];
}

__global__ void widen_fp8_kernel(const uint4* from, Eight* to, std::int64_t count) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    const uint4 sixteen = from[i];
    const std::uint32_t words[4] = {sixteen.x, sixteen.y, sixteen.z, sixteen.w};
    Eight out[2];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const auto two = static_cast<__nv_fp8x2_storage_t>(words[j / 2] >> (j % 2 * 16));
      const float2 wide = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3)));
      out[j / 4].pair[j % 4] = __float22bfloat162_rn(wide);
    }
    to[2 * i] = out[0];
    to[2 * i + 1] = out[1];
  }
}

__global__ void sum_visits_kernel(const Bf16* rows, const std::int32_t* visits,
                                  const std::int32_t* first, float weight, Bf16* y,
                                  std::int64_t width) {
  const std::int32_t begin = first[blockIdx.x], end = first[blockIdx.x + 1];
  for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
    float sum = 0;
    for (std::int32_t visit = begin; visit < end; ++visit)
      sum += __bfloat162float(rows[visits[visit] * width + i]);
    y[blockIdx.x * width + i] = __float2bfloat16(weight * sum);
  }
}

const Bf16* bf16(const void* data) {
  return static_cast<const Bf16*>(data);
}
Bf16* bf16(void* data) {
  return static_cast<Bf16*>(data);
}

}  // namespace

void launch_fill(cudaStream_t stream, StorageFormat format, void* to, std::int64_t count,
                 float scale, std::uint32_t salt) {
  if (format == StorageFormat::fp4_e2m1) count = (count + 1) / 2;
  if (count == 0) return;
  launch(fill_kernel, blocks_for(count), kThreads, 0, stream, format, to, count, scale, salt);
}

void launch_read_over(cudaStream_t stream, const void* from, std::int64_t bytes, void* sink) {
  launch(read_over_kernel, blocks_for(bytes / 64), kThreads, 0, stream,
         static_cast<const uint4*>(from), bytes / 16, static_cast<std::uint32_t*>(sink));
}

void launch_norm(cudaStream_t stream, const void* x, void* residual, const void* weight, void* y,
                 std::int64_t tokens, std::int64_t width) {
  const auto blocks = static_cast<unsigned>(tokens);
  const int threads = width >= 8192 ? 1024 : width >= 2048 ? 512 : 256;
  launch(width % 8 == 0 ? norm_kernel<true> : norm_kernel<false>, blocks, threads, 0, stream,
         bf16(x), bf16(residual), bf16(weight), bf16(y), width);
}

void launch_activation(cudaStream_t stream, const void* x, void* y, std::int64_t tokens,
                       std::int64_t width) {
  if (width % 2 == 0)
    launch(activation_kernel<Bf16>, blocks_for(tokens * width / 2), kThreads, 0, stream, bf16(x),
           bf16(y), tokens, width);
  else
    launch(odd_activation_kernel, blocks_for(tokens * width), kThreads, 0, stream, bf16(x), bf16(y),
           tokens, width);
}

void launch_activation_fp8(cudaStream_t stream, const void* x, void* y, std::int64_t tokens,
                           std::int64_t width) {
  launch(activation_kernel<__nv_fp8_e4m3>, blocks_for(tokens * width / 2), kThreads, 0, stream,
         bf16(x), static_cast<__nv_fp8_e4m3*>(y), tokens, width);
}

void launch_rotary(cudaStream_t stream, const void* x, const float* turns, void* y,
                   std::int64_t tokens, std::int64_t width, std::int64_t head) {
  launch(rotary_kernel, blocks_for(tokens * width / 2), kThreads, 0, stream, bf16(x),
         reinterpret_cast<const float2*>(turns), bf16(y), tokens, width, head);
}

void launch_embedding(cudaStream_t stream, const void* table, const std::int32_t* ids, void* y,
                      std::int64_t tokens, std::int64_t width) {
  const auto blocks = static_cast<unsigned>(tokens);
  if (width % 8 == 0)
    launch(embedding_kernel<uint4>, blocks, kThreads, 0, stream, static_cast<const uint4*>(table),
           ids, static_cast<uint4*>(y), width / 8);
  else
    launch(embedding_kernel<Bf16>, blocks, kThreads, 0, stream, bf16(table), ids, bf16(y), width);
}

void launch_top_k_sampler(cudaStream_t stream, const float* logits, const float* share,
                          std::int32_t* tokens, std::int64_t batch, std::int64_t vocabulary,
                          std::int32_t k) {
  launch(top_k_kernel, static_cast<unsigned>(batch), kSamplerThreads, 0, stream, logits, share,
         tokens, vocabulary, k);
}

void launch_widen_fp8(cudaStream_t stream, const void* from, void* to, std::int64_t count) {
  launch(widen_fp8_kernel, blocks_for(count / 16), kThreads, 0, stream,
         static_cast<const uint4*>(from), static_cast<Eight*>(to), count / 16);
}

void launch_sum_visits(cudaStream_t stream, const void* rows, const std::int32_t* visits,
                       const std::int32_t* first, float weight, void* y, std::int64_t tokens,
                       std::int64_t width) {
  launch(sum_visits_kernel, static_cast<unsigned>(tokens), kThreads, 0, stream, bf16(rows), visits,
         first, weight, bf16(y), width);
}

}  // namespace headway
