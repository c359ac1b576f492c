#include "sim/scenario/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "sim/scenario/check.hpp"
#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

std::string join(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

/// How the items of a list are written in a path.
std::string item_name(const Schema& list) {
  if (list.name_key == "class") return "CLASS";
  if (list.name_key == "pool") return "POOL";
  if (list.name_key == "tenant") return "TENANT";
  if (list.name_key == "store") return "STORE";
  return "0";
}

/// What a value may be, for the reference's column.
std::string value_text(const Schema& schema) {
  using Kind = Schema::Kind;
  switch (schema.kind) {
    case Kind::number: {
      std::string text = schema.whole ? "whole number" : "number";
      if (schema.dimension == Dimension::fraction) text = "fraction, or per cent (`35 %`)";
      const auto units = unit_names(schema.dimension);
      if (!units.empty() && schema.dimension != Dimension::fraction)
        text += fmt::format(" with unit ({})", fmt::join(units, ", "));
      for (const auto& word : schema.words) text += fmt::format(", or `{}`", word.name);
      return text + "; " + schema.range_text();
    }
    case Kind::text:
      if (schema.known) return fmt::format("`{}`", fmt::join(schema.known(), "`, `"));
      return schema.name_of.empty() ? "text" : "name of a " + schema.name_of;
    case Kind::word: {
      std::vector<std::string> words;
      for (const auto& word : schema.words)
        words.push_back(word.help.empty() ? fmt::format("`{}`", word.name)
                                          : fmt::format("`{}` ({})", word.name, word.help));
      return fmt::format("{}", fmt::join(words, ", "));
    }
    case Kind::record:
      return schema.fields.empty() ? "`{}`" : "keys below";
    case Kind::list:
      return schema.name_key.empty() ? "list"
                                     : fmt::format("list of records by `{}`", schema.name_key);
    case Kind::one_of: {
      std::string text = fmt::format("one of `{}`", fmt::join(schema.keys(), "`, `"));
      if (!schema.siblings.empty()) {
        std::vector<std::string> members, beside;
        for (const Field& field : schema.fields) members.push_back(field.key);
        for (const Field& field : schema.siblings) beside.push_back(field.key);
        text = fmt::format("one of `{}`; beside it `{}`", fmt::join(members, "`, `"),
                           fmt::join(beside, "`, `"));
      }
      return schema.bare ? text + "; or a bare " + value_text(*schema.bare) : text;
    }
  }
  return "";
}

std::string default_text(const Field& field) {
  if (field.required) return "needed";
  if (field.fallback == "{}") return "its keys' defaults";
  if (!field.fallback.empty()) return "`" + field.fallback + "`";
  return field.fallback_note;
}

/// Calls visit(path, field) for every key, outer keys first, and goes into those for which it
/// returns true.
template <class Visit>
void walk(const Schema& schema, const std::string& path, const Visit& visit) {
  if (schema.kind == Schema::Kind::list) {
    const std::string item = join(path, item_name(schema));
    if (schema.item->kind != Schema::Kind::record) visit(item, Field{.schema = schema.item});
    return walk(*schema.item, item, visit);
  }
  for (const auto* group : {&schema.fields, &schema.siblings})
    for (const Field& field : *group) {
      const std::string field_path = join(path, field.key);
      if (visit(field_path, field)) walk(*field.schema, field_path, visit);
    }
}

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

/// The path with CLASS, POOL, TENANT and STORE replaced by every name.
std::vector<std::string> named(const std::string& path, const ItemNames& given) {
  const std::pair<std::string, const std::vector<std::string>&> marks[] = {
      {"CLASS", given.classes},
      {"POOL", given.pools},
      {"TENANT", given.tenants},
      {"STORE", given.stores}};
  std::vector<std::string> paths = {path};
  for (const auto& [mark, names] : marks) {
    if (paths.empty() || paths.front().find("." + mark + ".") == std::string::npos) continue;
    std::vector<std::string> replaced;
    for (const std::string& one : paths) {
      const std::size_t begin = one.find("." + mark + ".") + 1;
      for (const std::string& name : names)
        replaced.push_back(one.substr(0, begin) + name + one.substr(begin + mark.size()));
    }
    paths = std::move(replaced);
  }
  return paths;
}

}  // namespace

namespace {

/// The table of a part of the schema. Parts with a title are kept for tables of their own.
std::string table(const Schema& schema, const std::string& path,
                  std::map<std::string, const Schema*>& titled) {
  std::string text = "| key | meaning | value | default | source |\n|---|---|---|---|---|\n";
  walk(schema, path, [&](const std::string& key, const Field& field) {
    if (field.help.empty()) return true;
    const bool apart = !field.schema->title.empty();
    if (apart) titled.emplace(field.schema->title, field.schema.get());
    std::string meaning = field.help;
    if (!field.only_for.empty()) meaning += fmt::format(" ({})", field.only_for);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key, cell(meaning),
                        cell(apart ? field.schema->title : value_text(*field.schema)),
                        cell(default_text(field)), cell(field.source));
    return !apart;
  });
  return text;
}

/// What stands at a path of set_paths(); null where nothing does.
const Schema* schema_at(const std::string& path) {
  const Schema* schema = &scenario_schema();
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    const std::string part = path.substr(start, dot - start);
    if (schema->kind == Schema::Kind::list) {
      schema = schema->item.get();
    } else {
      const Field* const field = schema->find(part);
      if (!field) return nullptr;
      schema = field->schema.get();
    }
    start = dot + 1;
  }
  return schema;
}

}  // namespace

std::string scenario_reference() {
  std::map<std::string, const Schema*> titled, none;
  std::string text =
      "# Keys of a scenario\n\n"
      "Paths are those of `--set`; `CLASS`, `POOL`, `TENANT` and `STORE` stand for the names of a "
      "class, a pool, a tenant and a store, 0 for the number of an item.\n\n" +
      table(scenario_schema(), "", titled);
  for (const auto& [title, schema] : titled)
    text += fmt::format("\n## Keys of a {}\n\nA {} is {}.\n\n{}", title, title, value_text(*schema),
                        table(*schema, "", none));
  text += "\n## Rules over several keys\n\n";
  for (const Check& check : scenario_checks())
    text += fmt::format("- `{}`: {}\n", check.name, check.rule);
  return text;
}

std::vector<std::string> set_paths(const std::optional<ItemNames>& names) {
  std::vector<std::string> paths;
  walk(scenario_schema(), "", [&](const std::string& path, const Field& field) {
    // A record without keys is the whole value of its member: router.random={}.
    if (field.schema->kind == Schema::Kind::record && !field.schema->fields.empty()) return true;
    if (!names) {
      paths.push_back(path);
    } else {
      for (const std::string& full : named(path, *names)) paths.push_back(full);
    }
    return true;
  });
  return paths;
}

std::vector<std::string> ItemNames::of(const std::string& name_key) const {
  if (name_key == "class") return classes;
  if (name_key == "pool") return pools;
  if (name_key == "tenant") return tenants;
  if (name_key == "store") return stores;
  return {};
}

std::vector<Schema::Word> words_at(const std::string& path) {
  const Schema* const schema = schema_at(path);
  if (schema == nullptr) return {};
  std::vector<Schema::Word> words = schema->words;
  if (schema->known)
    for (const std::string& name : schema->known()) words.push_back({name, ""});
  if (schema->kind == Schema::Kind::one_of)
    for (const Field& member : schema->fields) words.push_back({member.key, member.help});
  return words;
}

std::vector<std::string> bare_values_at(const std::string& path, const ItemNames& names) {
  const Schema* const schema = schema_at(path);
  if (schema == nullptr) return {};
  std::vector<std::string> values;
  for (const Schema::Word& word : words_at(path)) {
    const Field* const member = schema->find(word.name);
    if (member == nullptr || needs_no_value(*member->schema)) values.push_back(word.name);
  }
  const Schema& scalar = schema->bare ? *schema->bare : *schema;
  for (const std::string& name : names.of(scalar.name_of)) values.push_back(name);
  return values;
}

}  // namespace headway
