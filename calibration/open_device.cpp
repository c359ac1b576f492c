#include <fmt/format.h>

#include <charconv>

#include "calibration/cpu/cpu_device.hpp"
#include "calibration/device.hpp"
#ifdef HEADWAY_CUDA_BACKEND
#include "calibration/cuda/cuda_device.hpp"
#endif

namespace headway {

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
#ifdef HEADWAY_CUDA_BACKEND
  return open_cuda_device(index);
#else
  throw CalibrationFailure(
      "no CUDA device: this build has no CUDA backend (the CUDA Toolkit was not found when it was "
      "configured)");
#endif
}

}  // namespace headway
