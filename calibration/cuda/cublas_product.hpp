// Matrix products by cuBLASLt: y[m, n] = x[m, k] · wᵀ, w[n, k], in every format that a card has.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/cuda/cuda_gpu.hpp"
#include "calibration/cuda/storage_format.hpp"

namespace headway {

/// How a format of samples is multiplied.
struct ProductForm {
  StorageFormat in = StorageFormat::bf16;   // of x and w
  StorageFormat out = StorageFormat::bf16;  // of y
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  bool tensor_scales = false;  // one float scale for x and one for w
  bool block_scales = false;   // one e4m3 scale for 16 columns of each
  double tolerance = 0;        // of the result, relative to its largest magnitude
};

/// bf16, fp16: themselves. fp8: e4m3 with a scale for each tensor, y in bf16. int8: y in int32.
/// fp4: e2m1 with block scales (NVFP4), y in bf16. Throws PointError unsupported for other formats.
ProductForm product_form(const std::string& format);

/// Bytes of scratch memory that a product may use.
std::size_t product_workspace_bytes(const CudaGpu& gpu);

/// A product, described once and run often, with the fastest of the algorithms that the library's
/// heuristics name first.
class CublasProduct {
 public:
  struct Operands {
    const void* x = nullptr;
    const void* w = nullptr;
    void* y = nullptr;
    const void* x_scale = nullptr;  // where the form has scales
    const void* w_scale = nullptr;
  };

  /// Throws PointError unsupported where the library has no algorithm.
  CublasProduct(CudaGpu& gpu, const ProductForm& form, std::int64_t m, std::int64_t n,
                std::int64_t k, const Operands& operands);
  CublasProduct(const CublasProduct&) = delete;
  CublasProduct& operator=(const CublasProduct&) = delete;
  ~CublasProduct();

  /// Enqueues one run.
  void launch() const;

  /// Times the algorithms, each a few times after the cache was emptied, and keeps the fastest.
  void choose();

 private:
  void describe(const ProductForm& form, std::int64_t m, std::int64_t n, std::int64_t k);
  void list_algorithms();
  cublasStatus_t launch_algorithm(const cublasLtMatmulAlgo_t& algorithm) const;

  CudaGpu& gpu_;
  Operands operands_;
  bool integers_ = false;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t w_ = nullptr, x_ = nullptr, y_ = nullptr;
  std::vector<cublasLtMatmulAlgo_t> algorithms_;  // the chosen one first
};

}  // namespace headway
