// The products run on the matrix units with keys as rows, so that up to eight query heads that
// share a KV head cost what one costs, and every key and value goes from memory to registers once,
// 16 bytes a thread: S = K · Qᵀ (16 keys × 8 heads), O = Vᵀ · P (16 dimensions × 8 heads).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>

#include "calibration/cuda/decode_kernel.hpp"
#include "calibration/cuda/warp.cuh"

namespace headway {

namespace {

constexpr int kWarps = kWarpsOfDecode, kThreads = 32 * kWarps, kHeads = kHeadsTogether;
constexpr int kKeys = kPageKeys;
constexpr float kNothing = -1e30f;  // a score that has no weight

// Two fp8 numbers to two halves: exact.
__device__ std::uint32_t widened(std::uint32_t two) {
  const __half2_raw halves =
      __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(two), __NV_E4M3);
  return static_cast<std::uint32_t>(halves.x) | static_cast<std::uint32_t>(halves.y) << 16;
}

// Two floats as the format of the weights: half beside fp8 caches, else bf16.
template <bool kHalf>
__device__ std::uint32_t packed(float low, float high) {
  if constexpr (kHalf) {
    const __half2 two = __floats2half2_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&two);
  } else {
    const __nv_bfloat162 two = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&two);
  }
}

__device__ std::uint32_t word_of(const uint4& four, int index) {
  return index == 0 ? four.x : index == 1 ? four.y : index == 2 ? four.z : four.w;
}

// Over the eight lanes that hold the same heads.
__device__ float most(float value) {
  for (int lane = 4; lane < 32; lane *= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, lane));
  return value;
}
__device__ float sum(float value) {
  for (int lane = 4; lane < 32; lane *= 2) value += __shfl_xor_sync(~0u, value, lane);
  return value;
}

// How a head's numbers are dealt to the lanes. In a lane, `quad` = lane % 4 and `row` = lane / 4.
template <int kDim, bool kFp8>
struct Deal {
  static constexpr MatrixFormat kFormat = kFp8 ? MatrixFormat::half : MatrixFormat::bf16;
  static constexpr int kBytes = kFp8 ? 1 : 2;
  static constexpr int kTogether = 16 / kBytes;             // numbers of a 16-byte load
  static constexpr int kKeyLoads = kDim / (4 * kTogether);  // of a key, by its four lanes
  static constexpr int kValueWide = kDim < 8 * kTogether ? kDim / 8 : kTogether;
  static constexpr int kValueLoads = kDim / (8 * kValueWide);  // of a value, by its eight lanes
  static constexpr int kSteps = kDim / 16;                     // products over a head's numbers
};

// What a warp knows of its pages so far: sums of values, not yet divided, the largest score and the
// sum of weights of the heads 2 · quad and 2 · quad + 1.
template <int kDim>
struct Running {
  float out[kDim / 16][4] = {};
  float peak[2] = {kNothing, kNothing};
  float total[2] = {};
};

// The queries of the eight heads as operands: two registers a step.
template <int kDim, bool kFp8>
__device__ void load_queries(const __nv_bfloat16* q, int heads,
                             std::uint32_t (&query)[kDim / 16][2]) {
  using D = Deal<kDim, kFp8>;
  const int quad = threadIdx.x % 4, row = threadIdx.x % 32 / 4;
#pragma unroll
  for (int step = 0; step < D::kSteps; ++step) {
    constexpr int kStepsTogether = D::kTogether / 4;  // steps that one 16-byte load of keys feeds
    const int first =
        step / kStepsTogether * 4 * D::kTogether + quad * D::kTogether + step % kStepsTogether * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      std::uint32_t two = 0;
      if (row < heads) {
        two = *reinterpret_cast<const std::uint32_t*>(q + row * kDim + first + 2 * half);
        if constexpr (kFp8) {
          const float2 wide = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&two));
          two = packed<true>(wide.x, wide.y);
        }
      }
      query[step][half] = two;
    }
  }
}

// Sixteen keys: scores, weights, and their part of the sums.
template <int kDim, bool kFp8>
__device__ void add_page(const std::uint8_t* keys, const std::uint8_t* values, std::int64_t stride,
                         const std::uint32_t (&query)[kDim / 16][2], int first, int begin, int end,
                         float scale, Running<kDim>& running) {
  using D = Deal<kDim, kFp8>;
  const int quad = threadIdx.x % 4, row = threadIdx.x % 32 / 4;
  uint4 key[D::kKeyLoads][2], value[D::kValueLoads][4];
#pragma unroll
  for (int i = 0; i < D::kKeyLoads; ++i)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      key[i][half] = load16(keys + (row + 8 * half) * stride + (4 * i + quad) * 16);
#pragma unroll
  for (int i = 0; i < D::kValueLoads; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::uint8_t* from = values + (2 * quad + j % 2 + j / 2 * 8) * stride +
                                 (8 * i + row) * D::kValueWide * D::kBytes;
      if constexpr (D::kValueWide * D::kBytes == 16) {
        value[i][j] = load16(from);
      } else {
        const uint2 two = __ldg(reinterpret_cast<const uint2*>(from));
        value[i][j] = {two.x, two.y, 0, 0};
      }
    }

  float score[4] = {};  // keys `row` and `row` + 8, heads 2 · quad and 2 · quad + 1
#pragma unroll
  for (int i = 0; i < D::kKeyLoads; ++i)
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      const std::uint32_t low = word_of(key[i][0], word), high = word_of(key[i][1], word);
      if constexpr (kFp8) {
        const int step = 4 * i + word;
        multiply<D::kFormat>(score, widened(low & 0xffff), widened(high & 0xffff),
                             widened(low >> 16), widened(high >> 16), query[step][0],
                             query[step][1]);
      } else if (word % 2 == 0) {
        const int step = 2 * i + word / 2;
        multiply<D::kFormat>(score, low, high, word_of(key[i][0], word + 1),
                             word_of(key[i][1], word + 1), query[step][0], query[step][1]);
      }
    }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const int at = first + row + j / 2 * 8;
    score[j] = at >= begin && at < end ? score[j] * scale : kNothing;
  }
  float fade[2];
#pragma unroll
  for (int head = 0; head < 2; ++head) {
    const float peak = fmaxf(running.peak[head], most(fmaxf(score[head], score[head + 2])));
    fade[head] = exp2f(running.peak[head] - peak);
    running.peak[head] = peak;
    score[head] = exp2f(score[head] - peak);
    score[head + 2] = exp2f(score[head + 2] - peak);
    running.total[head] = running.total[head] * fade[head] + score[head] + score[head + 2];
  }
  if (__any_sync(~0u, fade[0] != 1 || fade[1] != 1)) {
#pragma unroll
    for (auto& out : running.out) {
      out[0] *= fade[0], out[1] *= fade[1];
      out[2] *= fade[0], out[3] *= fade[1];
    }
  }
  const std::uint32_t weight[2] = {transposed(packed<kFp8>(score[0], score[1])),
                                   transposed(packed<kFp8>(score[2], score[3]))};
#pragma unroll
  for (int i = 0; i < D::kValueLoads; ++i)
#pragma unroll
    for (int step = 0; step < D::kValueWide / 2; ++step) {
      float(&out)[4] = running.out[i * D::kValueWide / 2 + step];
      const int word = kFp8 ? step / 2 : step;
      std::uint32_t pair[4];  // {key, key + 1} of two dimensions, of two pairs of keys
#pragma unroll
      for (int two = 0; two < 2; ++two) {
        const std::uint32_t a = word_of(value[i][2 * two], word),
                            b = word_of(value[i][2 * two + 1], word);
        if constexpr (kFp8) {
          const std::uint32_t both = __byte_perm(a, b, step % 2 == 0 ? 0x5140 : 0x7362);
          pair[2 * two] = widened(both & 0xffff);
          pair[2 * two + 1] = widened(both >> 16);
        } else {
          pair[2 * two] = __byte_perm(a, b, 0x5410);
          pair[2 * two + 1] = __byte_perm(a, b, 0x7632);
        }
      }
      multiply<D::kFormat>(out, pair[0], pair[1], pair[2], pair[3], weight[0], weight[1]);
    }
}

// The warps' sums, side by side.
template <int kDim>
struct Gathered {
  float out[kWarps][kHeads][kDim];
  float peak[kWarps][kHeads], total[kWarps][kHeads];
};

template <int kDim, bool kFp8>
__device__ void gather(const Running<kDim>& running, Gathered<kDim>& gathered) {
  using D = Deal<kDim, kFp8>;
  const int warp = threadIdx.x / 32, quad = threadIdx.x % 4, row = threadIdx.x % 32 / 4;
#pragma unroll
  for (int head = 0; head < 2; ++head) {
    const float total = sum(running.total[head]);
    if (row == 0) {
      gathered.peak[warp][2 * quad + head] = running.peak[head];
      gathered.total[warp][2 * quad + head] = total;
    }
#pragma unroll
    for (int step = 0; step < D::kSteps; ++step) {
      const int dim = step / (D::kValueWide / 2) * 8 * D::kValueWide + row * D::kValueWide +
                      step % (D::kValueWide / 2) * 2;
      gathered.out[warp][2 * quad + head][dim] = running.out[step][head];
      gathered.out[warp][2 * quad + head][dim + 1] = running.out[step][head + 2];
    }
  }
}

template <int kDim, bool kFp8>
__global__ void __launch_bounds__(kThreads, kDim == 256 ? 2
                                            : kFp8      ? 4
                                                        : 3)
    decode_kernel(const DecodeArguments in, float scale) {
  __shared__ Gathered<kDim> gathered;
  const int group = in.heads / in.kv_heads, tiles = (group + kHeads - 1) / kHeads;
  const int sequence = blockIdx.z, split = blockIdx.x, kv_head = blockIdx.y / tiles;
  const int head = kv_head * group + blockIdx.y % tiles * kHeads;
  const int heads = min(kHeads, (kv_head + 1) * group - head);
  const int end = in.contexts[sequence], begin = in.window > 0 ? max(0, end - in.window) : 0;
  const int first_page = begin / kKeys + split * in.pages_per_split;
  const int last_page = min(first_page + in.pages_per_split, (end + kKeys - 1) / kKeys);
  const std::int64_t at = static_cast<std::int64_t>(sequence) * in.heads + head;
  const std::int64_t all = static_cast<std::int64_t>(in.batch) * in.heads;
  if (first_page >= last_page) {
    if (in.splits > 1 && threadIdx.x < heads)
      in.logarithm[split * all + at + threadIdx.x] = kNothing;
    return;
  }
  std::uint32_t query[kDim / 16][2];
  load_queries<kDim, kFp8>(static_cast<const __nv_bfloat16*>(in.q) + at * kDim, heads, query);

  Running<kDim> running;
  const std::int64_t bytes = Deal<kDim, kFp8>::kBytes;
  const std::int64_t stride = in.kv_heads * kDim * bytes;
  const auto* keys = static_cast<const std::uint8_t*>(in.k) + kv_head * kDim * bytes;
  const auto* values = static_cast<const std::uint8_t*>(in.v) + kv_head * kDim * bytes;
  const std::int32_t* table = in.table + static_cast<std::int64_t>(sequence) * in.table_width;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  std::int32_t known = 0;  // the pages of the next 32 rounds, one a lane
  for (int page = first_page + warp, round = 0; page < last_page; page += kWarps, ++round) {
    if (round % 32 == 0) known = table[min(page + lane * kWarps, last_page - 1)];
    const std::int64_t offset = __shfl_sync(~0u, known, round % 32) * kKeys * stride;
    add_page<kDim, kFp8>(keys + offset, values + offset, stride, query, page * kKeys, begin, end,
                         scale, running);
  }

  gather<kDim, kFp8>(running, gathered);
  __syncthreads();
  for (int i = threadIdx.x; i < heads * kDim; i += kThreads) {
    const int which = i / kDim, dim = i % kDim;
    float peak = kNothing, total = 0, out = 0;
    for (int w = 0; w < kWarps; ++w) peak = fmaxf(peak, gathered.peak[w][which]);
    for (int w = 0; w < kWarps; ++w) {
      const float weight = exp2f(gathered.peak[w][which] - peak);
      total += weight * gathered.total[w][which];
      out += weight * gathered.out[w][which][dim];
    }
    const std::int64_t to = (at + which) * kDim + dim;
    if (in.splits == 1) {
      static_cast<__nv_bfloat16*>(in.out)[to] = __float2bfloat16(out / total);
    } else {
      in.partial[split * all * kDim + to] = out / total;
      if (dim == 0) in.logarithm[split * all + at + which] = peak + log2f(total);
    }
  }
}

// One block a sequence and head, one thread a dimension.
__global__ void combine_kernel(const DecodeArguments in) {
  const std::int64_t at = blockIdx.x, all = static_cast<std::int64_t>(in.batch) * in.heads;
  float peak = kNothing, total = 0, out = 0;
  for (int split = 0; split < in.splits; ++split)
    peak = fmaxf(peak, in.logarithm[split * all + at]);
  for (int split = 0; split < in.splits; ++split) {
    const float logarithm = in.logarithm[split * all + at];
    if (logarithm == kNothing) continue;  // this sequence has no such split
    const float weight = exp2f(logarithm - peak);
    total += weight;
    out += weight * in.partial[(split * all + at) * in.head_dim + threadIdx.x];
  }
  static_cast<__nv_bfloat16*>(in.out)[at * in.head_dim + threadIdx.x] =
      __float2bfloat16(out / total);
}

using DecodeKernel = void (*)(DecodeArguments, float);

DecodeKernel kernel_of(std::int64_t head_dim, bool fp8) {
  switch (head_dim) {
    case 64:
      return fp8 ? decode_kernel<64, true> : decode_kernel<64, false>;
    case 128:
      return fp8 ? decode_kernel<128, true> : decode_kernel<128, false>;
    case 256:
      return fp8 ? decode_kernel<256, true> : decode_kernel<256, false>;
    default:
      return nullptr;
  }
}

}  // namespace

bool decode_head_dim(std::int64_t head_dim) {
  return kernel_of(head_dim, false) != nullptr;
}

std::int32_t decode_blocks_per_multiprocessor(std::int64_t head_dim, bool fp8) {
  return blocks_per_multiprocessor(kernel_of(head_dim, fp8), kThreads);
}

void launch_decode(cudaStream_t stream, const DecodeArguments& arguments) {
  const int group = arguments.heads / arguments.kv_heads;
  const int tiles = (group + kHeads - 1) / kHeads;
  const dim3 grid(static_cast<unsigned>(arguments.splits),
                  static_cast<unsigned>(arguments.kv_heads * tiles),
                  static_cast<unsigned>(arguments.batch));
  // Weights are powers of two: exp(x) = 2^(x · log2 e).
  const float scale = 1.44269504f / std::sqrt(static_cast<float>(arguments.head_dim));
  launch(kernel_of(arguments.head_dim, arguments.fp8), grid, kThreads, 0, stream, arguments, scale);
  if (arguments.splits == 1) return;
  launch(combine_kernel, static_cast<unsigned>(arguments.batch * arguments.heads),
         arguments.head_dim, 0, stream, arguments);
}

}  // namespace headway
