// The arguments of each subcommand, and the tree of options that parses, helps and completes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

namespace headway {

struct RunArguments {
  std::string scenario, as;
  std::vector<std::string> sets;
  std::string seed, engine, stepping;  // as given, "" = the scenario's
  std::string out;
  bool json = false, protocol = false, quiet = false, assert_slo = false;
  std::string time_limit, memory_limit;
};

struct CheckArguments {
  std::string scenario, as;
  std::vector<std::string> sets;
  bool json = false;
};

struct ValidateArguments {
  std::vector<std::string> groups;  // empty: all
  std::string data, out, jobs, require;
  bool rows = false, quiet = false;
};

struct EngineFitArguments {
  std::vector<std::string> results, repeated;
  std::string rows, out;
  std::string engine, model, gpu, precision, tensor, max_num_seqs, max_num_batched_tokens;
  std::string jobs;
  bool quiet = false;
};

struct Arguments {
  RunArguments run;
  CheckArguments check;
  ValidateArguments validate;
  EngineFitArguments engine_fit;
  std::string list_topic;
  std::string shell;
};

/// The command's tree of options, bound to `arguments`.
std::unique_ptr<CLI::App> command_tree(Arguments& arguments);

/// The subcommand of that name, or nullptr.
const CLI::App* find_command(const CLI::App& tree, const std::string& name);

/// Names of the subcommands that are for people; those of a subcommand that has some itself.
std::vector<std::string> command_names(const CLI::App& tree);

/// "--set", "--out", …
std::vector<std::string> option_names(const CLI::App& command);

/// Parses; throws InputError for wrong arguments, with the nearest valid word, and CLI::CallForHelp
/// or CLI::CallForVersion. Returns the subcommand chosen, the innermost.
CLI::App* parse_arguments(CLI::App& tree, int argc, char** argv);

}  // namespace headway
