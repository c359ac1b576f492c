// The rates that `check` ends with: each beside what bounds it.
#include "calibration/setup_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/calibration/scripted_device.hpp"

namespace headway {
namespace {

using testing::HasSubstr;
using testing::Not;

class NamedDevice : public ScriptedDevice {
 public:
  NamedDevice(ScriptedClock& clock, const std::string& gpu) : ScriptedDevice(clock) {
    named_.gpu = gpu;
    named_.device = "scripted";
  }
  const DeviceIdentity& identity() const override { return named_; }

 private:
  DeviceIdentity named_;
};

CheckedOperator passed(const std::string& op, double flops_per_second, double bytes_per_second) {
  CheckedOperator checked;
  checked.point.op = op;
  checked.point.format = "bf16";
  if (op == "attention_decode") checked.point.kv = "bf16";
  checked.passed = true;
  checked.flops_per_second = flops_per_second;
  checked.bytes_per_second = bytes_per_second;
  return checked;
}

SetupCheck check_of_a_card() {
  SetupCheck check;
  check.copy_bytes_per_second = 3e12;
  check.operators = {passed("copy", 0, 3e12), passed("gemm", 2e14, 1e12),
                     passed("gemm", 7e14, 1e12), passed("attention_decode", 1e13, 2.4e12)};
  return check;
}

TEST(SetupCheck, RatesOfACardOfTheCatalogueStandBesideItsDataSheet) {
  ScriptedClock clock;
  const NamedDevice device(clock, "h100-sxm-80gb");
  const std::vector<CheckedRate> rates = checked_rates(device, check_of_a_card());
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_DOUBLE_EQ(rates[0].ceiling, 3.35e12);
  EXPECT_DOUBLE_EQ(rates[1].measured, 7e14);  // the best of the products
  EXPECT_DOUBLE_EQ(rates[1].ceiling, 989.4e12);
  EXPECT_DOUBLE_EQ(rates[2].ceiling, 3e12);  // decodes read at most as fast as copies
  EXPECT_THAT(setup_text(device, check_of_a_card()), HasSubstr("80 % of the copy's"));
}

TEST(SetupCheck, ADeviceThatTheCatalogueHasNotHasNoDataSheet) {
  ScriptedClock clock;
  const NamedDevice device(clock, "");
  const std::vector<CheckedRate> rates = checked_rates(device, check_of_a_card());
  EXPECT_DOUBLE_EQ(rates[0].ceiling, 0);
  EXPECT_THAT(setup_text(device, check_of_a_card()), Not(HasSubstr("data sheet")));
}

}  // namespace
}  // namespace headway
