#include "sim/scenario/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

namespace headway {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

/// A text with its tree, and what is known of the way it is written.
class WrittenTree {
 public:
  explicit WrittenTree(std::string_view text)
      : mark_(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0),
        text_(text.substr(mark_)),
        document_(parse_document(text, "the scenario")) {}

  std::string_view text() const { return text_; }
  const Node& root() const { return document_.root; }

  /// The value at a path that must be there.
  const Node& node(const NodePath& path) const {
    const Node* const found = node_at(root(), path);
    if (!found) throw InputError(path_text(path) + " is not in the scenario");
    return *found;
  }

  [[noreturn]] void refuse(const NodePath& path) const {
    throw InputError(fmt::format(
        "{} cannot be changed in the way in which it is written; expected the change in the text",
        path_text(path)));
  }

  bool is_flow(const Node& node) const {
    return node.at.begin < text_.size() &&
           (text_[node.at.begin] == '{' || text_[node.at.begin] == '[') &&
           (node.kind == Node::Kind::map || node.kind == Node::Kind::list);
  }
  /// A value at the path is inside braces or brackets.
  bool in_flow(const NodePath& path) const {
    for (NodePath above = path; !above.empty();) {
      above.pop_back();
      const Node* const node = node_at(root(), above);
      if (node && is_flow(*node)) return true;
    }
    return false;
  }

  std::size_t line_start(std::size_t at) const {
    const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
  }
  /// Where the line's text ends: before its line break, which may be of two bytes.
  std::size_t line_end(std::size_t at) const {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    return end > at && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
  }
  /// Where the next line starts, or the text ends.
  std::size_t next_line(std::size_t at) const {
    const std::size_t end = text_.find('\n', at);
    return end == std::string_view::npos ? text_.size() : end + 1;
  }
  std::string line_break() const {
    const std::size_t end = text_.find('\n');
    return end != std::string_view::npos && end > 0 && text_[end - 1] == '\r' ? "\r\n" : "\n";
  }
  /// What stands before a byte on its line, with blanks in the place of dashes; nothing where other
  /// text stands there.
  std::optional<std::string> indentation(std::size_t at) const {
    std::string before(text_.substr(line_start(at), at - line_start(at)));
    std::replace(before.begin(), before.end(), '-', ' ');
    if (before.find_first_not_of(' ') != std::string::npos) return {};
    return before;
  }
  bool starts_line(std::size_t at) const {
    const std::string_view before = text_.substr(line_start(at), at - line_start(at));
    return before.find_first_not_of(kBlanks) == std::string_view::npos;
  }

  /// Just after the colon of a key; the key's end where it has none.
  std::size_t after_colon(const Entry& entry) const {
    const std::size_t colon = text_.find_first_not_of(kBlanks, entry.key_at.end);
    return colon < text_.size() && text_[colon] == ':' ? colon + 1 : entry.key_at.end;
  }
  std::size_t end_of(const Entry& entry) const {
    return std::max(after_colon(entry), entry.value.at.end);
  }

  /// The edit, told in bytes of the text as it was given, when it does to the tree what
  /// `change` does.
  TextEdit checked(TextEdit edit, const NodePath& path,
                   const std::function<bool(Node&)>& change) const {
    Node expected = root();
    if (!change(expected)) refuse(path);
    try {
      if (!same_value(parse_document(edited(text_, edit), "").root, expected)) refuse(path);
    } catch (const InputError&) {
      refuse(path);
    }
    edit.begin += mark_;
    edit.end += mark_;
    return edit;
  }

 private:
  std::size_t mark_;
  std::string_view text_;
  Document document_;
};

/// A key of a map, by its path; null where that is an item or not there.
const Entry* entry_at(const WrittenTree& tree, const NodePath& path) {
  if (path.empty()) return nullptr;
  const auto* const key = std::get_if<std::string>(&path.back());
  const Node* const map = key ? node_at(tree.root(), parent_path(path)) : nullptr;
  return map ? map->find_entry(*key) : nullptr;
}

bool reads_back(std::string_view yaml, std::string_view value, bool quoted) {
  try {
    const Node node = parse_value(fmt::format("[{}]", yaml), "");
    return node.kind == Node::Kind::list && node.items.size() == 1 &&
           node.items[0].kind == Node::Kind::scalar && node.items[0].text == value &&
           node.items[0].quoted == quoted;
  } catch (const InputError&) {
    return false;
  }
}

std::string in_quotes(std::string_view value, char quote) {
  std::string yaml(1, quote);
  for (const char letter : value) {
    if (letter == quote) yaml += quote == '"' ? '\\' : '\'';
    if (letter == '\\' && quote == '"') yaml += '\\';
    yaml += letter;
  }
  return yaml + quote;
}

std::string scalar_yaml(std::string_view value, char quote) {
  if (quote == ' ' && reads_back(value, value, false)) return std::string(value);
  return in_quotes(value, quote == ' ' ? '"' : quote);
}

/// What a new key is written as: after the map's last one.
TextEdit added_entry(const WrittenTree& tree, const Node& map, const std::string& entry,
                     const NodePath& path) {
  if (map.entries.empty()) {  // {}
    const std::size_t inside = map.at.begin + 1;
    return {inside, inside, entry};
  }
  const Entry& last = map.entries.back();
  const std::size_t end = tree.end_of(last);
  const auto indentation = tree.indentation(last.key_at.begin);
  if (tree.is_flow(map)) {
    const bool own_line = tree.starts_line(last.key_at.begin) && map.entries.size() > 1;
    const std::string between = own_line ? "," + tree.line_break() + *indentation : ", ";
    return {end, end, between + entry};
  }
  if (!indentation) tree.refuse(path);
  const std::size_t at = tree.line_end(end);
  return {at, at, tree.line_break() + *indentation + entry};
}

/// The edit that puts `yaml` at a path.
TextEdit put(const WrittenTree& tree, const NodePath& path, const std::string& yaml) {
  if (const Node* const node = node_at(tree.root(), path); node && node->kind != Node::Kind::null)
    return {node->at.begin, node->at.end, yaml};
  if (const Entry* const entry = entry_at(tree, path)) {  // a key without a value, or with ~
    const std::size_t colon = tree.after_colon(*entry);
    const std::string before = colon == entry->key_at.end ? ": " : " ";
    std::size_t end = colon;
    for (const std::string_view null : {"~", "null", "Null", "NULL"}) {
      const std::size_t at = tree.text().find_first_not_of(kBlanks, colon);
      if (at < tree.text().size() && tree.text().substr(at).starts_with(null))
        end = at + null.size();
    }
    return {colon, end, before + yaml};
  }
  // The deepest map that is there takes the first missing key, with the others inside its value.
  NodePath above = path;
  std::string value = yaml;
  while (!above.empty()) {
    const auto* const key = std::get_if<std::string>(&above.back());
    if (!key) break;
    const std::string entry = *key + ": " + value;
    above.pop_back();
    const Node* const map = node_at(tree.root(), above);
    if (map && map->kind == Node::Kind::map) return added_entry(tree, *map, entry, path);
    value = "{" + entry + "}";
    if (map) return put(tree, above, value);
  }
  tree.refuse(path);
}

/// Where the dash of an item stands.
std::size_t dash_of(const WrittenTree& tree, const Node& item, const NodePath& path) {
  std::size_t at = item.at.begin;
  while (at > 0 && tree.text()[at - 1] != '-') {
    if (std::string_view(" \t\r\n").find(tree.text()[--at]) == std::string_view::npos)
      tree.refuse(path);
  }
  if (at == 0) tree.refuse(path);
  return at - 1;
}

/// Takes out [begin, end), which is one of several parts of a flow collection.
TextEdit removed_part(std::size_t previous_end, std::size_t begin, std::size_t end,
                      std::size_t next_begin) {
  return next_begin > 0 ? TextEdit{begin, next_begin, ""} : TextEdit{previous_end, end, ""};
}

/// Takes out whole lines, from the one on which `begin` stands to the one on which `end` does.
TextEdit removed_lines(const WrittenTree& tree, std::size_t begin, std::size_t end) {
  TextEdit edit{tree.line_start(begin), tree.next_line(end), ""};
  // The last line of a text without a line break at its end: the one before it goes.
  if (edit.end == tree.text().size() && !tree.text().ends_with('\n') && edit.begin > 0) {
    edit.begin = tree.line_end(tree.line_start(edit.begin - 1));
  }
  return edit;
}

/// The only part of the collection at `parent` goes: `empty` stands in the collection's place.
TextEdit emptied(const WrittenTree& tree, const NodePath& parent, std::size_t begin,
                 std::size_t end, const std::string& empty) {
  const Node& collection = tree.node(parent);
  const Entry* const entry = entry_at(tree, parent);
  if (tree.is_flow(collection)) return {collection.at.begin, collection.at.end, empty};
  if (!entry || tree.line_start(begin) <= entry->key_at.begin)
    return {collection.at.begin, collection.at.end, empty};
  const std::size_t colon = tree.after_colon(*entry);
  const TextEdit lines = removed_lines(tree, begin, end);
  if (lines.begin < colon) return {collection.at.begin, collection.at.end, empty};
  return {colon, lines.end,
          " " + empty + std::string(tree.text().substr(colon, lines.begin - colon))};
}

TextEdit removed_entry(const WrittenTree& tree, const NodePath& path, const std::string& key) {
  const Node& map = tree.node(parent_path(path));
  const auto here = std::find_if(map.entries.begin(), map.entries.end(),
                                 [&](const Entry& entry) { return entry.key == key; });
  const std::size_t begin = here->key_at.begin, end = tree.end_of(*here);
  if (map.entries.size() == 1) return emptied(tree, parent_path(path), begin, end, "{}");
  const auto next = here + 1;
  const std::size_t next_begin = next == map.entries.end() ? 0 : next->key_at.begin;
  if (tree.is_flow(map)) {
    const std::size_t previous_end = here == map.entries.begin() ? 0 : tree.end_of(*(here - 1));
    return removed_part(previous_end, begin, end, next_begin);
  }
  // The first key of an item shares its line with the dash.
  if (!tree.starts_line(begin)) return {begin, next_begin, ""};
  return removed_lines(tree, begin, end);
}

TextEdit removed_item(const WrittenTree& tree, const NodePath& path, std::size_t index) {
  const Node& list = tree.node(parent_path(path));
  const Node& item = list.items[index];
  const bool flow = tree.is_flow(list);
  const std::size_t begin = flow ? item.at.begin : dash_of(tree, item, path), end = item.at.end;
  if (list.items.size() == 1) return emptied(tree, parent_path(path), begin, end, "[]");
  if (!flow) return removed_lines(tree, begin, end);
  return removed_part(index == 0 ? 0 : list.items[index - 1].at.end, begin, end,
                      index + 1 == list.items.size() ? 0 : list.items[index + 1].at.begin);
}

/// The lines of a text, each after the first with `indentation` before it.
std::string indented(std::string_view lines, const std::string& indentation,
                     const std::string& line_break) {
  std::string text;
  for (const char letter : lines) {
    if (letter == '\n')
      text += line_break + indentation;
    else if (letter != '\r')
      text += letter;
  }
  return text;
}

}  // namespace

std::string edited(std::string_view text, const TextEdit& edit) {
  std::string result(text.substr(0, edit.begin));
  result += edit.text;
  return result += text.substr(edit.end);
}

TextEdit set_scalar(std::string_view text, const NodePath& path, std::string_view value,
                    Quotes quotes) {
  const WrittenTree tree(text);
  std::string yaml(value);
  if (quotes == Quotes::as_found) {
    const Node* const old = node_at(tree.root(), path);
    const bool scalar = old && old->kind == Node::Kind::scalar;
    yaml = scalar_yaml(value, scalar && old->quoted ? tree.text()[old->at.begin] : ' ');
    // Commas and brackets need no quotes where no flow collection is around.
    if (scalar && !old->quoted && !tree.in_flow(path) && yaml.starts_with('"')) {
      const TextEdit plain{old->at.begin, old->at.end, std::string(value)};
      Node expected;
      expected.kind = Node::Kind::scalar;
      expected.text = value;
      try {
        return tree.checked(plain, path,
                            [&](Node& root) { return put_value(root, path, expected); });
      } catch (const InputError&) {
        // quotes are needed
      }
    }
  }
  return set_value(text, path, yaml);
}

TextEdit set_value(std::string_view text, const NodePath& path, std::string_view yaml) {
  const WrittenTree tree(text);
  const Node value = parse_value(yaml, path_text(path));
  return tree.checked(put(tree, path, std::string(yaml)), path,
                      [&](Node& root) { return put_value(root, path, value); });
}

TextEdit replace_entry(std::string_view text, const NodePath& path, std::string_view key,
                       std::string_view yaml) {
  const WrittenTree tree(text);
  const Entry* const entry = entry_at(tree, path);
  if (!entry) tree.refuse(path);
  const Node value = parse_value(yaml, path_text(path));
  const TextEdit edit{entry->key_at.begin, tree.end_of(*entry), fmt::format("{}: {}", key, yaml)};
  return tree.checked(edit, path, [&](Node& root) {
    const std::string& old_key = std::get<std::string>(path.back());
    for (Entry& each : node_at(root, parent_path(path))->entries)
      if (each.key == old_key) each = {std::string(key), {}, value};
    return true;
  });
}

TextEdit remove_value(std::string_view text, const NodePath& path) {
  const WrittenTree tree(text);
  tree.node(path);
  if (path.empty()) tree.refuse(path);
  if (const auto* const key = std::get_if<std::string>(&path.back()))
    return tree.checked(removed_entry(tree, path, *key), path, [&](Node& root) {
      std::erase_if(node_at(root, parent_path(path))->entries,
                    [&](const Entry& entry) { return entry.key == *key; });
      return true;
    });
  const std::size_t index = std::get<std::size_t>(path.back());
  return tree.checked(removed_item(tree, path, index), path, [&](Node& root) {
    auto& items = node_at(root, parent_path(path))->items;
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  });
}

TextEdit add_item_after(std::string_view text, const NodePath& path, std::string_view yaml) {
  const WrittenTree tree(text);
  const Node& item = tree.node(path);
  if (path.empty() || !std::holds_alternative<std::size_t>(path.back())) tree.refuse(path);
  const Node& list = tree.node(parent_path(path));
  TextEdit edit{item.at.end, item.at.end, fmt::format(", {}", yaml)};
  if (!tree.is_flow(list)) {
    const std::size_t dash = dash_of(tree, item, path);
    const auto indentation = tree.indentation(dash);
    if (!indentation) tree.refuse(path);
    edit.begin = edit.end = tree.line_end(item.at.end);
    const std::string line_break = tree.line_break();
    edit.text = line_break + *indentation + "- " + indented(yaml, *indentation + "  ", line_break);
  }
  const Node value = parse_value(yaml, path_text(path));
  return tree.checked(edit, path, [&](Node& root) {
    auto& items = node_at(root, parent_path(path))->items;
    items.insert(
        items.begin() + static_cast<std::ptrdiff_t>(std::get<std::size_t>(path.back())) + 1, value);
    return true;
  });
}

std::string item_text(std::string_view text, const NodePath& path) {
  const WrittenTree tree(text);
  const Node& item = tree.node(path);
  const std::string_view written = tree.text().substr(item.at.begin, item.at.end - item.at.begin);
  const std::size_t column = item.at.begin - tree.line_start(item.at.begin);
  std::string lines;
  for (std::size_t at = 0; at < written.size();) {
    const std::size_t end = std::min(written.find('\n', at), written.size());
    std::string_view line = written.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (at > 0) {
      lines += '\n';
      const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
      line.remove_prefix(std::min(blanks, column));
    }
    lines += line;
    at = end + 1;
  }
  return lines;
}

}  // namespace headway
