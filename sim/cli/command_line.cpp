#include "sim/cli/command_line.hpp"

#include <fcntl.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <new>

#include "models/model_error.hpp"
#include "sim/cli/arguments.hpp"
#include "sim/cli/check_command.hpp"
#include "sim/cli/completion_command.hpp"
#include "sim/cli/engine_command.hpp"
#include "sim/cli/list_command.hpp"
#include "sim/cli/run_command.hpp"
#include "sim/cli/standard_output.hpp"
#include "sim/cli/validate_command.hpp"
#include "sim/report/version.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/scenario/reference.hpp"

namespace headway {

namespace {

int dispatch(const CLI::App& tree, const std::string& command, const Arguments& arguments) {
  if (command == "run") return run_command(arguments.run);
  if (command == "check") return check_command(arguments.check);
  if (command == "validate") return validate_command(arguments.validate);
  if (command == "fit") return engine_fit_command(arguments.engine_fit);
  if (command == "list") {
    print(list_text(arguments.list_topic));
  } else if (command == "reference") {
    print(scenario_reference());
  } else if (command == "completion") {
    print(completion_script(arguments.shell));
  } else {
    print(completions(tree, tree.get_subcommand("complete")->remaining()));
  }
  return kFine;
}

int parse_and_dispatch(int argc, char** argv) {
  Arguments arguments;
  const std::unique_ptr<CLI::App> tree = command_tree(arguments);
  try {
    const CLI::App* command = parse_arguments(*tree, argc, argv);
    return dispatch(*tree, command->get_name(), arguments);
  } catch (const CLI::CallForHelp&) {
    print(tree->help());
  } catch (const CLI::CallForVersion&) {
    print(std::string("headway ") + kVersion + "\n");
  }
  return kFine;
}

// Where the caller closed one of the first three descriptors, the next file opened would take its
// place, and whatever a library prints would go into it. Nothing can be written to what stands
// here.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

}  // namespace

int command_line(int argc, char** argv) {
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return parse_and_dispatch(argc, argv);
  } catch (const InputError& error) {
    print_error(error.what());
    return kWrongInput;
  } catch (const ModelError& error) {
    print_error(error.what());
    return kWrongInput;
  } catch (const RunError& error) {
    print_error(error.what());
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
  } catch (const std::exception& error) {
    print_error(std::string("internal error: ") + error.what());
  }
  return kFailed;
}

}  // namespace headway
