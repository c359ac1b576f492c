#include "sim/scenario/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/model_error.hpp"

namespace headway {

std::string shown(const std::string& text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string suggestion(const std::string& word, const std::vector<std::string>& words) {
  const std::string near = nearest_word(shown(word), words);
  if (!near.empty()) return fmt::format("; did you mean '{}'?", near);
  return fmt::format("; expected one of: {}", fmt::join(words, ", "));
}

bool needs_no_value(const Schema& schema) {
  return schema.kind == Schema::Kind::record &&
         std::none_of(schema.fields.begin(), schema.fields.end(),
                      [](const Field& field) { return field.required; });
}

namespace {

std::vector<std::string> word_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& word : schema.words) names.push_back(word.name);
  return names;
}

}  // namespace

std::string expectation(const Schema& schema) {
  switch (schema.kind) {
    case Schema::Kind::number: {
      std::string text = schema.whole ? "a whole number" : "a number";
      if (schema.dimension != Dimension::count && schema.dimension != Dimension::fraction)
        text += fmt::format(" with a unit of: {}", fmt::join(unit_names(schema.dimension), ", "));
      for (const auto& word : schema.words) text += fmt::format(", or '{}'", word.name);
      return text;
    }
    case Schema::Kind::text:
      return "a text";
    case Schema::Kind::word:
      return schema.words.size() == 1
                 ? schema.words[0].name
                 : fmt::format("one of: {}", fmt::join(word_names(schema), ", "));
    case Schema::Kind::record:
      return schema.fields.empty() ? "{}"
                                   : fmt::format("keys of: {}", fmt::join(schema.keys(), ", "));
    case Schema::Kind::list:
      return "a list of items that each start with '- '";
    case Schema::Kind::one_of: {
      std::vector<std::string> names;
      for (const Field& member : schema.fields)
        names.push_back(needs_no_value(*member.schema) ? member.key
                                                       : fmt::format("{{{}: …}}", member.key));
      std::string text = fmt::format("one of: {}", fmt::join(names, ", "));
      return schema.bare ? text + ", or " + expectation(*schema.bare) : text;
    }
  }
  return "";
}

namespace {

class Reader {
 public:
  Reader(const Document& document, const std::filesystem::path& base)
      : document_(document), base_(base) {}

  void read(const Schema& schema, const Node& node, const Target& target,
            const std::string& path) const {
    if (node.kind == Node::Kind::null)
      document_.fail(node.at,
                     fmt::format("{} has no value; expected {}", named(path), expectation(schema)));
    switch (schema.kind) {
      case Schema::Kind::number:
        read_number(schema, node, target, path);
        break;
      case Schema::Kind::text:
        read_text(schema, node, target, path);
        break;
      case Schema::Kind::word:
        read_word(schema, node, target, path);
        break;
      case Schema::Kind::record:
        read_record(schema, node, target, path);
        break;
      case Schema::Kind::list:
        read_list(schema, node, target, path);
        break;
      case Schema::Kind::one_of:
        read_one_of(schema, node, target, path);
        break;
    }
    if (schema.finish) schema.finish(target, node, document_);
  }

 private:
  static std::string named(const std::string& path) { return path.empty() ? "the scenario" : path; }
  static std::string join(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  [[noreturn]] void refuse(const Schema& schema, const Node& node, const std::string& path) const {
    const std::string found = node.kind == Node::Kind::scalar ? "'" + shown(node.text) + "'"
                              : node.kind == Node::Kind::list ? "a list"
                                                              : "a map of keys";
    document_.fail(node.at,
                   fmt::format("{} is {}; expected {}", named(path), found, expectation(schema)));
  }

  void read_number(const Schema& schema, const Node& node, const Target& target,
                   const std::string& path) const {
    if (node.kind != Node::Kind::scalar) refuse(schema, node, path);
    for (std::size_t i = 0; i < schema.words.size(); ++i)
      if (node.text == schema.words[i].name) return schema.store_word(target, i);
    if (node.quoted && schema.dimension == Dimension::count)
      document_.fail(node.at, fmt::format("'{}' is in quotes, which make it a text; expected {}",
                                          shown(node.text), expectation(schema)));
    const double value = quantity(schema, node, path);
    const bool in_range =
        value >= schema.low && value <= schema.high && !(schema.above_low && value <= schema.low);
    if (!in_range)
      document_.fail(node.at, fmt::format("{} is '{}'; expected {}", path, shown(node.text),
                                          schema.range_text(value > schema.high)));
    if (schema.whole && value != std::floor(value))
      document_.fail(node.at,
                     fmt::format("{} is '{}'; expected a whole number", path, shown(node.text)));
    schema.store_value ? schema.store_value(target, value) : store_number(target, value);
  }

  double quantity(const Schema& schema, const Node& node, const std::string& path) const {
    try {
      return parse_quantity(node.text.size() > 60 ? shown(node.text) : node.text, schema.dimension);
    } catch (const UnitError& error) {
      std::string message = path + ": " + error.what();
      for (const auto& word : schema.words) message += fmt::format(", or '{}'", word.name);
      document_.fail(node.at, message);
    }
  }

  void read_text(const Schema& schema, const Node& node, const Target& target,
                 const std::string& path) const {
    if (node.kind != Node::Kind::scalar) refuse(schema, node, path);
    // Escapes in double quotes can say what no scenario may hold, and a terminal would obey it.
    for (std::size_t at = 0; at < node.text.size(); ++at) {
      const auto byte = static_cast<unsigned char>(node.text[at]);
      const auto next =
          static_cast<unsigned char>(at + 1 < node.text.size() ? node.text[at + 1] : 0);
      const bool c1 = byte == 0xC2 && next >= 0x80 && next < 0xA0;
      if (byte < 0x20 || byte == 0x7F || c1)
        document_.fail(node.at, fmt::format("{} holds the control character 0x{:02x}; expected a "
                                            "text of one line",
                                            path, c1 ? next : byte));
    }
    try {
      schema.store_text(target, node.text, base_);
    } catch (const ValueError& error) {
      document_.fail(node.at, error.what());
    } catch (const ModelError& error) {
      document_.fail(node.at, error.what());
    }
  }

  void read_word(const Schema& schema, const Node& node, const Target& target,
                 const std::string& path) const {
    if (node.kind != Node::Kind::scalar) refuse(schema, node, path);
    for (std::size_t i = 0; i < schema.words.size(); ++i)
      if (!node.quoted && node.text == schema.words[i].name) return schema.store_word(target, i);
    if (schema.words.size() == 1 || node.quoted) refuse(schema, node, path);
    document_.fail(node.at, fmt::format("{} is '{}'{}", path, shown(node.text),
                                        suggestion(node.text, word_names(schema))));
  }

  void refuse_unknown_keys(const Schema& schema, const Node& node, const std::string& path) const {
    for (const Entry& entry : node.entries)
      if (!schema.find(entry.key))
        document_.fail(entry.key_at,
                       fmt::format("unknown key '{}' in {}{}", shown(entry.key), named(path),
                                   suggestion(entry.key, schema.keys())));
  }

  void read_fields(const std::vector<Field>& fields, const Node& node, const Target& target,
                   const std::string& path) const {
    for (const Field& field : fields) {
      const std::string field_path = join(path, field.key);
      if (const Node* const value = node.find(field.key)) {
        read(*field.schema, *value, field.into(target), field_path);
      } else if (field.required) {
        document_.fail(node.at, fmt::format("{} has no '{}'; expected {}", named(path), field.key,
                                            expectation(*field.schema)));
      } else if (!field.fallback.empty()) {
        read(*field.schema, parse_value(field.fallback, "default of " + field_path),
             field.into(target), field_path);
      }
    }
  }

  void read_record(const Schema& schema, const Node& node, const Target& target,
                   const std::string& path) const {
    if (node.kind != Node::Kind::map) refuse(schema, node, path);
    refuse_unknown_keys(schema, node, path);
    read_fields(schema.fields, node, target, path);
  }

  void read_list(const Schema& schema, const Node& node, const Target& target,
                 const std::string& path) const {
    if (node.kind != Node::Kind::list) refuse(schema, node, path);
    if (node.items.size() < schema.at_least)
      document_.fail(node.at, fmt::format("{} has {} items; expected at least {}", path,
                                          node.items.size(), schema.at_least));
    std::map<std::string, int> names;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& item = node.items[i];
      std::string key = std::to_string(i);
      if (const Node* const name = schema.name_key.empty() ? nullptr : item.find(schema.name_key);
          name && name->kind == Node::Kind::scalar) {
        key = shown(name->text);
        const auto [seen, fresh] = names.emplace(name->text, name->at.line);
        if (!fresh)
          document_.fail(
              name->at,
              fmt::format("{} '{}' stands {} already; expected a name of its own", schema.name_key,
                          key,
                          seen->second > 0 ? fmt::format("on line {}", seen->second) : "there"));
      }
      read(*schema.item, item, schema.add(target), join(path, key));
    }
  }

  void read_one_of(const Schema& schema, const Node& node, const Target& target,
                   const std::string& path) const {
    if (node.kind == Node::Kind::scalar) return read_bare(schema, node, target, path);
    if (node.kind != Node::Kind::map) refuse(schema, node, path);
    refuse_unknown_keys(schema, node, path);
    const Field* chosen = nullptr;
    for (const Field& member : schema.fields) {
      const Entry* const entry = node.find_entry(member.key);
      if (!entry) continue;
      if (chosen)
        document_.fail(entry->key_at, fmt::format("{} has both '{}' and '{}'; expected one of them",
                                                  path, chosen->key, member.key));
      chosen = &member;
    }
    if (!chosen && !node.entries.empty())
      document_.fail(node.at, fmt::format("{} has '{}' alone, which goes beside another key; "
                                          "expected {}",
                                          path, node.entries.front().key, expectation(schema)));
    if (!chosen) refuse(schema, node, path);
    read(*chosen->schema, *node.find(chosen->key), chosen->into(target), join(path, chosen->key));
    read_fields(schema.siblings, node, target, path);
  }

  /// A scalar where a one-of stands: the name of a member, or the bare value.
  void read_bare(const Schema& schema, const Node& node, const Target& target,
                 const std::string& path) const {
    for (const Field& member : schema.fields) {
      if (node.quoted || node.text != member.key) continue;
      if (!needs_no_value(*member.schema))
        document_.fail(node.at, fmt::format("{} needs values; expected {{{}: …}} with {}",
                                            member.key, member.key, expectation(*member.schema)));
      Node empty;
      empty.kind = Node::Kind::map;
      empty.at = node.at;
      read(*member.schema, empty, member.into(target), join(path, member.key));
      return read_fields(schema.siblings, empty, target, path);
    }
    if (schema.bare) return read_bare_value(schema, node, target, path);
    document_.fail(node.at, fmt::format("{} is '{}'{}", path, shown(node.text),
                                        suggestion(node.text, schema.keys())));
  }

  void read_bare_value(const Schema& schema, const Node& node, const Target& target,
                       const std::string& path) const {
    read(*schema.bare, node, bare_target(schema, node, target), path);
    for (const auto& word : schema.bare->words)
      if (node.text == word.name) return;
    Node none;
    none.kind = Node::Kind::map;
    read_fields(schema.siblings, none, target, path);
  }

  /// A bare value is what the first member takes; a bare word speaks of the one-of as a whole.
  Target bare_target(const Schema& schema, const Node& node, const Target& target) const {
    for (const auto& word : schema.bare->words)
      if (node.text == word.name) return target;
    return schema.fields.front().into(target);
  }

  const Document& document_;
  const std::filesystem::path& base_;
};

}  // namespace

void read_document(const Schema& schema, const Document& document,
                   const std::filesystem::path& base, const Target& target) {
  Reader(document, base).read(schema, document.root, target, "");
}

}  // namespace headway
