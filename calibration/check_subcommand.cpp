// `check`: proves that a device can be measured.
#include <memory>

#include "calibration/device.hpp"
#include "calibration/interruption.hpp"
#include "calibration/setup_check.hpp"
#include "calibration/standard_streams.hpp"
#include "calibration/subcommand.hpp"

namespace headway {

Subcommand check_subcommand(CLI::App& tree) {
  const auto name = std::make_shared<std::string>("cpu");
  CLI::App& app =
      *tree.add_subcommand("check", "Prove, in a minute, that a device can be\nmeasured");
  app.add_option("--device", *name, "cpu, cuda:0, …")->type_name("NAME")->capture_default_str();
  app.footer(
      "Examples:\n"
      "  headway-calibrate check --device cpu\n"
      "\n"
      "Runs each operator in the sizes of one layer, compares it with a reference,\n"
      "and tells its rates. Exit code 1: a result is wrong; 3: no such device.");
  return {&app,
          [name] {
            const std::unique_ptr<MeasuringDevice> device = open_device(*name);
            const Interruption interruption;
            const SetupCheck check = check_setup(*device, [] { return Interruption::requested(); });
            write_output(setup_text(*device, check));
            return static_cast<int>(check.passed() ? kCalibrationFine : kCalibrationNo);
          },
          {{"--device", [] {
              return std::vector<std::string>{"cpu", "cuda:0"};
            }}}};
}

}  // namespace headway
