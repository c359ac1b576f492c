#include "calibration/cuda/nvml.hpp"

#include <dlfcn.h>

#include <array>

#include "calibration/cuda/cuda_call.hpp"

namespace headway {

namespace {

constexpr int kSuccess = 0, kGpuIsLost = 15;
constexpr int kMultiprocessorClock = 1;  // NVML_CLOCK_SM

}  // namespace

bool held_down(unsigned long long reasons) {
  constexpr unsigned long long kPowerCap = 0x4, kSlowdown = 0x8, kThermal = 0x20,
                               kHardwareThermal = 0x40, kPowerBrake = 0x80;
  return (reasons & (kPowerCap | kSlowdown | kThermal | kHardwareThermal | kPowerBrake)) != 0;
}

template <typename Function>
void Nvml::load(Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library_, name));
}

Nvml::Nvml(const std::string& pci_bus_id) {
  library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  load(init_, "nvmlInit_v2");
  load(shutdown_, "nvmlShutdown");
  load(by_pci_, "nvmlDeviceGetHandleByPciBusId_v2");
  load(clock_info_, "nvmlDeviceGetClockInfo");
  load(reasons_, "nvmlDeviceGetCurrentClocksEventReasons");
  if (reasons_ == nullptr) load(reasons_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  load(driver_, "nvmlSystemGetDriverVersion");
  if (init_ == nullptr || by_pci_ == nullptr || init_() != kSuccess) {
    init_ = nullptr;
    return;
  }
  if (by_pci_(pci_bus_id.c_str(), &card_) != kSuccess) card_ = nullptr;
}

Nvml::~Nvml() {
  if (init_ != nullptr && shutdown_ != nullptr) shutdown_();
  if (library_ != nullptr) ::dlclose(library_);
}

ClockState Nvml::clock() const {
  ClockState state;
  if (card_ == nullptr) return state;
  unsigned megahertz = 0;
  const Status status =
      clock_info_ != nullptr ? clock_info_(card_, kMultiprocessorClock, &megahertz) : kSuccess;
  if (status == kGpuIsLost) lose_device("the driver says that the GPU is lost");
  if (status == kSuccess) state.hz = 1e6 * megahertz;
  unsigned long long reasons = 0;
  if (reasons_ != nullptr && reasons_(card_, &reasons) == kSuccess)
    state.throttled = held_down(reasons);
  return state;
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (init_ == nullptr || driver_ == nullptr ||
      driver_(text.data(), static_cast<unsigned>(text.size())) != kSuccess)
    return "";
  return text.data();
}

}  // namespace headway
