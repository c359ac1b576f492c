#include "gui/window/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <cstdio>

#include "gui/results/export_command.hpp"
#include "gui/window/main_window.hpp"
#include "sim/report/version.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

constexpr int kWrongInput = 2, kFailed = 3;

constexpr const char* kFooter =
    "Examples:\n"
    "  headway-gui\n"
    "  headway-gui scenarios/chatbot.yaml\n"
    "  headway-gui scenarios/chatbot.yaml --export plots\n"
    "\n"
    "Options of Qt, such as -platform offscreen, may follow.\n"
    "Exit codes: 0 fine, 2 wrong input, 3 failed.";

int fail(const std::string& message, int code) {
  fmt::print(stderr, "headway-gui: {}\n", message);
  return code;
}

int open_window(const std::string& scenario) {
  MainWindow window;
  window.restore_layout();
  if (!scenario.empty()) {
    read_scenario_file(scenario);  // a file that cannot be read opens no window
    window.open_file(QString::fromStdString(scenario));
  }
  window.show();
  return QApplication::exec();
}

}  // namespace

int desktop_command_line(int argc, char** argv) {
  CLI::App app("What if? Change a value of a scenario and see what comes of it.", "headway-gui");
  std::string scenario, folder;
  app.set_version_flag("--version", std::string("headway-gui ") + kVersion, "Print the version");
  app.set_help_flag("-h,--help", "Print this help");
  app.add_option("SCENARIO", scenario, "Scenario file (YAML) to open");
  CLI::Option* export_option =
      app.add_option("--export", folder,
                     "Run the scenario, and write its table and its plots\n(CSV, PNG, SVG) there; "
                     "needs no display")
          ->type_name("DIR");
  app.footer(kFooter);
  app.allow_extras();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + " (headway-gui --help)", kWrongInput);
  }
  const bool exporting = export_option->count() > 0;
  if (exporting && (scenario.empty() || folder.empty()))
    return fail("--export needs a SCENARIO and a folder (headway-gui --help)", kWrongInput);
  if (exporting) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("headway"));
  QApplication::setApplicationName(QStringLiteral("headway"));
  QApplication::setApplicationDisplayName(QStringLiteral("Headway"));
  try {
    if (!exporting) return open_window(scenario);
    export_results(scenario, folder);
    return 0;
  } catch (const InputError& error) {
    return fail(error.what(), kWrongInput);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}

}  // namespace headway
