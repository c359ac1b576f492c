#include "gui/window/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <cstring>

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

/// A platform of Qt's that needs a display was not asked for by name, and there is none.
bool has_display(int argc, char** argv) {
  const auto given = [](const char* variable) { return !qEnvironmentVariableIsEmpty(variable); };
  const bool named = std::any_of(argv + 1, argv + argc, [](const char* argument) {
    return std::strncmp(argument, "-platform", 9) == 0 ||
           std::strncmp(argument, "--platform", 10) == 0;
  });
  return named || given("QT_QPA_PLATFORM") || given("DISPLAY") || given("WAYLAND_DISPLAY");
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

/// The arguments, and the options that read them.
struct Arguments {
  std::string scenario, export_folder;
  CLI::App app{"What if? Change a value of a scenario and see what comes of it.", "headway-gui"};
  CLI::Option* export_option = nullptr;

  Arguments() {
    app.set_version_flag("--version", std::string("headway-gui ") + kVersion, "Print the version");
    app.set_help_flag("-h,--help", "Print this help");
    app.add_option("SCENARIO", scenario, "Scenario file (YAML) to open");
    export_option = app.add_option("--export", export_folder,
                                   "Run the scenario, and write its table and\nplots (CSV, PNG, "
                                   "SVG) there; needs no display")
                        ->type_name("DIR");
    app.footer(kFooter);
  }

  /// Before Qt has taken its options out, what is not known may be one of them.
  void parse(int argc, char** argv, bool with_those_of_qt) {
    scenario.clear();
    export_folder.clear();
    app.allow_extras(with_those_of_qt);
    app.parse(argc, argv);
  }
  bool exporting() const { return export_option->count() > 0; }
};

int run(Arguments& arguments, int argc, char** argv) {
  arguments.parse(argc, argv, true);
  if (arguments.exporting()) qputenv("QT_QPA_PLATFORM", "offscreen");
  // Qt would end the process.
  if (!has_display(argc, argv))
    return fail("no display to open a window on; expected DISPLAY or WAYLAND_DISPLAY", kFailed);
  QApplication application(argc, argv);
  arguments.parse(argc, argv, false);
  if (arguments.exporting() && (arguments.scenario.empty() || arguments.export_folder.empty()))
    return fail("--export needs a SCENARIO and a folder (headway-gui --help)", kWrongInput);
  QApplication::setOrganizationName(QStringLiteral("headway"));
  QApplication::setApplicationName(QStringLiteral("headway"));
  QApplication::setApplicationDisplayName(QStringLiteral("Headway"));
  if (!arguments.exporting()) return open_window(arguments.scenario);
  export_results(arguments.scenario, arguments.export_folder);
  return 0;
}

}  // namespace

int desktop_command_line(int argc, char** argv) {
  Arguments arguments;
  try {
    return run(arguments, argc, argv);
  } catch (const CLI::Success& success) {
    return arguments.app.exit(success);
  } catch (const CLI::ParseError& error) {
    return fail(std::string(error.what()) + " (headway-gui --help)", kWrongInput);
  } catch (const InputError& error) {
    return fail(error.what(), kWrongInput);
  } catch (const std::exception& error) {
    return fail(error.what(), kFailed);
  }
}

}  // namespace headway
