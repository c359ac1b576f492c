// What the kernels ask of the card below CUDA C++, in one place: loads, matrix units, launches. The
// tests run the kernels on the host with functions of the same names.
#pragma once
#ifndef HEADWAY_WARP_EMULATION

#include <cuda_runtime.h>

#include <cstdint>

#include "calibration/cuda/cuda_call.hpp"

namespace headway {

/// What a matrix unit multiplies; sums are float.
enum class MatrixFormat { bf16, half, fp8 };

/// Streams 16 bytes past the first cache level.
__device__ inline uint4 load16(const void* from) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(from));
  return value;
}

/// c += a · b over 32 bytes along k: m16n8k16 of bf16 or half, m16n8k32 of fp8 (from sm_89 on).
template <MatrixFormat kFormat>
__device__ inline void multiply(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                                std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  if constexpr (kFormat == MatrixFormat::half) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  } else if constexpr (kFormat == MatrixFormat::bf16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  } else {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#endif
  }
}

/// Each lane holds two 16-bit numbers of a row of an 8 × 8 matrix; after it, of its transpose.
__device__ inline std::uint32_t transposed(std::uint32_t two) {
  std::uint32_t result;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(result) : "r"(two));
  return result;
}

/// Four 8 × 16-byte matrices of shared memory, whose rows the lanes point to in turn.
__device__ inline void load_matrices(std::uint32_t (&four)[4], const std::uint8_t* from) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
               : "r"(address)
               : "memory");
}

/// Begins to copy 16 bytes to shared memory; zeros where `there` is false.
__device__ inline void copy16(void* to, const void* from, bool there) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from),
               "r"(there ? 16 : 0)
               : "memory");
}
/// Ends a group of copies that are waited for together.
__device__ inline void close_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits for all groups but the youngest `kYoungest`.
template <int kYoungest>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kYoungest) : "memory");
}

/// The shared memory that the launch asked for.
__device__ inline std::uint8_t* launched_shared_memory() {
  extern __shared__ __align__(128) std::uint8_t shared[];
  return shared;
}

/// Enqueues a kernel; throws as HEADWAY_CUDA does. Over 48 KiB of shared memory are asked for
/// first.
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, int shared_bytes,
            cudaStream_t stream, const Arguments&... arguments) {
  if (shared_bytes > 48 << 10)
    HEADWAY_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
  kernel<<<grid, threads, static_cast<std::size_t>(shared_bytes), stream>>>(arguments...);
  HEADWAY_CUDA(cudaGetLastError());
}

/// Blocks of a kernel without launched shared memory that a multiprocessor holds at once.
template <typename... Parameters>
int blocks_per_multiprocessor(void (*kernel)(Parameters...), int threads) {
  int blocks = 0;
  HEADWAY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  return blocks;
}

}  // namespace headway

#endif
