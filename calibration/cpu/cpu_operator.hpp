// What the operators of the CPU backend share: bf16 storage, cold caches, deadlines, timing.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "calibration/device.hpp"

namespace headway {

/// A bf16 number: the upper half of a float. Products and sums are made in float.
using Bf16 = std::uint16_t;

inline float to_float(Bf16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}
/// Rounded to nearest, ties to even; finite values only.
inline Bf16 to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<Bf16>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}
inline void widen(const Bf16* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = to_float(from[i]);
}

/// Numbers spread over (-scale, scale), the same for the same salt.
std::vector<float> filled(std::int64_t count, float scale, std::uint32_t salt);
std::vector<Bf16> filled_bf16(std::int64_t count, float scale, std::uint32_t salt);

/// When a run has to be over.
class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds)) {}
  /// Throws PointError timed_out when it has passed.
  void check() const;

 private:
  std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>> end_;
};

/// Throws PointError out_of_memory where the bytes are over what a point may take.
void check_memory(double bytes, double limit);

/// Compares single outputs with what a plain reference in double makes of them.
class Comparison {
 public:
  void add(double got, double expected);
  Verification result(double tolerance) const;

 private:
  double difference_ = 0, magnitude_ = 0;
  std::int64_t count_ = 0;
  bool finite_ = true;
};

/// An operator on one core; its time is that which the thread had the core.
class CpuOperator : public PreparedOperator {
 public:
  double run_once(double timeout_seconds) override;
  Verification verification() const override { return verification_; }

  /// Runs once and compares; throws PointError wrong_result or timed_out.
  void verify(double timeout_seconds);

 protected:
  virtual void run(const Deadline& deadline) = 0;
  /// Compares the result of the last run with the reference.
  virtual Verification compare() const = 0;

 private:
  Verification verification_;
};

/// The operators; each throws PointError for shapes that it cannot run or hold in `limit` bytes.
std::unique_ptr<CpuOperator> make_cpu_gemm(const OperatorPoint& point, double limit);
std::unique_ptr<CpuOperator> make_cpu_attention(const OperatorPoint& point, double limit);
std::unique_ptr<CpuOperator> make_cpu_elementwise(const OperatorPoint& point, double limit);
std::unique_ptr<CpuOperator> make_cpu_moe(const OperatorPoint& point, double limit);

}  // namespace headway
