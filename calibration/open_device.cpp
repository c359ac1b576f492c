#include <fmt/format.h>

#include <charconv>

#include "calibration/cpu/cpu_device.hpp"
#include "calibration/device.hpp"
#ifdef HEADWAY_CUDA_BACKEND
#include <dlfcn.h>
#endif

namespace headway {

namespace {

std::unique_ptr<MeasuringDevice> open_cuda(int index) {
#ifdef HEADWAY_CUDA_BACKEND
  // calibration/cuda/cuda_module.cpp, beside the program or in its prefix. It stays loaded.
  void* module = ::dlopen("libheadway-cuda.so", RTLD_NOW | RTLD_LOCAL);
  using Open = MeasuringDevice* (*)(int);
  const auto open = module == nullptr
                        ? nullptr
                        : reinterpret_cast<Open>(::dlsym(module, "headway_open_cuda_device"));
  if (open == nullptr)
    throw CalibrationFailure(
        fmt::format("no CUDA device: the CUDA backend cannot be loaded: {}", ::dlerror()));
  return std::unique_ptr<MeasuringDevice>(open(index));
#else
  throw CalibrationFailure(fmt::format(
      "no CUDA device: cuda:{} is asked for, and this build has no CUDA backend (it was "
      "configured without the CUDA Toolkit)",
      index));
#endif
}

}  // namespace

const char* point_fault_name(PointFault fault) {
  switch (fault) {
    case PointFault::unsupported:
      return "unsupported";
    case PointFault::out_of_memory:
      return "out of memory";
    case PointFault::wrong_result:
      return "wrong result";
    case PointFault::timed_out:
      return "timed out";
    case PointFault::throttled:
      return "throttled";
  }
  return "";
}

std::unique_ptr<MeasuringDevice> open_device(const std::string& name) {
  if (name == "cpu") return open_cpu_device();
  int index = 0;
  bool cuda = name == "cuda";
  if (name.starts_with("cuda:")) {
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 5, end, index);
    cuda = error == std::errc() && stop == end && index >= 0;
  }
  if (!cuda) throw SampleError(fmt::format("unknown device '{}'; expected cpu or cuda:N", name));
  return open_cuda(index);
}

}  // namespace headway
