// The decode kernel on the host: attention as the reference has it, for every head dimension,
// format of cache, window and split.
#include "tests/gpu/warp_emulation.hpp"
// The kernel's source, after what stands for the card.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "calibration/cuda/attention_reference.hpp"
#include "calibration/cuda/decode_kernel.cu"
#include "calibration/cuda/storage_format.hpp"
#include "tests/gpu/spread_numbers.hpp"

namespace headway {
namespace {

struct Case {
  std::int32_t heads, kv_heads, window, splits;
  std::vector<std::int32_t> contexts;
};

// A batch whose pages lie backwards in memory.
class Batch {
 public:
  Batch(const Case& shape, std::int32_t dim, bool fp8)
      : shape_(shape), dim_(dim), format_(fp8 ? StorageFormat::fp8_e4m3 : StorageFormat::bf16) {
    for (const std::int32_t context : shape.contexts)
      width_ = std::max(width_, (context + kKeysOfPage - 1) / kKeysOfPage);
    const auto batch = static_cast<std::int32_t>(shape.contexts.size());
    table_.resize(static_cast<std::size_t>(batch * width_));
    std::iota(table_.rbegin(), table_.rend(), 0);
    const std::int64_t numbers = std::int64_t{batch} * width_ * kKeysOfPage * shape.kv_heads * dim;
    q_ = spread_numbers(StorageFormat::bf16, std::int64_t{batch} * shape.heads * dim, 4, 1);
    k_ = spread_numbers(format_, numbers, 1, 2);
    v_ = spread_numbers(format_, numbers, 1, 3);
    out_.resize(q_.size());
    partial_.resize(static_cast<std::size_t>(shape.splits) * q_.size() / 2);
    logarithm_.resize(static_cast<std::size_t>(shape.splits * batch * shape.heads));
    in_.q = q_.data(), in_.k = k_.data(), in_.v = v_.data(), in_.out = out_.data();
    in_.table = table_.data(), in_.contexts = shape.contexts.data();
    in_.partial = partial_.data(), in_.logarithm = logarithm_.data();
    in_.batch = batch, in_.heads = shape.heads, in_.kv_heads = shape.kv_heads, in_.head_dim = dim;
    in_.window = shape.window, in_.table_width = width_, in_.splits = shape.splits;
    in_.pages_per_split = (width_ + shape.splits - 1) / shape.splits;
    in_.fp8 = fp8;
  }

  // The largest difference from the reference, relative to the largest result.
  double error() {
    launch_decode(nullptr, in_);
    const std::vector<float> got = storage_values(StorageFormat::bf16, out_, count(out_) / 2);
    double difference = 0, magnitude = 0;
    for (std::int32_t row = 0; row < in_.batch * in_.heads; ++row) {
      const std::vector<double> expected = reference(row / in_.heads, row % in_.heads);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const double value = got[static_cast<std::size_t>(row * dim_) + i];
        difference = std::isfinite(value) ? std::max(difference, std::abs(value - expected[i])) : 9;
        magnitude = std::max(magnitude, std::abs(expected[i]));
      }
    }
    return difference / magnitude;
  }

 private:
  static constexpr std::int32_t kKeysOfPage = 16;
  static std::int64_t count(const std::vector<std::uint8_t>& bytes) {
    return static_cast<std::int64_t>(bytes.size());
  }
  std::vector<double> reference(std::int32_t sequence, std::int32_t head) const {
    const std::int32_t context = shape_.contexts[static_cast<std::size_t>(sequence)];
    const std::int32_t first = shape_.window > 0 ? std::max(0, context - shape_.window) : 0;
    std::vector<float> keys, values;
    for (std::int32_t key = first; key < context; ++key) {
      const std::int64_t row =
          table_[static_cast<std::size_t>(sequence * width_ + key / kKeysOfPage)] * kKeysOfPage +
          key % kKeysOfPage;
      const std::int64_t at =
          (row * shape_.kv_heads + head / (shape_.heads / shape_.kv_heads)) * dim_;
      append(k_, at, keys);
      append(v_, at, values);
    }
    std::vector<float> query = storage_values(StorageFormat::bf16, q_, count(q_) / 2);
    query.erase(query.begin(), query.begin() + (sequence * shape_.heads + head) * dim_);
    query.resize(static_cast<std::size_t>(dim_));
    return attention_reference(query, keys, values);
  }
  void append(const std::vector<std::uint8_t>& cache, std::int64_t at,
              std::vector<float>& to) const {
    const std::int64_t bytes = storage_bits(format_) / 8;
    const std::vector<std::uint8_t> part(cache.begin() + at * bytes,
                                         cache.begin() + (at + dim_) * bytes);
    const std::vector<float> numbers = storage_values(format_, part, dim_);
    to.insert(to.end(), numbers.begin(), numbers.end());
  }

  const Case& shape_;
  std::int32_t dim_, width_ = 0;
  StorageFormat format_;
  std::vector<std::int32_t> table_;
  std::vector<std::uint8_t> q_, k_, v_, out_;
  std::vector<float> partial_, logarithm_;
  DecodeArguments in_;
};

TEST(EmulatedDecode, GivesTheAttentionOfEveryShapeFormatWindowAndSplit) {
  const Case kCases[] = {
      {8, 2, 0, 1, {100, 37}},   // a batch of unequal contexts
      {8, 2, 0, 3, {300, 1}},    // one whose other splits are empty
      {12, 1, 50, 2, {205}},     // more heads than a tile holds, and a window
      {2, 2, 16, 1, {160, 33}},  // windows of whole pages
      {16, 2, 0, 2, {330}},      // several rounds of the warps
      {3, 3, 1, 1, {1, 64}},     // the last key alone
  };
  for (const bool fp8 : {false, true})
    for (const std::int32_t dim : {64, 128, 256})
      for (const Case& shape : kCases)
        EXPECT_LT(Batch(shape, dim, fp8).error(), 5e-3)
            << dim << (fp8 ? " fp8, " : " bf16, ") << shape.heads << " heads, window "
            << shape.window << ", splits " << shape.splits;
}

}  // namespace
}  // namespace headway
