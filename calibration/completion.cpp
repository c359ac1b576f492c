#include "calibration/completion.hpp"

#include <memory>

#include "calibration/calibration_error.hpp"
#include "calibration/standard_streams.hpp"

namespace headway {

namespace {

using Words = std::vector<std::string>;

constexpr const char* kBash =
    R"script(# bash completion of headway-calibrate. The command itself knows its options and values: it is asked
# for the next word, and answers with candidates, ":files" or ":folders".
_headway_calibrate() {
  local line=${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current=${words[${#words[@]} - 1]} answer
  COMPREPLY=()
  answer=$("${words[0]}" complete "${words[@]:1}" 2>/dev/null) || return 0
  case $answer in
    :files) mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames ;;
    :folders) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    '') ;;
    *) mapfile -t COMPREPLY <<<"$answer" ;;
  esac
}
complete -F _headway_calibrate headway-calibrate
)script";

constexpr const char* kZsh = R"script(#compdef headway-calibrate
# zsh completion of headway-calibrate. The command itself knows its options and values: it is asked
# for the next word, and answers with candidates, ":files" or ":folders".
_headway_calibrate() {
  local -a answer
  answer=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case ${answer[1]} in
    :files) _files ;;
    :folders) _files -/ ;;
    '') ;;
    *) compadd -- "${answer[@]}" ;;
  esac
}
if [[ $funcstack[1] == _headway_calibrate ]]; then
  _headway_calibrate "$@"
else
  compdef _headway_calibrate headway-calibrate
fi
)script";

Words candidates(const CLI::App& tree, const std::vector<Subcommand>& commands,
                 const Words& words) {
  if (words.size() == 1) {
    Words names = subcommand_names(commands);
    for (const std::string& option : option_words(tree)) names.push_back(option);
    return names;
  }
  for (const Subcommand& command : commands) {
    if (command.app->get_name() != words.front()) continue;
    const std::string& before = words[words.size() - 2];
    const CLI::Option* option =
        before.starts_with('-') ? command.app->get_option_no_throw(before) : nullptr;
    std::string key;
    if (option != nullptr && option->get_items_expected_max() > 0)
      key = "--" + option->get_lnames().front();
    else if (words.back().starts_with('-'))
      return option_words(*command.app);
    const auto found = command.words.find(key);
    return found == command.words.end() ? Words{} : found->second();
  }
  return {};
}

}  // namespace

std::vector<std::string> subcommand_names(const std::vector<Subcommand>& commands) {
  Words names;
  for (const Subcommand& command : commands) names.push_back(command.app->get_name());
  return names;
}

std::vector<std::string> option_words(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string completions(const CLI::App& tree, const std::vector<Subcommand>& commands,
                        const Words& words) {
  if (words.empty()) return "";
  std::string text;
  for (const std::string& candidate : candidates(tree, commands, words))
    if (candidate.starts_with(':') || candidate.starts_with(words.back())) text += candidate + "\n";
  return text;
}

Subcommand completion_subcommand(CLI::App& tree) {
  const auto shell = std::make_shared<std::string>();
  CLI::App& app = *tree.add_subcommand("completion", "Print the completion script of a shell");
  app.add_option("SHELL", *shell, "bash or zsh")->required();
  app.footer("Examples:\n  source <(headway-calibrate completion bash)");
  return {
      &app,
      [shell] {
        if (*shell != "bash" && *shell != "zsh")
          throw SampleError("no completion for the shell '" + *shell + "'; expected bash or zsh");
        write_output(*shell == "bash" ? kBash : kZsh);
        return static_cast<int>(kCalibrationFine);
      },
      {{"", [] {
          return Words{"bash", "zsh"};
        }}}};
}

}  // namespace headway
