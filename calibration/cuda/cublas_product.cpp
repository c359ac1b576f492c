#include "calibration/cuda/cublas_product.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headway {

namespace {

void check_cublas(cublasStatus_t status, const char* expression, const char* file, int line) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  library_failed(
      status == CUBLAS_STATUS_ALLOC_FAILED ? PointFault::out_of_memory : PointFault::unsupported,
      cublasLtGetStatusString(status), expression, file, line);
}

#define HEADWAY_CUBLAS(expression) check_cublas((expression), #expression, __FILE__, __LINE__)

cudaDataType_t type_of(StorageFormat format) {
  switch (format) {
    case StorageFormat::bf16:
      return CUDA_R_16BF;
    case StorageFormat::fp16:
      return CUDA_R_16F;
    case StorageFormat::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case StorageFormat::int8:
      return CUDA_R_8I;
    case StorageFormat::fp4_e2m1:
      return CUDA_R_4F_E2M1;
    case StorageFormat::fp32:
      return CUDA_R_32F;
    case StorageFormat::int32:
      return CUDA_R_32I;
  }
  return CUDA_R_32F;
}

}  // namespace

ProductForm product_form(const std::string& format) {
  // Outputs are rounded once to half precision; sums are float, and of fewer bits in the fp8 units
  // of sm_89 and sm_90.
  constexpr double kHalfTolerance = 8e-3, kFp8Tolerance = 4e-2;
  if (format == "bf16")
    return {.in = StorageFormat::bf16, .out = StorageFormat::bf16, .tolerance = kHalfTolerance};
  if (format == "fp16")
    return {.in = StorageFormat::fp16, .out = StorageFormat::fp16, .tolerance = kHalfTolerance};
  if (format == "fp8")
    return {.in = StorageFormat::fp8_e4m3,
            .out = StorageFormat::bf16,
            .tensor_scales = true,
            .tolerance = kFp8Tolerance};
  if (format == "int8")
    return {.in = StorageFormat::int8,
            .out = StorageFormat::int32,
            .compute = CUBLAS_COMPUTE_32I,
            .tolerance = 1e-6};
  if (format == "fp4")
    return {.in = StorageFormat::fp4_e2m1,
            .out = StorageFormat::bf16,
            .block_scales = true,
            .tolerance = kFp8Tolerance};
  throw PointError(PointFault::unsupported,
                   fmt::format("products in {} on a GPU; it has bf16, fp16, fp8, int8 and fp4, as "
                               "far as the card has them",
                               format));
}

std::size_t product_workspace_bytes(const CudaGpu& gpu) {
  return gpu.workspace().bytes();
}

CublasProduct::CublasProduct(CudaGpu& gpu, const ProductForm& form, std::int64_t m, std::int64_t n,
                             std::int64_t k, const Operands& operands)
    : gpu_(gpu), operands_(operands), integers_(form.compute == CUBLAS_COMPUTE_32I) {
  try {
    describe(form, m, n, k);
    list_algorithms();
  } catch (...) {
    this->~CublasProduct();
    throw;
  }
}

CublasProduct::~CublasProduct() {
  for (cublasLtMatrixLayout_t* layout : {&w_, &x_, &y_}) {
    if (*layout != nullptr) cublasLtMatrixLayoutDestroy(*layout);
    *layout = nullptr;
  }
  if (product_ != nullptr) cublasLtMatmulDescDestroy(product_);
  product_ = nullptr;
}

void CublasProduct::describe(const ProductForm& form, std::int64_t m, std::int64_t n,
                             std::int64_t k) {
  // The library's matrices are column-major: yᵀ[n, m] = w[n, k] · xᵀ[k, m], both stored with k
  // along memory, which is the form that every format has kernels for.
  HEADWAY_CUBLAS(
      cublasLtMatmulDescCreate(&product_, form.compute, integers_ ? CUDA_R_32I : CUDA_R_32F));
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
    HEADWAY_CUBLAS(cublasLtMatmulDescSetAttribute(product_, attribute, &value, sizeof(value)));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  // As engines do: sums stay in the matrix units, whose fp8 ones keep fewer bits than a float.
  if (form.tensor_scales) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
  if (form.tensor_scales || form.block_scales) {
    const cublasLtMatmulMatrixScale_t mode = form.block_scales
                                                 ? CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3
                                                 : CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
    set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, mode);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_MODE, mode);
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, operands_.w_scale);
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, operands_.x_scale);
  }
  const auto rows = static_cast<std::uint64_t>(k), wide = static_cast<std::uint64_t>(n),
             tokens = static_cast<std::uint64_t>(m);
  HEADWAY_CUBLAS(cublasLtMatrixLayoutCreate(&w_, type_of(form.in), rows, wide, k));
  HEADWAY_CUBLAS(cublasLtMatrixLayoutCreate(&x_, type_of(form.in), rows, tokens, k));
  HEADWAY_CUBLAS(cublasLtMatrixLayoutCreate(&y_, type_of(form.out), wide, tokens, n));
}

void CublasProduct::list_algorithms() {
  constexpr int kMost = 6;
  cublasLtMatmulPreference_t preference = nullptr;
  HEADWAY_CUBLAS(cublasLtMatmulPreferenceCreate(&preference));
  const std::size_t workspace = product_workspace_bytes(gpu_);
  cublasStatus_t status = cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof(workspace));
  cublasLtMatmulHeuristicResult_t results[kMost] = {};
  int found = 0;
  if (status == CUBLAS_STATUS_SUCCESS)
    status = cublasLtMatmulAlgoGetHeuristic(gpu_.cublas(), product_, w_, x_, y_, y_, preference,
                                            kMost, results, &found);
  cublasLtMatmulPreferenceDestroy(preference);
  HEADWAY_CUBLAS(status);
  for (int i = 0; i < found; ++i)
    if (results[i].state == CUBLAS_STATUS_SUCCESS) algorithms_.push_back(results[i].algo);
  if (algorithms_.empty())
    throw PointError(PointFault::unsupported, "cuBLASLt has no algorithm for this product");
}

cublasStatus_t CublasProduct::launch_algorithm(const cublasLtMatmulAlgo_t& algorithm) const {
  const float one = 1, zero = 0;
  const std::int32_t whole_one = 1, whole_zero = 0;
  const void* alpha = integers_ ? static_cast<const void*>(&whole_one) : &one;
  const void* beta = integers_ ? static_cast<const void*>(&whole_zero) : &zero;
  return cublasLtMatmul(gpu_.cublas(), product_, alpha, operands_.w, w_, operands_.x, x_, beta,
                        operands_.y, y_, operands_.y, y_, &algorithm, gpu_.workspace().data(),
                        product_workspace_bytes(gpu_), gpu_.stream());
}

void CublasProduct::launch() const {
  HEADWAY_CUBLAS(launch_algorithm(algorithms_.front()));
}

void CublasProduct::choose() {
  constexpr int kRuns = 3;
  constexpr double kPatience = 10, kEnough = 0.2;  // seconds
  const DeviceEvent begin, end;
  double best = 0, spent = 0;
  std::size_t chosen = algorithms_.size();
  for (std::size_t i = 0; i < algorithms_.size() && spent < kEnough; ++i) {
    float least = 0;
    for (int run = 0; run < kRuns; ++run) {
      gpu_.flush_cache();
      HEADWAY_CUDA(cudaEventRecord(begin.get(), gpu_.stream()));
      if (launch_algorithm(algorithms_[i]) != CUBLAS_STATUS_SUCCESS) break;
      HEADWAY_CUDA(cudaEventRecord(end.get(), gpu_.stream()));
      gpu_.wait_for(end, kPatience);
      float milliseconds = 0;
      HEADWAY_CUDA(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
      spent += 1e-3 * static_cast<double>(milliseconds);
      if (run == 0 || milliseconds < least) least = milliseconds;
    }
    if (least > 0 && (chosen == algorithms_.size() || static_cast<double>(least) < best))
      chosen = i, best = static_cast<double>(least);
  }
  if (chosen == algorithms_.size())
    throw PointError(PointFault::unsupported, "none of cuBLASLt's algorithms ran");
  std::swap(algorithms_.front(), algorithms_[chosen]);
}

}  // namespace headway
