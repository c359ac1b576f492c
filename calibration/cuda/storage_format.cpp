#include "calibration/cuda/storage_format.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace headway {

std::int64_t storage_bits(StorageFormat format) {
  switch (format) {
    case StorageFormat::bf16:
    case StorageFormat::fp16:
      return 16;
    case StorageFormat::fp8_e4m3:
    case StorageFormat::int8:
      return 8;
    case StorageFormat::fp4_e2m1:
      return 4;
    case StorageFormat::fp32:
    case StorageFormat::int32:
      return 32;
  }
  return 0;
}

std::size_t storage_bytes(StorageFormat format, std::int64_t count) {
  return static_cast<std::size_t>((count * storage_bits(format) + 7) / 8);
}

float bf16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

namespace {

// A number with `exponent_bits` and `mantissa_bits`, without infinities and NaN.
float small_float(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const std::uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const bool negative = (bits >> (exponent_bits + mantissa_bits)) & 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(mantissa), 1 - bias - mantissa_bits)
                              : std::ldexp(static_cast<float>(mantissa + (1u << mantissa_bits)),
                                           static_cast<int>(exponent) - bias - mantissa_bits);
  return negative ? -magnitude : magnitude;
}

}  // namespace

float fp16_value(std::uint16_t bits) {
  if ((bits & 0x7c00) == 0x7c00)
    return (bits & 0x3ff) != 0    ? std::numeric_limits<float>::quiet_NaN()
           : (bits & 0x8000) != 0 ? -std::numeric_limits<float>::infinity()
                                  : std::numeric_limits<float>::infinity();
  return small_float(bits, 5, 10);
}

float e4m3_value(std::uint8_t bits) {
  return (bits & 0x7f) == 0x7f ? std::numeric_limits<float>::quiet_NaN() : small_float(bits, 4, 3);
}

float e2m1_value(std::uint8_t bits) {
  return small_float(bits & 0xf, 2, 1);
}

std::vector<float> storage_values(StorageFormat format, const std::vector<std::uint8_t>& bytes,
                                  std::int64_t count) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  const auto word = [&](std::size_t index, auto sample) {
    std::memcpy(&sample, bytes.data() + index * sizeof(sample), sizeof(sample));
    return sample;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) switch (format) {
      case StorageFormat::bf16:
        values.push_back(bf16_value(word(i, std::uint16_t{})));
        break;
      case StorageFormat::fp16:
        values.push_back(fp16_value(word(i, std::uint16_t{})));
        break;
      case StorageFormat::fp8_e4m3:
        values.push_back(e4m3_value(bytes[i]));
        break;
      case StorageFormat::int8:
        values.push_back(word(i, std::int8_t{}));
        break;
      case StorageFormat::fp4_e2m1:
        values.push_back(
            e2m1_value(static_cast<std::uint8_t>(bytes[i / 2] >> (i % 2 == 0 ? 0 : 4))));
        break;
      case StorageFormat::fp32:
        values.push_back(word(i, float{}));
        break;
      case StorageFormat::int32:
        values.push_back(static_cast<float>(word(i, std::int32_t{})));
        break;
    }
  return values;
}

double storage_epsilon(StorageFormat format) {
  switch (format) {
    case StorageFormat::bf16:
      return 0x1p-8;
    case StorageFormat::fp16:
      return 0x1p-11;
    case StorageFormat::fp8_e4m3:
      return 0x1p-4;
    case StorageFormat::fp4_e2m1:
      return 0x1p-2;
    case StorageFormat::fp32:
      return 0x1p-24;
    case StorageFormat::int8:
    case StorageFormat::int32:
      return 0x1p-24;
  }
  return 0;
}

}  // namespace headway
