// headway completion, and `headway complete`, which the scripts ask.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace headway {

/// The completion script of a shell: the text of sim/cli/completion/headway (bash) or _headway
/// (zsh). Throws InputError for another shell.
std::string completion_script(const std::string& shell);

/// What may stand in place of the last of `words`, one candidate a line: `words` is what follows
/// "headway" on the line so far, the last one unfinished or empty. ":files" and ":folders" stand
/// for scenario files and folders. Empty where nothing is known.
std::string completions(const CLI::App& tree, const std::vector<std::string>& words);

}  // namespace headway
