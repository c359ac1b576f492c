// Decode attention of the CUDA backend.
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/paged_decode.hpp"

namespace headway {

namespace {

class CudaDecode : public CudaOperator {
 public:
  CudaDecode(CudaGpu& gpu, const OperatorPoint& point) : CudaOperator(gpu), decode_(gpu, point) {}

  double flops() const override { return decode_.flops(); }
  double memory_bytes() const override { return decode_.memory_bytes(); }

 protected:
  void launch() override { decode_.launch(); }
  Verification compare() override {
    Comparison comparison;
    decode_.compare(comparison);
    return comparison.result(kAttentionTolerance);
  }

 private:
  PagedDecode decode_;
};

}  // namespace

std::unique_ptr<CudaOperator> make_cuda_decode(CudaGpu& gpu, const OperatorPoint& point,
                                               double limit) {
  check_device_memory(PagedDecode::buffer_bytes(point), limit);
  return std::make_unique<CudaDecode>(gpu, point);
}

}  // namespace headway
