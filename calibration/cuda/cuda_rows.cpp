// Norm, activation, rotary embedding, embedding, sampler and copy of the CUDA backend.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/device_matrix.hpp"
#include "calibration/cuda/row_kernels.hpp"

namespace headway {

namespace {

constexpr double kTolerance = 8e-3;  // results are rounded once to bf16
constexpr std::int64_t kCompared = 64;

double as_double(float value) {
  return static_cast<double>(value);
}

double real(std::int64_t value) {
  return static_cast<double>(value);
}

// Rows in bf16: `in` numbers each become `out`.
class RowsOperator : public CudaOperator {
 public:
  RowsOperator(CudaGpu& gpu, std::int64_t rows, std::int64_t in, std::int64_t out)
      : CudaOperator(gpu),
        x_(stream(), StorageFormat::bf16, rows, in, 1, 6),
        y_(StorageFormat::bf16, rows, out) {}
  double memory_bytes() const override { return x_.bytes() + y_.bytes(); }

 protected:
  // The output [row][column] in double.
  virtual double plain(std::int64_t row, std::int64_t column) const = 0;

  Verification compare() override {
    Comparison comparison;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t row = i * 2654435761 % y_.rows(), column = i * 40503 % y_.columns();
      comparison.add(as_double(y_.value(row, column)), plain(row, column));
    }
    return comparison.result(kTolerance);
  }

  DeviceMatrix x_, y_;
};

class CudaNorm : public RowsOperator {
 public:
  CudaNorm(CudaGpu& gpu, std::int64_t tokens, std::int64_t width)
      : RowsOperator(gpu, tokens, width, width),
        residual_(stream(), StorageFormat::bf16, tokens, width, 1, 7),
        weight_(stream(), StorageFormat::bf16, 1, width, 1, 8) {}
  double memory_bytes() const override {
    return RowsOperator::memory_bytes() + 2 * residual_.bytes() + weight_.bytes();
  }

 protected:
  void launch() override {
    launch_norm(stream(), x_.data(), residual_.data(), weight_.data(), y_.data(), x_.rows(),
                x_.columns());
  }
  // The stream of residuals holds the sum after the run.
  double plain(std::int64_t row, std::int64_t column) const override {
    const std::vector<float> sums = residual_.row(row);
    return as_double(sums[static_cast<std::size_t>(column)]) * as_double(weight_.value(0, column)) /
           std::sqrt(dot(sums, sums) / real(x_.columns()) + 1e-6);
  }
  Verification compare() override {
    // Before the first run the residuals were as they are filled: the sums are checked against x
    // and a second filling.
    const DeviceMatrix before(stream(), StorageFormat::bf16, x_.rows(), x_.columns(), 1, 7);
    HEADWAY_CUDA(cudaStreamSynchronize(stream()));
    Comparison sums;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t row = i * 2654435761 % x_.rows(), column = i * 40503 % x_.columns();
      sums.add(as_double(residual_.value(row, column)),
               as_double(x_.value(row, column)) + as_double(before.value(row, column)));
    }
    const Verification of_sums = sums.result(kTolerance), of_norm = RowsOperator::compare();
    return {std::max(of_sums.error, of_norm.error), kTolerance,
            of_sums.compared + of_norm.compared};
  }

 private:
  DeviceMatrix residual_, weight_;
};

class CudaActivation : public RowsOperator {
 public:
  CudaActivation(CudaGpu& gpu, std::int64_t tokens, std::int64_t width)
      : RowsOperator(gpu, tokens, 2 * width, width) {}

 protected:
  void launch() override {
    launch_activation(stream(), x_.data(), y_.data(), y_.rows(), y_.columns());
  }
  double plain(std::int64_t row, std::int64_t column) const override {
    const double gate = as_double(x_.value(row, column));
    return gate / (1 + std::exp(-gate)) * as_double(x_.value(row, y_.columns() + column));
  }
};

class CudaRotary : public RowsOperator {
 public:
  CudaRotary(CudaGpu& gpu, std::int64_t tokens, std::int64_t width)
      : RowsOperator(gpu, tokens, width, width), head_(head_of(width)) {
    std::vector<float> turns;
    turns.reserve(static_cast<std::size_t>(tokens * head_));
    for (std::int64_t i = 0; i < head_ / 2; ++i)
      frequencies_.push_back(std::pow(10'000.0, -2 * real(i) / real(head_)));
    for (std::int64_t token = 0; token < tokens; ++token)
      for (std::int64_t i = 0; i < head_ / 2; ++i) {
        turns.push_back(static_cast<float>(std::cos(angle(token, i))));
        turns.push_back(static_cast<float>(std::sin(angle(token, i))));
      }
    turns_ = device_copy(turns);
  }
  double memory_bytes() const override {
    return RowsOperator::memory_bytes() + static_cast<double>(turns_.bytes());
  }

 protected:
  void launch() override {
    launch_rotary(stream(), x_.data(), turns_.as<float>(), y_.data(), y_.rows(), y_.columns(),
                  head_);
  }
  double plain(std::int64_t row, std::int64_t column) const override {
    const std::int64_t half = head_ / 2, inside = column % head_, i = inside % half;
    const std::int64_t first = column - inside + i;
    const double low = as_double(x_.value(row, first)),
                 high = as_double(x_.value(row, first + half));
    const double turn = angle(row, i);
    return inside < half ? low * std::cos(turn) - high * std::sin(turn)
                         : high * std::cos(turn) + low * std::sin(turn);
  }

 private:
  // 128 or 64 numbers, as most models have it; where neither divides the row, it is one head.
  static std::int64_t head_of(std::int64_t width) {
    return width % 128 == 0 ? 128 : width % 64 == 0 ? 64 : width;
  }
  double angle(std::int64_t row, std::int64_t i) const {
    return real(row) * frequencies_[static_cast<std::size_t>(i)];
  }
  std::int64_t head_;
  std::vector<double> frequencies_;
  DeviceBuffer turns_;
};

class CudaEmbedding : public RowsOperator {
 public:
  static constexpr std::int64_t kTableRows = 32768;
  CudaEmbedding(CudaGpu& gpu, std::int64_t tokens, std::int64_t width)
      : RowsOperator(gpu, tokens, 1, width),
        table_(stream(), StorageFormat::bf16, kTableRows, width, 1, 9) {
    std::vector<std::int32_t> ids;
    for (std::int64_t row = 0; row < tokens; ++row)
      ids.push_back(static_cast<std::int32_t>(row * 2654435761 % kTableRows));
    ids_ = device_copy(ids);
  }
  double memory_bytes() const override {
    return 2 * y_.bytes() + static_cast<double>(ids_.bytes());
  }

 protected:
  void launch() override {
    launch_embedding(stream(), table_.data(), ids_.as<std::int32_t>(), y_.data(), y_.rows(),
                     y_.columns());
  }
  double plain(std::int64_t row, std::int64_t column) const override {
    return as_double(table_.value(row * 2654435761 % kTableRows, column));
  }

 private:
  DeviceMatrix table_;
  DeviceBuffer ids_;
};

class CudaSampler : public CudaOperator {
 public:
  CudaSampler(CudaGpu& gpu, std::int64_t batch, std::int64_t vocabulary)
      : CudaOperator(gpu),
        logits_(stream(), StorageFormat::fp32, batch, vocabulary, 8, 10),
        tokens_(StorageFormat::int32, batch, 1) {
    for (std::int64_t row = 0; row < batch; ++row)
      shares_.push_back(static_cast<float>((real(row % 97) + 0.5) / 97));
    share_ = device_copy(shares_);
  }
  double memory_bytes() const override { return logits_.bytes(); }

 protected:
  void launch() override {
    launch_top_k_sampler(stream(), static_cast<const float*>(logits_.data()), share_.as<float>(),
                         static_cast<std::int32_t*>(tokens_.data()), logits_.rows(),
                         logits_.columns(), kept());
  }
  // How far the row's share lies outside the drawn token's part of the cumulative weights.
  Verification compare() override {
    constexpr std::int64_t kRows = 8;
    Verification verification{0, 1e-4, 0};
    const std::int64_t step = std::max<std::int64_t>(1, logits_.rows() / kRows);
    for (std::int64_t row = 0; row < logits_.rows(); row += step) {
      verification.error = std::max(verification.error, outside(row));
      ++verification.compared;
    }
    return verification;
  }

 private:
  static constexpr std::int32_t kTopK = 50;
  std::int32_t kept() const {
    return static_cast<std::int32_t>(std::min<std::int64_t>(kTopK, logits_.columns()));
  }
  double outside(std::int64_t row) const {
    const std::vector<float> logits = logits_.row(row);
    const auto drawn = static_cast<std::size_t>(
        std::clamp<float>(tokens_.value(row, 0), 0, static_cast<float>(logits.size() - 1)));
    std::vector<float> largest = logits;
    std::nth_element(largest.begin(), largest.begin() + (kept() - 1), largest.end(),
                     std::greater<>());
    const float least = largest[static_cast<std::size_t>(kept() - 1)];
    if (logits[drawn] < least) return 1;
    double total = 0, before = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double weight = logits[i] >= least ? std::exp(as_double(logits[i])) : 0;
      total += weight;
      if (i < drawn) before += weight;
    }
    const double target = as_double(shares_[static_cast<std::size_t>(row)]) * total;
    const double after = before + std::exp(as_double(logits[drawn]));
    return std::max({0.0, before - target, target - after}) / total;
  }

  DeviceMatrix logits_, tokens_;
  std::vector<float> shares_;
  DeviceBuffer share_;
};

class CudaCopy : public CudaOperator {
 public:
  CudaCopy(CudaGpu& gpu, std::int64_t bytes)
      : CudaOperator(gpu),
        from_(stream(), StorageFormat::int8, 1, bytes, 1, 11),
        to_(StorageFormat::int8, 1, bytes) {}
  double memory_bytes() const override { return from_.bytes() + to_.bytes(); }

 protected:
  void launch() override {
    HEADWAY_CUDA(cudaMemcpyAsync(to_.data(), from_.data(), static_cast<std::size_t>(to_.columns()),
                                 cudaMemcpyDeviceToDevice, stream()));
  }
  Verification compare() override {
    Comparison comparison;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t at = i * 2654435761 % to_.columns();
      comparison.add(as_double(to_.value(0, at)), as_double(from_.value(0, at)));
    }
    const std::int64_t last = to_.columns() - 1;
    comparison.add(as_double(to_.value(0, last)), as_double(from_.value(0, last)));
    return comparison.result(0);
  }

 private:
  DeviceMatrix from_, to_;
};

}  // namespace

std::unique_ptr<CudaOperator> make_cuda_rows(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit) {
  if (point.tokens > INT32_MAX) throw PointError(PointFault::unsupported, "2^31 tokens or more");
  check_device_memory(12 * real(point.tokens) * real(point.width) +
                          2 * CudaEmbedding::kTableRows * real(point.width),
                      limit);
  if (point.op == "norm") return std::make_unique<CudaNorm>(gpu, point.tokens, point.width);
  if (point.op == "activation")
    return std::make_unique<CudaActivation>(gpu, point.tokens, point.width);
  if (point.op == "embedding")
    return std::make_unique<CudaEmbedding>(gpu, point.tokens, point.width);
  if (point.width % 2 != 0)
    throw PointError(PointFault::unsupported, "rotary embedding of an odd width");
  return std::make_unique<CudaRotary>(gpu, point.tokens, point.width);
}

std::unique_ptr<CudaOperator> make_cuda_sampler(CudaGpu& gpu, const OperatorPoint& point,
                                                double limit) {
  if (point.width > (1 << 24) || point.batch > INT32_MAX)
    throw PointError(PointFault::unsupported, "a vocabulary over 2^24 tokens");
  check_device_memory(4 * real(point.batch) * real(point.width), limit);
  return std::make_unique<CudaSampler>(gpu, point.batch, point.width);
}

std::unique_ptr<CudaOperator> make_cuda_copy(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit) {
  check_device_memory(2 * real(point.bytes), limit);
  return std::make_unique<CudaCopy>(gpu, point.bytes);
}

}  // namespace headway
