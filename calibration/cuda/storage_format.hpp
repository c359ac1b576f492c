// How numbers stand in the card's memory, and their values on the host: what the references read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headway {

/// Formats of buffers. fp4 is two to a byte, the lower half first.
enum class StorageFormat { bf16, fp16, fp8_e4m3, int8, fp4_e2m1, fp32, int32 };

/// Bits of one number.
std::int64_t storage_bits(StorageFormat format);
/// Bytes of `count` numbers, rounded up.
std::size_t storage_bytes(StorageFormat format, std::int64_t count);

/// Values by the formats' definitions: bf16 and fp16 of IEEE 754-like layout, e4m3 with bias 7 and
/// no infinities (arXiv 2209.05433), e2m1 of the OCP Microscaling specification 1.0.
float bf16_value(std::uint16_t bits);
float fp16_value(std::uint16_t bits);
float e4m3_value(std::uint8_t bits);
float e2m1_value(std::uint8_t bits);

/// The numbers that `bytes` hold, `count` of them from the start.
std::vector<float> storage_values(StorageFormat format, const std::vector<std::uint8_t>& bytes,
                                  std::int64_t count);

/// The relative step of the format: 2^-(mantissa bits + 1).
double storage_epsilon(StorageFormat format);

}  // namespace headway
