#include "calibration/cuda/cudnn_attention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/cuda/attention_reference.hpp"
#include "calibration/cuda/cudnn_prefill.hpp"
#include "calibration/cuda/device_matrix.hpp"
#include "calibration/cuda/paged_decode.hpp"
#include "calibration/cuda/row_kernels.hpp"

namespace headway {

namespace {

constexpr float kQueryScale = 4;  // so that the weights of keys differ

PrefillShape shape_of(const OperatorPoint& point) {
  PrefillShape shape;
  shape.batch = point.op == "attention_mixed" ? 1 : point.batch;
  shape.heads = point.heads, shape.kv_heads = point.kv_heads, shape.head_dim = point.head_dim;
  shape.chunk = point.chunk, shape.prefix = point.prefix, shape.window = point.window;
  return shape;
}

// Chunks of prompts with their keys and values, side by side in memory.
class Prompts {
 public:
  Prompts(CudaGpu& gpu, cudnnHandle_t handle, const PrefillShape& shape, const CudnnPrefill& kernel,
          bool fp8)
      : gpu_(gpu),
        handle_(handle),
        shape_(shape),
        kernel_(kernel),
        workspace_(static_cast<std::size_t>(kernel_.workspace_bytes())) {
    const std::int64_t keys = shape.batch * shape.keys(), wide = shape.kv_heads * shape.head_dim;
    q_ = {gpu.stream(),
          StorageFormat::bf16,
          shape.batch * shape.chunk,
          shape.heads * shape.head_dim,
          kQueryScale,
          30};
    out_ = {StorageFormat::bf16, q_.rows(), q_.columns()};
    if (fp8) {
      k_cache_ = {gpu.stream(), StorageFormat::fp8_e4m3, keys, wide, 1, 31};
      v_cache_ = {gpu.stream(), StorageFormat::fp8_e4m3, keys, wide, 1, 32};
    }
    k_ = {gpu.stream(), StorageFormat::bf16, keys, wide, 1, 31};
    v_ = {gpu.stream(), StorageFormat::bf16, keys, wide, 1, 32};
  }

  void launch() const {
    if (k_cache_.data() != nullptr) {
      launch_widen_fp8(gpu_.stream(), k_cache_.data(), k_.data(), k_.rows() * k_.columns());
      launch_widen_fp8(gpu_.stream(), v_cache_.data(), v_.data(), v_.rows() * v_.columns());
    }
    kernel_.launch(handle_, q_.data(), k_.data(), v_.data(), out_.data(), workspace_.data());
  }

  void compare(Comparison& comparison) const {
    constexpr std::int64_t kCompared = 6;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      // The last query, the first, and some between.
      const std::int64_t sequence = i * 40503 % shape_.batch, head = i * 7 % shape_.heads;
      const std::int64_t token = i == 0 ? shape_.chunk - 1 : (i - 1) * 2654435761 % shape_.chunk;
      const std::int64_t row = sequence * shape_.chunk + token, column = head * shape_.head_dim;
      const std::int64_t kv_head = head / (shape_.heads / shape_.kv_heads);
      const std::vector<float> got = out_.part(row, column, shape_.head_dim);
      const std::vector<double> expected = attention_reference(
          q_.part(row, column, shape_.head_dim), seen(k_, k_cache_, sequence, token, kv_head),
          seen(v_, v_cache_, sequence, token, kv_head));
      for (std::size_t j = 0; j < expected.size(); ++j)
        comparison.add(static_cast<double>(got[j]), expected[j]);
    }
  }

  double flops() const {
    double pairs = 0;
    for (std::int64_t token = 0; token < shape_.chunk; ++token)
      pairs += static_cast<double>(seen_keys(token));
    return 4 * pairs * static_cast<double>(shape_.batch * shape_.heads * shape_.head_dim);
  }
  double memory_bytes() const {
    return q_.bytes() + out_.bytes() +
           (k_cache_.data() != nullptr ? k_cache_.bytes() + v_cache_.bytes()
                                       : k_.bytes() + v_.bytes());
  }

  static double buffer_bytes(const PrefillShape& shape, bool fp8) {
    const auto real = [](std::int64_t value) { return static_cast<double>(value); };
    return real(shape.batch) * real(shape.head_dim) *
           (4 * real(shape.chunk) * real(shape.heads) +
            (fp8 ? 6 : 4) * real(shape.keys()) * real(shape.kv_heads));
  }

 private:
  std::int64_t seen_keys(std::int64_t token) const {
    const std::int64_t all = shape_.prefix + token + 1;
    return shape_.window > 0 ? std::min(all, shape_.window) : all;
  }
  // Rows of the keys or values that a query sees, from what is in the cache.
  std::vector<float> seen(const DeviceMatrix& wide, const DeviceMatrix& cache,
                          std::int64_t sequence, std::int64_t token, std::int64_t kv_head) const {
    const DeviceMatrix& from = cache.data() != nullptr ? cache : wide;
    const std::int64_t count = seen_keys(token);
    return from.block(sequence * shape_.keys() + shape_.prefix + token + 1 - count, count,
                      kv_head * shape_.head_dim, shape_.head_dim);
  }

  CudaGpu& gpu_;
  cudnnHandle_t handle_;
  PrefillShape shape_;
  const CudnnPrefill& kernel_;
  DeviceMatrix q_, k_, v_, k_cache_, v_cache_, out_;
  DeviceBuffer workspace_;
};

class CudnnAttention : public CudaOperator {
 public:
  CudnnAttention(CudaGpu& gpu, cudnnHandle_t handle, const CudnnPrefill& kernel,
                 const OperatorPoint& point)
      : CudaOperator(gpu), prompts_(gpu, handle, shape_of(point), kernel, point.kv == "fp8") {
    if (point.op == "attention_mixed") decodes_ = std::make_unique<PagedDecode>(gpu, point);
  }

  double flops() const override {
    return prompts_.flops() + (decodes_ != nullptr ? decodes_->flops() : 0);
  }
  double memory_bytes() const override {
    return prompts_.memory_bytes() + (decodes_ != nullptr ? decodes_->memory_bytes() : 0);
  }

 protected:
  void launch() override {
    prompts_.launch();
    if (decodes_ != nullptr) decodes_->launch();
  }
  Verification compare() override {
    Comparison of_prompts;
    prompts_.compare(of_prompts);
    Verification verification = of_prompts.result(kAttentionTolerance);
    if (decodes_ != nullptr) {
      Comparison of_decodes;
      decodes_->compare(of_decodes);
      const Verification other = of_decodes.result(kAttentionTolerance);
      verification.error = std::max(verification.error, other.error);
      verification.compared += other.compared;
    }
    return verification;
  }

 private:
  Prompts prompts_;
  std::unique_ptr<PagedDecode> decodes_;
};

}  // namespace

const CudnnPrefill& CudnnAttentions::compiled(const PrefillShape& shape) {
  const auto found = compiled_.find(shape);
  if (found != compiled_.end()) return found->second;
  return compiled_.emplace(shape, CudnnPrefill(shape, library_.handle())).first->second;
}

std::unique_ptr<CudaOperator> CudnnAttentions::make(const OperatorPoint& point, double limit) {
  const PrefillShape shape = shape_of(point);
  if (shape.heads % shape.kv_heads != 0)
    throw PointError(PointFault::unsupported, "query heads that the KV heads do not divide");
  if (shape.head_dim % 8 != 0)
    throw PointError(PointFault::unsupported, "attention with a head_dim that 8 does not divide");
  const bool fp8 = point.kv == "fp8";
  if (fp8 && shape.kv_heads * shape.head_dim % 16 != 0)
    throw PointError(PointFault::unsupported, "an fp8 cache whose rows 16 does not divide");
  double bytes = Prompts::buffer_bytes(shape, fp8);
  if (point.op == "attention_mixed") bytes += PagedDecode::buffer_bytes(point);
  check_device_memory(bytes, limit);
  if (shape.keys() > (1 << 30))
    throw PointError(PointFault::unsupported, "a prompt over 2^30 keys");
  return std::make_unique<CudnnAttention>(gpu_, library_.handle(), compiled(shape), point);
}

}  // namespace headway
