#include "calibration/cpu/cpu_gemm.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace headway {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using InMatrix = Eigen::Map<const Matrix>;
using OutBlock = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

constexpr std::int64_t kPanelFloats = 1 << 17;  // 512 KiB of widened weights: within the caches
constexpr std::int64_t kBandRows = 256;         // of x between two looks at the deadline
constexpr double kTolerance = 1e-4;             // sums of up to 2^15 products in float

class CpuGemm : public CpuOperator {
 public:
  explicit CpuGemm(const OperatorPoint& point) : m_(point.m), n_(point.n), k_(point.k) {
    const float scale = 1 / std::sqrt(static_cast<float>(k_));
    x_ = filled(m_ * k_, 1, 1);
    w_ = filled_bf16(n_ * k_, scale, 2);
    y_.resize(static_cast<std::size_t>(m_ * n_));
  }
  double flops() const override {
    return 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
  }
  double memory_bytes() const override {
    return 2.0 * static_cast<double>(n_ * k_) + 4.0 * static_cast<double>(m_ * (n_ + k_));
  }

 protected:
  void run(const Deadline& deadline) override {
    cpu_linear(x_.data(), w_.data(), m_, n_, k_, y_.data(), deadline);
  }
  Verification compare() const override {
    constexpr std::int64_t kCompared = 64;
    Comparison comparison;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t row = i * 2654435761 % m_, column = i * 40503 % n_;
      comparison.add(y_[static_cast<std::size_t>(row * n_ + column)],
                     plain_linear(x_.data(), w_.data(), k_, row, column));
    }
    return comparison.result(kTolerance);
  }

 private:
  std::int64_t m_, n_, k_;
  std::vector<float> x_, y_;
  std::vector<Bf16> w_;
};

}  // namespace

void cpu_linear(const float* x, const Bf16* w, std::int64_t m, std::int64_t n, std::int64_t k,
                float* y, const Deadline& deadline) {
  const std::int64_t panel_rows = std::min(n, std::max<std::int64_t>(16, kPanelFloats / k));
  std::vector<float> panel(static_cast<std::size_t>(panel_rows * k));
  for (std::int64_t column = 0; column < n; column += panel_rows) {
    const std::int64_t width = std::min(panel_rows, n - column);
    widen(w + column * k, width * k, panel.data());
    const InMatrix weights(panel.data(), width, k);
    for (std::int64_t row = 0; row < m; row += kBandRows) {
      deadline.check();
      const std::int64_t height = std::min(kBandRows, m - row);
      OutBlock(y + row * n + column, height, width, Eigen::OuterStride<>(n)).noalias() =
          InMatrix(x + row * k, height, k) * weights.transpose();
    }
  }
}

double plain_linear(const float* x, const Bf16* w, std::int64_t k, std::int64_t row,
                    std::int64_t column) {
  double sum = 0;
  for (std::int64_t i = 0; i < k; ++i)
    sum += static_cast<double>(x[row * k + i]) * static_cast<double>(to_float(w[column * k + i]));
  return sum;
}

std::unique_ptr<CpuOperator> make_cpu_gemm(const OperatorPoint& point, double limit) {
  const auto m = static_cast<double>(point.m), n = static_cast<double>(point.n),
             k = static_cast<double>(point.k);
  check_memory(4 * m * (n + k) + 2 * n * k, limit);
  return std::make_unique<CpuGemm>(point);
}

}  // namespace headway
