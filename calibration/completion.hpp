// Shell completion of headway-calibrate.
#pragma once

#include <string>
#include <vector>

#include "calibration/subcommand.hpp"

namespace headway {

/// Names of the subcommands.
std::vector<std::string> subcommand_names(const std::vector<Subcommand>& commands);

/// "--gpu", "--output", …
std::vector<std::string> option_words(const CLI::App& command);

/// Candidates for the last of the words that follow the program's name, one a line; or ":files" or
/// ":folders".
std::string completions(const CLI::App& tree, const std::vector<Subcommand>& commands,
                        const std::vector<std::string>& words);

/// `completion`: prints the completion script of a shell.
Subcommand completion_subcommand(CLI::App& tree);

}  // namespace headway
