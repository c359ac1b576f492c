// Products of the CUDA backend.
#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/cuda/block_scales.hpp"
#include "calibration/cuda/cublas_product.hpp"
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/device_matrix.hpp"

namespace headway {

namespace {

constexpr float kXScale = 0.5f, kWScale = 0.25f;  // of tensors with one scale

class CudaGemm : public CudaOperator {
 public:
  CudaGemm(CudaGpu& gpu, const OperatorPoint& point, const ProductForm& form)
      : CudaOperator(gpu),
        m_(point.m),
        n_(point.n),
        k_(point.k),
        form_(form),
        x_(stream(), form.in, m_, k_, 1, 1),
        w_(stream(), form.in, n_, k_, 1, 2),
        y_(form.out, m_, n_) {
    if (form.tensor_scales) {
      x_scale_ = device_copy(std::vector<float>{kXScale});
      w_scale_ = device_copy(std::vector<float>{kWScale});
    }
    if (form.block_scales) {
      x_blocks_ = make_block_scales(m_, k_, 3);
      w_blocks_ = make_block_scales(n_, k_, 4);
      x_scale_ = device_copy(x_blocks_.bytes);
      w_scale_ = device_copy(w_blocks_.bytes);
    }
    const CublasProduct::Operands operands = {x_.data(), w_.data(), y_.data(), x_scale_.data(),
                                              w_scale_.data()};
    product_ = std::make_unique<CublasProduct>(gpu, form, m_, n_, k_, operands);
    product_->choose();
  }

  double flops() const override {
    return 2.0 * static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
  }
  double memory_bytes() const override {
    return x_.bytes() + w_.bytes() + y_.bytes() +
           static_cast<double>(x_blocks_.bytes.size() + w_blocks_.bytes.size());
  }

 protected:
  void launch() override { product_->launch(); }

  Verification compare() override {
    constexpr std::int64_t kCompared = 64;
    Comparison comparison;
    for (std::int64_t i = 0; i < kCompared; ++i) {
      const std::int64_t row = i * 2654435761 % m_, column = i * 40503 % n_;
      comparison.add(static_cast<double>(y_.value(row, column)), plain(row, column));
    }
    return comparison.result(form_.tolerance);
  }

 private:
  // The output in double.
  double plain(std::int64_t row, std::int64_t column) const {
    std::vector<float> x = x_.row(row);
    const std::vector<float> w = w_.row(column);
    if (form_.block_scales)
      for (std::int64_t i = 0; i < k_; ++i)
        x[static_cast<std::size_t>(i)] *=
            x_blocks_.value(row, i / kScaledColumns) * w_blocks_.value(column, i / kScaledColumns);
    const double sum = dot(x, w);
    return form_.tensor_scales ? sum * static_cast<double>(kXScale * kWScale) : sum;
  }

  std::int64_t m_, n_, k_;
  ProductForm form_;
  DeviceMatrix x_, w_, y_;
  BlockScales x_blocks_, w_blocks_;
  DeviceBuffer x_scale_, w_scale_;
  std::unique_ptr<CublasProduct> product_;
};

}  // namespace

std::unique_ptr<CudaOperator> make_cuda_gemm(CudaGpu& gpu, const OperatorPoint& point,
                                             double limit) {
  const ProductForm form = product_form(point.format);
  const auto m = static_cast<double>(point.m), n = static_cast<double>(point.n),
             k = static_cast<double>(point.k);
  const double in = static_cast<double>(storage_bits(form.in)) / 8,
               out = static_cast<double>(storage_bits(form.out)) / 8;
  check_device_memory(in * k * (m + n) + out * m * n, limit);
  if (point.m > INT32_MAX || point.n > INT32_MAX || point.k > INT32_MAX)
    throw PointError(PointFault::unsupported, "a product with a dimension of 2^31 or more");
  if (form.block_scales && point.k % 32 != 0)
    throw PointError(PointFault::unsupported, "an fp4 product whose k is no multiple of 32");
  return std::make_unique<CudaGemm>(gpu, point, form);
}

}  // namespace headway
