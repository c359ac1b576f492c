// Kernels run on the host, one block after the other, its threads as coroutines that change at
// every barrier and exchange between lanes: so that their results can be checked where no card is.
// Include this before a kernel's source (*.cu); it stands for calibration/cuda/warp.cuh. Matrix
// units follow the PTX ISA's layouts ("Matrix Fragments for mma.m16n8k16", "… m16n8k32", movmatrix,
// ldmatrix); asynchronous copies are done at once.
#pragma once

#define HEADWAY_WARP_EMULATION

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

#undef __global__
#undef __device__
#undef __shared__
#undef __launch_bounds__
#undef __align__
#define __global__ inline
#define __device__
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(bytes)

namespace headway {

inline dim3 threadIdx, blockIdx, blockDim, gridDim;

/// The block that runs: its threads, each with a stack of its own, and who waits where.
class EmulatedBlock {
 public:
  static EmulatedBlock& instance() {
    static EmulatedBlock block;
    return block;
  }

  /// Runs all threads of the current block to their ends.
  void run(int threads, const std::function<void()>& body) {
    body_ = body;
    threads_.resize(static_cast<std::size_t>(threads));
    block_ = {threads, 0, 0};
    warps_.assign(static_cast<std::size_t>((threads + 31) / 32), Barrier{32, 0, 0});
    if (threads % 32 != 0) warps_.back().size = threads % 32;
    for (Thread& thread : threads_) {
      thread.done = false;
      thread.exchanges = 0;
      thread.stack.resize(std::size_t{128} << 10);
      ::getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.data();
      thread.context.uc_stack.ss_size = thread.stack.size();
      thread.context.uc_link = &scheduler_;
      ::makecontext(&thread.context, &EmulatedBlock::enter, 0);
    }
    for (bool left = true; left;) {
      left = false;
      for (std::size_t i = 0; i < threads_.size(); ++i) {
        if (threads_[i].done) continue;
        current_ = i;
        threadIdx = dim3(static_cast<unsigned>(i));
        ::swapcontext(&scheduler_, &threads_[i].context);
        left = left || !threads_[i].done;
      }
    }
  }

  void wait_for_block() { wait(block_); }

  /// What the lanes of a warp give each other at once: up to six numbers each.
  using Given = std::uint64_t[6][32];

  /// Each lane gives its numbers, then all may look at those of all until their next exchange: the
  /// one after the next uses the same memory, and no lane comes there before all are done here.
  const Given& exchange(std::initializer_list<std::uint64_t> own) {
    Given& given = given_[current_ / 32][threads_[current_].exchanges++ % 2];
    std::size_t number = 0;
    for (const std::uint64_t each : own) given[number++][current_ % 32] = each;
    wait(warps_[current_ / 32]);
    return given;
  }
  int lane() const { return static_cast<int>(current_ % 32); }

 private:
  struct Barrier {
    int size = 0, arrived = 0;
    unsigned round = 0;
  };
  struct Thread {
    ucontext_t context{};
    std::vector<char> stack;
    bool done = false;
    std::size_t exchanges = 0;
  };

  static void enter() {
    EmulatedBlock& block = instance();
    block.body_();
    block.threads_[block.current_].done = true;
    ::swapcontext(&block.threads_[block.current_].context, &block.scheduler_);
  }
  void wait(Barrier& barrier) {
    const unsigned round = barrier.round;
    if (++barrier.arrived == barrier.size) {
      barrier.arrived = 0;
      ++barrier.round;
    }
    while (barrier.round == round) ::swapcontext(&threads_[current_].context, &scheduler_);
  }

  ucontext_t scheduler_{};
  std::vector<Thread> threads_;
  std::function<void()> body_;
  Barrier block_;
  std::vector<Barrier> warps_;
  std::size_t current_ = 0;
  Given given_[32][2] = {};
};

// What CUDA C++ has.

inline void __syncthreads() {
  EmulatedBlock::instance().wait_for_block();
}
template <typename T>
T __shfl_sync(unsigned, T value, int from) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = EmulatedBlock::instance().exchange({bits})[0][from % 32];
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}
template <typename T>
T __shfl_xor_sync(unsigned all, T value, int mask) {
  return __shfl_sync(all, value, EmulatedBlock::instance().lane() ^ mask);
}
inline bool __any_sync(unsigned, bool one) {
  const auto& lanes = EmulatedBlock::instance().exchange({one ? 1u : 0u})[0];
  bool any = false;
  for (int lane = 0; lane < 32; ++lane) any = any || lanes[lane] != 0;
  return any;
}
inline std::uint32_t __byte_perm(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = a | static_cast<std::uint64_t>(b) << 32;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<std::uint32_t>(both >> (8 * (selector >> (4 * i) & 7)) & 255) << (8 * i);
  return result;
}
template <typename T>
T __ldg(const T* from) {
  return *from;
}
template <typename T>
T atomicAdd(T* to, T value) {
  const T before = *to;
  *to += value;
  return before;
}
inline float __expf(float x) {
  return std::exp(x);
}
inline float rsqrtf(float x) {
  return 1 / std::sqrt(x);
}
inline std::uint32_t __float_as_uint(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
template <typename T>
T min(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}

// What calibration/cuda/warp.cuh has.

enum class MatrixFormat { bf16, half, fp8 };

inline uint4 load16(const void* from) {
  uint4 value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// Number `index` of a register.
template <MatrixFormat kFormat>
float register_number(std::uint32_t word, int index) {
  if constexpr (kFormat == MatrixFormat::fp8) {
    const auto code = static_cast<__nv_fp8_storage_t>(word >> (8 * index) & 255);
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
  } else {
    const auto bits = static_cast<std::uint16_t>(word >> (16 * index) & 0xffff);
    if constexpr (kFormat == MatrixFormat::half) {
      __half_raw raw;
      raw.x = bits;
      return __half2float(__half(raw));
    } else {
      __nv_bfloat16_raw raw;
      raw.x = bits;
      return __bfloat162float(__nv_bfloat16(raw));
    }
  }
}

template <MatrixFormat kFormat>
void multiply(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
              std::uint32_t b0, std::uint32_t b1) {
  constexpr int kTogether = kFormat == MatrixFormat::fp8 ? 4 : 2;  // numbers of a register
  const auto& all = EmulatedBlock::instance().exchange({a0, a1, a2, a3, b0, b1});
  const auto number = [&](int word, int lane, int index) {
    return static_cast<double>(
        register_number<kFormat>(static_cast<std::uint32_t>(all[word][lane]), index));
  };
  const int row = EmulatedBlock::instance().lane() / 4, quad = EmulatedBlock::instance().lane() % 4;
  for (int i = 0; i < 4; ++i) {
    const int r = row + i / 2 * 8, column = 2 * quad + i % 2;
    double sum = 0;
    for (int k = 0; k < 8 * kTogether; ++k) {
      const int half = k / (4 * kTogether), lane = k / kTogether % 4, index = k % kTogether;
      sum += number(2 * half + r / 8, r % 8 * 4 + lane, index) *
             number(4 + half, column * 4 + lane, index);
    }
    c[i] += static_cast<float>(sum);
  }
}

inline std::uint32_t transposed(std::uint32_t two) {
  const auto& lanes = EmulatedBlock::instance().exchange({two})[0];
  const int row = EmulatedBlock::instance().lane() / 4, quad = EmulatedBlock::instance().lane() % 4;
  const auto number = [&](int r, int column) {
    return static_cast<std::uint32_t>(lanes[r * 4 + column / 2] >> (column % 2 * 16) & 0xffff);
  };
  return number(2 * quad, row) | number(2 * quad + 1, row) << 16;
}

inline void load_matrices(std::uint32_t (&four)[4], const std::uint8_t* from) {
  const auto& lanes =
      EmulatedBlock::instance().exchange({reinterpret_cast<std::uint64_t>(from)})[0];
  const int row = EmulatedBlock::instance().lane() / 4, quad = EmulatedBlock::instance().lane() % 4;
  for (int matrix = 0; matrix < 4; ++matrix)
    std::memcpy(&four[matrix],
                reinterpret_cast<const std::uint8_t*>(lanes[8 * matrix + row]) + 4 * quad, 4);
}

inline void copy16(void* to, const void* from, bool there) {
  if (there)
    std::memcpy(to, from, 16);
  else
    std::memset(to, 0, 16);
}
inline void close_copies() {}
template <int kYoungest>
void wait_for_copies() {}

inline std::uint8_t* launched_shared_memory() {
  alignas(128) static std::uint8_t shared[std::size_t{128} << 10];
  return shared;
}

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, int, cudaStream_t,
            const Arguments&... arguments) {
  gridDim = grid;
  blockDim = dim3(static_cast<unsigned>(threads));
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        blockIdx = dim3(x, y, z);
        EmulatedBlock::instance().run(threads, [&] { kernel(arguments...); });
      }
}

template <typename... Parameters>
int blocks_per_multiprocessor(void (*)(Parameters...), int) {
  return 3;
}

}  // namespace headway
