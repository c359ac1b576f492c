#include "calibration/command_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <new>

#include "calibration/calibration_error.hpp"
#include "calibration/completion.hpp"
#include "calibration/standard_streams.hpp"
#include "calibration/subcommand.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

constexpr const char* kOverview =
    "Measures what a GPU, or this CPU, takes for the operators of a model, and makes\n"
    "the profile that `headway` takes its step times from.\n";

constexpr const char* kFooter =
    "Examples:\n"
    "  headway-calibrate check --device cpu\n"
    "  headway-calibrate run --device cuda:0 --model llama-3.1-8b --budget 5min \\\n"
    "    -o h100.samples\n"
    "  headway-calibrate profile h100.samples --gpu h100-sxm \\\n"
    "    --engine headway-0.1.0 --format bf16 -o bf16.json\n"
    "  headway-calibrate import tables/h100_sxm --gpu h100-sxm-80gb \\\n"
    "    --engine \"vllm 0.24.0\" -o h100.samples\n"
    "\n"
    "Exit codes: 0 fine, 1 the answer is no, 2 wrong input, 3 failed.\n"
    "`headway-calibrate COMMAND --help` has the options and examples of each.";

// An option without a value is no option left out: that of an empty variable.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "an empty value" : "";
}

class CommandTree {
 public:
  CommandTree() : tree_(kOverview, "headway-calibrate") {
    tree_.set_version_flag("--version", "headway-calibrate " HEADWAY_VERSION, "Print the version");
    tree_.set_help_flag("-h,--help", "Print this help");
    tree_.require_subcommand(0, 1);
    tree_.footer(kFooter);
    commands_.push_back(check_subcommand(tree_));
    commands_.push_back(run_subcommand(tree_));
    commands_.push_back(import_subcommand(tree_));
    commands_.push_back(profile_subcommand(tree_));
    commands_.push_back(completion_subcommand(tree_));
    for (const Subcommand& command : commands_) {
      command.app->set_help_flag("-h,--help", "Print this help");
      command.app->allow_extras();
      for (CLI::Option* option : command.app->get_options())
        if (option->get_items_expected_max() > 0) option->check(refuse_empty);
    }
    // What the completion scripts ask; not for people.
    tree_.add_subcommand("complete", "")->group("")->prefix_command();
  }

  int run(int argc, char** argv);

 private:
  const Subcommand* find(const std::string& name) const {
    for (const Subcommand& command : commands_)
      if (command.app->get_name() == name) return &command;
    return nullptr;
  }
  void check_command_word(int argc, char** argv) const;
  void check_rest(const CLI::App& command) const;

  CLI::App tree_;
  std::vector<Subcommand> commands_;
};

std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

// Before the parser's own, less helpful, message: a first word that is no command.
void CommandTree::check_command_word(int argc, char** argv) const {
  const std::vector<std::string> names = subcommand_names(commands_);
  if (argc < 2)
    throw SampleError(fmt::format("no command given; expected {} (headway-calibrate --help)",
                                  fmt::join(names, ", ")));
  const std::string word = argv[1];
  if (word == "complete" || word == "-h" || find(word) != nullptr) return;
  if (word.starts_with('-')) {
    const std::vector<std::string> options = option_words(tree_);
    for (const std::string& name : options)
      if (name == word) return;
    throw SampleError(fmt::format("unknown option {}{}", word, suggestion(word, options)));
  }
  const std::string nearest = suggestion(word, names);
  throw SampleError(fmt::format(
      "unknown command '{}'{}", word,
      nearest.empty() ? fmt::format("; expected {}", fmt::join(names, ", ")) : nearest));
}

void CommandTree::check_rest(const CLI::App& command) const {
  const std::vector<std::string> rest = command.remaining();
  for (const std::string& word : rest)
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      throw SampleError(fmt::format("unknown option {} of headway-calibrate {}{}", name,
                                    command.get_name(), suggestion(name, option_words(command))));
    }
  if (!rest.empty())
    throw SampleError(fmt::format("unexpected argument '{}' of headway-calibrate {}", rest.front(),
                                  command.get_name()));
}

int CommandTree::run(int argc, char** argv) {
  check_command_word(argc, argv);
  try {
    tree_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_output(tree_.help());
    return kCalibrationFine;
  } catch (const CLI::CallForVersion&) {
    write_output("headway-calibrate " HEADWAY_VERSION "\n");
    return kCalibrationFine;
  } catch (const CLI::ParseError& error) {
    const auto chosen = tree_.get_subcommands();
    // A misspelt option is the likely reason for what the parser misses.
    if (!chosen.empty()) check_rest(*chosen.front());
    throw SampleError(fmt::format("{}{}", error.what(),
                                  chosen.empty() ? ""
                                                 : fmt::format(" (headway-calibrate {} --help)",
                                                               chosen.front()->get_name())));
  }
  const CLI::App& chosen = *tree_.get_subcommands().front();
  if (chosen.get_name() == "complete") {
    write_output(completions(tree_, commands_, chosen.remaining()));
    return kCalibrationFine;
  }
  check_rest(chosen);
  return find(chosen.get_name())->run();
}

// Where the caller closed one of the first three descriptors, the next file opened would take its
// place, and whatever is printed would go into it.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

}  // namespace

int calibrate_command_line(int argc, char** argv) {
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return CommandTree().run(argc, argv);
  } catch (const ModelError& error) {
    write_message(error.what());
    return kCalibrationInput;
  } catch (const CalibrationFailure& error) {
    write_message(error.what());
  } catch (const std::bad_alloc&) {
    write_message("out of memory");
  } catch (const std::exception& error) {
    write_message(std::string("internal error: ") + error.what());
  }
  return kCalibrationFailed;
}

}  // namespace headway
