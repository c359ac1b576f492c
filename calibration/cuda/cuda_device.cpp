#include "calibration/cuda/cuda_device.hpp"

#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "calibration/cuda/catalogue_name.hpp"
#include "calibration/cuda/cuda_gpu.hpp"
#include "calibration/cuda/cuda_operator.hpp"
#include "calibration/cuda/nvml.hpp"
#include "calibration/operator_form.hpp"
#ifdef HEADWAY_WITH_CUDNN
#include "calibration/cuda/cudnn_attention.hpp"
#endif
#ifdef HEADWAY_WITH_NCCL
#include "calibration/cuda/nccl_collective.hpp"
#endif

namespace headway {

namespace {

constexpr double kVerifySeconds = 10;  // a point whose single run takes longer is not measured
constexpr int kLeastCapability = 80;
constexpr double kShareOfMemory = 0.8;  // of what is free, for the buffers of one point

// How many cards the driver shows; throws where there is none of that number.
int found_devices(int index) {
  int driver = 0, count = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
    throw CalibrationFailure("no CUDA device: no NVIDIA driver is loaded");
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess)
    throw CalibrationFailure(fmt::format("no CUDA device: {}", cudaGetErrorString(status)));
  if (index >= count)
    throw CalibrationFailure(
        fmt::format("no CUDA device: cuda:{} is asked for, and there {} {}; expected cuda:0 to "
                    "cuda:{}",
                    index, count == 1 ? "is" : "are", count, count - 1));
  return count;
}

std::string pci_bus_id(int index) {
  std::array<char, 32> text{};
  HEADWAY_CUDA(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), index));
  return text.data();
}

class CudaDevice : public MeasuringDevice {
 public:
  explicit CudaDevice(int index)
      : devices_(found_devices(index)), gpu_(index), nvml_(pci_bus_id(index)) {
    if (gpu_.capability() < kLeastCapability)
      throw CalibrationFailure(
          fmt::format("no CUDA device: {} has compute capability {}.{}; expected 8.0 or more",
                      gpu_.properties().name, gpu_.properties().major, gpu_.properties().minor));
    identify();
    std::size_t available = 0, total = 0;
    HEADWAY_CUDA(cudaMemGetInfo(&available, &total));
    limit_ = kShareOfMemory * static_cast<double>(available);
  }

  const DeviceIdentity& identity() const override { return identity_; }
  std::vector<std::string> formats() const override { return cuda_formats(gpu_.capability()); }
  std::vector<std::string> kv_formats() const override {
    if (gpu_.capability() >= 89) return {"bf16", "fp8"};
    return {"bf16"};
  }
  std::int32_t gpus() const override {
#ifdef HEADWAY_WITH_NCCL
    return devices_;
#else
    return 1;
#endif
  }
  double memory_limit_bytes() const override {
    return limit_;
  }
  ClockState clock() override {
    return nvml_.clock();
  }

  std::unique_ptr<PreparedOperator> prepare(const OperatorPoint& point) override {
    std::unique_ptr<CudaOperator> prepared = make(point);
    prepared->verify(kVerifySeconds);
    return prepared;
  }

 private:
  void identify();
  std::unique_ptr<CudaOperator> make(const OperatorPoint& point);
  std::unique_ptr<CudaOperator> make_attention(const OperatorPoint& point);
  std::unique_ptr<CudaOperator> make_collective(const OperatorPoint& point);

  int devices_;
  CudaGpu gpu_;
  Nvml nvml_;
#ifdef HEADWAY_WITH_CUDNN
  std::unique_ptr<CudnnAttentions> cudnn_;  // opened for the first prompt
#endif
#ifdef HEADWAY_WITH_NCCL
  std::map<int, std::unique_ptr<NcclGroup>> groups_;  // by their count of cards
#endif
  DeviceIdentity identity_;
  double limit_ = 0;
};

void CudaDevice::identify() {
  const cudaDeviceProp& properties = gpu_.properties();
  identity_.device = properties.name;
  identity_.gpu = catalogue_gpu_name(properties.name);
  identity_.engine = "headway-cuda " HEADWAY_VERSION;
  int runtime = 0;
  HEADWAY_CUDA(cudaRuntimeGetVersion(&runtime));
  const std::size_t cublas = cublasLtGetVersion();
  const std::string driver = nvml_.driver_version();
  std::string libraries =
      fmt::format("CUDA {}.{}, cuBLASLt {}.{}.{}", runtime / 1000, runtime % 1000 / 10,
                  cublas / 10000, cublas / 100 % 100, cublas % 100);
#ifdef HEADWAY_WITH_CUDNN
  const std::size_t cudnn = cudnnGetVersion();
  libraries += fmt::format(", cuDNN {}.{}.{}", cudnn / 10000, cudnn / 100 % 100, cudnn % 100);
#endif
  identity_.driver =
      fmt::format("driver {}, {}, sm_{}, {} multiprocessors", driver.empty() ? "unknown" : driver,
                  libraries, gpu_.capability(), properties.multiProcessorCount);
}

std::unique_ptr<CudaOperator> CudaDevice::make(const OperatorPoint& point) {
  std::string key;
  const std::string fault = point_fault(point, key);
  if (!fault.empty()) throw PointError(PointFault::unsupported, fault);
  if (point.op == "gemm") return make_cuda_gemm(gpu_, point, limit_);
  if (point.op == "moe") return make_cuda_moe(gpu_, point, limit_);
  if (point.op == "copy") return make_cuda_copy(gpu_, point, limit_);
  if (point.format != "bf16")
    throw PointError(PointFault::unsupported, fmt::format("{}: it is in bf16", point_text(point)));
  if (point.gpus > 0) return make_collective(point);
  if (point.op.starts_with("attention_")) return make_attention(point);
  if (point.op == "sampler") return make_cuda_sampler(gpu_, point, limit_);
  if (point.width > 0) return make_cuda_rows(gpu_, point, limit_);
  throw PointError(PointFault::unsupported, fmt::format("{} on a GPU", point.op));
}

std::unique_ptr<CudaOperator> CudaDevice::make_attention(const OperatorPoint& point) {
  const std::vector<std::string> kv = kv_formats();
  if (!point.kv.empty() && std::find(kv.begin(), kv.end(), point.kv) == kv.end())
    throw PointError(PointFault::unsupported,
                     fmt::format("a KV cache in {} on sm_{}", point.kv, gpu_.capability()));
  if (point.op == "attention_decode") return make_cuda_decode(gpu_, point, limit_);
#ifdef HEADWAY_WITH_CUDNN
  if (cudnn_ == nullptr) cudnn_ = std::make_unique<CudnnAttentions>(gpu_);
  return cudnn_->make(point, limit_);
#else
  throw PointError(PointFault::unsupported,
                   "attention of prompts: cuDNN was not found when this was built");
#endif
}

std::unique_ptr<CudaOperator> CudaDevice::make_collective(const OperatorPoint& point) {
  if (point.gpus < 2 || point.gpus > gpus())
    throw PointError(PointFault::unsupported,
                     fmt::format("{} over {} GPUs; there {} {}", point.op, point.gpus,
                                 gpus() == 1 ? "is" : "are", gpus()));
#ifdef HEADWAY_WITH_NCCL
  std::unique_ptr<NcclGroup>& group = groups_[static_cast<int>(point.gpus)];
  if (group == nullptr)
    group = std::make_unique<NcclGroup>(gpu_, static_cast<int>(point.gpus), devices_);
  return make_nccl_collective(*group, point, limit_);
#else
  throw PointError(PointFault::unsupported, "collectives: NCCL was not found when this was built");
#endif
}

}  // namespace

std::unique_ptr<MeasuringDevice> open_cuda_device(int index) {
  return std::make_unique<CudaDevice>(index);
}

}  // namespace headway
