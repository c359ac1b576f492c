#include "sim/cli/completion_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/catalog.hpp"
#include "sim/cli/arguments.hpp"
#include "sim/cli/completion_scripts.hpp"
#include "sim/cli/list_command.hpp"
#include "sim/scenario/document.hpp"
#include "sim/scenario/reference.hpp"

namespace headway {

namespace {

using Words = std::vector<std::string>;

Words names_in(const Document& document, const char* list, const char* name_key) {
  Words names;
  const Node* const items = document.root.find(list);
  if (items == nullptr) return names;
  for (const Node& item : items->items) {
    if (const Node* const name = item.find(name_key)) names.push_back(name->text);
  }
  return names;
}

// Paths and values of --set; items by the names of the scenario on the line, if it can be read.
Words set_words(const std::string& current, const Words& words) {
  std::optional<ItemNames> names;
  for (const std::string& word : words) {
    if (!word.ends_with(".yaml") && !word.ends_with(".yml")) continue;
    try {
      const Document document = parse_document(read_scenario_file(word), word);
      names = {names_in(document, "workload", "class"), names_in(document, "fleet", "pool"),
               names_in(document, "tenants", "tenant"), names_in(document, "stores", "store")};
    } catch (const std::exception&) {
      continue;  // the names stay general
    }
  }
  const Words paths = set_paths(names);
  const std::size_t equals = current.find('=');
  Words candidates;
  if (equals != std::string::npos) {
    const std::string path = current.substr(0, equals);
    for (const std::string& value : bare_values_at(path, names.value_or(ItemNames{})))
      candidates.push_back(path + "=" + value);
    return candidates;
  }
  // One part of the path at a time: "fleet." before "fleet.main.".
  std::set<std::string> parts;
  for (const std::string& path : paths) {
    if (!path.starts_with(current)) continue;
    const std::size_t dot = path.find('.', current.size());
    parts.insert(dot == std::string::npos ? path + "=" : path.substr(0, dot + 1));
  }
  return {parts.begin(), parts.end()};
}

Words value_words(const std::string& option, const std::string& current, const Words& words) {
  if (option == "--set") return set_words(current, words);
  if (option == "--out" || option == "--data") return {":folders"};
  if (option == "--repeated" || option == "--as") return {":files"};
  if (option == "--gpu") return gpu_names();
  if (option == "--model") return model_names();
  if (option == "--engine" && words.front() == "fit") return engine_names();
  Words candidates;
  for (const auto& [name, path] :
       {std::pair("--engine", "run.engine"), std::pair("--stepping", "run.stepping")})
    if (option == name)
      for (const Schema::Word& word : words_at(path)) candidates.push_back(word.name);
  return candidates;
}

Words argument_words(const std::string& command) {
  if (command == "run" || command == "check" || command == "fit") return {":files"};
  if (command == "list") return list_topics();
  if (command == "completion") return {"bash", "zsh"};
  return {};
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = word.starts_with("--") ? command.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_max() > 0;
}

Words candidates_for(const CLI::App& tree, const Words& words) {
  const std::string& current = words.back();
  if (words.size() == 1) {
    Words names = command_names(tree);
    for (const std::string& option : option_names(tree)) names.push_back(option);
    return names;
  }
  const CLI::App* command = find_command(tree, words.front());
  if (command == nullptr) return {};
  if (!command_names(*command).empty())
    return candidates_for(*command, Words(words.begin() + 1, words.end()));
  if (takes_value(*command, words[words.size() - 2]))
    return value_words(words[words.size() - 2], current, words);
  if (current.starts_with('-')) return option_names(*command);
  return argument_words(command->get_name());
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBashCompletion;
  if (shell == "zsh") return kZshCompletion;
  throw InputError("no completion for the shell '" + shell + "'; expected bash or zsh");
}

std::string completions(const CLI::App& tree, const Words& words) {
  if (words.empty()) return "";
  std::string text;
  for (const std::string& candidate : candidates_for(tree, words))
    if (candidate.starts_with(':') || candidate.starts_with(words.back())) text += candidate + "\n";
  return text;
}

}  // namespace headway
