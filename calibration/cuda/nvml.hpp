// The driver's management library: clocks and why they are held down. Loaded when a card is opened,
// only read from: the card's settings stay as they are.
#pragma once

#include <string>

#include "calibration/device.hpp"

namespace headway {

/// Whether reasons for a lowered clock, as NVML's bits (nvmlClocksEventReasons), are of temperature
/// or power: software power cap, hardware slowdown, software and hardware thermal slowdown, power
/// brake. Idle, application clocks and the like are not.
bool held_down(unsigned long long reasons);

/// One card, by its PCI address.
class Nvml {
 public:
  /// `pci_bus_id`: "0000:17:00.0". Where the library or the card is not found, nothing is known of
  /// clocks.
  explicit Nvml(const std::string& pci_bus_id);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  /// The multiprocessors' clock now. Throws DeviceLost where the driver says that the card is gone.
  ClockState clock() const;
  /// "580.65.06"; "": not known.
  std::string driver_version() const;

 private:
  // The functions used, with the types of NVML's C interface.
  using Status = int;
  using Card = void*;
  template <typename Function>
  void load(Function& function, const char* name);

  void* library_ = nullptr;
  Card card_ = nullptr;
  Status (*init_)() = nullptr;
  Status (*shutdown_)() = nullptr;
  Status (*by_pci_)(const char*, Card*) = nullptr;
  Status (*clock_info_)(Card, int, unsigned*) = nullptr;
  Status (*reasons_)(Card, unsigned long long*) = nullptr;
  Status (*driver_)(char*, unsigned) = nullptr;
};

}  // namespace headway
