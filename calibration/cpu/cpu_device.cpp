#include "calibration/cpu/cpu_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <fstream>
#include <string>

#include "calibration/cpu/cpu_operator.hpp"
#include "calibration/operator_form.hpp"

namespace headway {

namespace {

constexpr double kVerifySeconds = 10;  // a point whose single run takes longer is not measured

// "AMD EPYC", as Linux names it; "CPU" where it does not.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";
}

class CpuDevice : public MeasuringDevice {
 public:
  CpuDevice() {
    identity_.gpu = "cpu";
    identity_.device = processor_name();
    identity_.engine = "headway-cpu " HEADWAY_VERSION;
    identity_.driver =
        fmt::format("Eigen {}.{}.{}, {}, one core", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                    EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
    const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                          static_cast<double>(::sysconf(_SC_PAGESIZE));
    limit_ = std::min(2.0 * (1 << 30), memory / 4);
  }

  const DeviceIdentity& identity() const override { return identity_; }
  std::vector<std::string> formats() const override { return {"bf16"}; }
  std::vector<std::string> kv_formats() const override { return {"bf16"}; }
  double memory_limit_bytes() const override { return limit_; }
  ClockState clock() override { return {}; }

  std::unique_ptr<PreparedOperator> prepare(const OperatorPoint& point) override {
    std::unique_ptr<CpuOperator> prepared = make(point);
    prepared->verify(kVerifySeconds);
    return prepared;
  }

 private:
  std::unique_ptr<CpuOperator> make(const OperatorPoint& point) const {
    std::string key;
    const std::string fault = point_fault(point, key);
    if (!fault.empty()) throw PointError(PointFault::unsupported, fault);
    if (point.format != "bf16" || (!point.kv.empty() && point.kv != "bf16"))
      throw PointError(PointFault::unsupported,
                       fmt::format("{} on a CPU; it has bf16", point_text(point)));
    if (point.op == "gemm") return make_cpu_gemm(point, limit_);
    if (point.op == "moe") return make_cpu_moe(point, limit_);
    if (point.op.starts_with("attention_")) return make_cpu_attention(point, limit_);
    if (point.width > 0 || point.op == "copy") return make_cpu_elementwise(point, limit_);
    throw PointError(PointFault::unsupported, fmt::format("{} on a CPU", point.op));
  }

  DeviceIdentity identity_;
  double limit_ = 0;
};

}  // namespace

std::unique_ptr<MeasuringDevice> open_cpu_device() {
  return std::make_unique<CpuDevice>();
}

}  // namespace headway
