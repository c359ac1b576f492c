// Numbers for kernels that run on the host.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "calibration/cuda/storage_format.hpp"

namespace headway {

/// `count` numbers of bf16, fp8 or fp32 spread over (-scale, scale), as they stand in memory.
inline std::vector<std::uint8_t> spread_numbers(StorageFormat format, std::int64_t count,
                                                float scale, unsigned seed) {
  std::mt19937 draw(seed);
  std::uniform_real_distribution<float> uniform(-scale, scale);
  std::vector<std::uint8_t> bytes(storage_bytes(format, count));
  const std::size_t size = static_cast<std::size_t>(storage_bits(format) / 8);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const float value = uniform(draw);
    const __nv_bfloat16 half = __float2bfloat16(value);
    const __nv_fp8_storage_t fp8 = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3);
    std::memcpy(bytes.data() + at,
                format == StorageFormat::fp32   ? static_cast<const void*>(&value)
                : format == StorageFormat::bf16 ? static_cast<const void*>(&half)
                                                : static_cast<const void*>(&fp8),
                size);
  }
  return bytes;
}

/// The same as floats.
inline std::vector<float> numbers_of(StorageFormat format, const std::vector<std::uint8_t>& bytes) {
  return storage_values(format, bytes,
                        static_cast<std::int64_t>(bytes.size()) * 8 / storage_bits(format));
}

}  // namespace headway
