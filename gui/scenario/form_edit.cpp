#include "gui/scenario/form_edit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/scenario/reader.hpp"

namespace headway {

namespace {

using Kind = Schema::Kind;

std::string starting_number(const Schema& schema) {
  const double value = std::clamp(1.0, schema.low, schema.high);
  switch (schema.dimension) {
    case Dimension::count:
      return fmt::format("{}", value);
    case Dimension::fraction:
      return fmt::format("{}", (schema.low + std::min(schema.high, 1.0)) / 2);
    case Dimension::time:
      return "1 s";
    case Dimension::rate:
      return "1 /s";
    case Dimension::bytes:
      return "1 kB";
    case Dimension::bytes_per_second:
      return "1 GB/s";
    case Dimension::flops:
      return "1 TFLOP/s";
    case Dimension::power:
      return "1 kW";
    case Dimension::money_per_time:
      return "1 USD/h";
  }
  return "1";
}

std::string starting_record(const Schema& schema, const Node* old) {
  std::vector<std::string> entries;
  for (const Field& field : schema.fields) {
    const Node* const kept = old ? old->find(field.key) : nullptr;
    if (field.required || kept)
      entries.push_back(fmt::format("{}: {}", field.key, starting_value(*field.schema, kept)));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

bool fits(const Schema& schema, const Node& node) {
  if (node.kind != Node::Kind::scalar || schema.kind != Kind::number) return false;
  try {
    const double value = parse_quantity(node.text, schema.dimension);
    return value >= schema.low && value <= schema.high &&
           !(schema.above_low && value <= schema.low);
  } catch (const UnitError&) {
    return false;
  }
}

/// The example of a field, with what is known of the member before it in its place.
std::string example_with(const Field& field, const Node* old) {
  const Node example = parse_value(field.example, field.key);
  std::vector<std::string> entries;
  for (const Entry& entry : example.entries) {
    const Field* const inner = field.schema->find(entry.key);
    const Node* const kept = old ? old->find(entry.key) : nullptr;
    entries.push_back(
        fmt::format("{}: {}", entry.key,
                    inner && kept && fits(*inner->schema, *kept) ? kept->text : entry.value.text));
  }
  return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// The value of a member, with what is known of the one before it.
std::string member_value(const Field& member, const Node* old) {
  return member.example.empty() ? starting_value(*member.schema, old) : example_with(member, old);
}

std::string nested(const NodePath& path, std::size_t from, const std::string& value) {
  std::string yaml = value;
  for (std::size_t depth = path.size(); depth > from; --depth)
    yaml = fmt::format("{{{}: {}}}", std::get<std::string>(path[depth - 1]), yaml);
  return yaml;
}

/// The length of the part of a path that leads to a scalar in the way; npos where none is.
std::size_t scalar_on_the_way(const Node& root, const NodePath& path) {
  for (std::size_t depth = 1; depth < path.size(); ++depth) {
    const Node* const node = node_at(root, {path.begin(), path.begin() + std::ptrdiff_t(depth)});
    if (node && node->kind == Node::Kind::scalar) return depth;
  }
  return std::string::npos;
}

TextEdit edit_scalar(const std::string& text, const Node& root, const FormItem& item,
                     const std::string& value) {
  const Schema& schema = *item.schema;
  const bool text_like = schema.kind == Kind::text ||
                         (schema.kind == Kind::number && schema.dimension != Dimension::count);
  if (const std::size_t depth = scalar_on_the_way(root, item.path); depth != std::string::npos) {
    const NodePath above(item.path.begin(), item.path.begin() + std::ptrdiff_t(depth));
    const Node& short_form = *node_at(root, above);
    if (!item.sibling) return set_value(text, above, nested(item.path, depth, value));
    const std::string& first = item.parent->member->key;
    const std::string member =
        first == short_form.text ? first + ": {}" : first + ": " + short_form.text;
    return set_value(text, above, fmt::format("{{{}, {}: {}}}", member, item.field->key, value));
  }
  if (item.sibling && !item.parent->given)  // beside a member that is itself only a default
    return set_value(text, item.parent->path,
                     fmt::format("{{{}: {}, {}: {}}}", item.parent->member->key,
                                 item.parent->field->fallback, item.field->key, value));
  return set_scalar(text, item.path, value, text_like ? Quotes::as_found : Quotes::never);
}

TextEdit edit_member(const std::string& text, const Node& root, const FormItem& item,
                     const std::string& name) {
  const Field* const member = item.schema->find(name);
  if (!member) return set_value(text, item.path, name);  // a bare word
  const Node* const node = node_at(root, item.path);
  const Node* const old = node && item.member ? node->find(item.member->key) : nullptr;
  const std::string value = member_value(*member, old);
  if (old) {
    NodePath path = item.path;
    path.emplace_back(item.member->key);
    return replace_entry(text, path, name, value);
  }
  return set_value(text, item.path,
                   needs_no_value(*member->schema) && member->example.empty()
                       ? name
                       : fmt::format("{{{}: {}}}", name, value));
}

}  // namespace

std::string starting_value(const Schema& schema, const Node* old) {
  switch (schema.kind) {
    case Kind::number:
      return old && fits(schema, *old) ? old->text : starting_number(schema);
    case Kind::text: {
      const auto known = schema.known ? schema.known() : std::vector<std::string>{};
      return known.empty() ? "name" : known.front();
    }
    case Kind::word:
      return schema.words.front().name;
    case Kind::record:
      return starting_record(schema, old);
    case Kind::list: {
      const std::vector<std::string> items(std::max<std::size_t>(schema.at_least, 1),
                                           starting_value(*schema.item, nullptr));
      return fmt::format("[{}]", fmt::join(items, ", "));
    }
    case Kind::one_of:
      if (schema.bare) return starting_value(*schema.bare, old);
      return fmt::format("{{{}: {}}}", schema.fields.front().key,
                         member_value(schema.fields.front(), nullptr));
  }
  return "{}";
}

TextEdit edit_value(const std::string& text, const Node& root, const FormItem& item,
                    const std::string& value) {
  switch (item.schema->kind) {
    case Kind::one_of:
      return edit_member(text, root, item, value);
    case Kind::record:
    case Kind::list:
      return set_value(text, item.path,
                       item.field && !item.field->example.empty()
                           ? item.field->example
                           : starting_value(*item.schema, nullptr));
    default:
      return edit_scalar(text, root, item, value);
  }
}

TextEdit edit_to_default(const std::string& text, const Node& root, const FormItem& item) {
  const FormItem* gone = &item;
  while (gone->parent && gone->parent->given && gone->parent->schema->kind == Kind::record &&
         gone->parent->is_optional()) {
    const Node* const map = node_at(root, gone->parent->path);
    if (!map || map->entries.size() != 1) break;
    gone = gone->parent;
  }
  return remove_value(text, gone->path);
}

TextEdit edit_duplicate(const std::string& text, const Node& root, const FormItem& item) {
  std::string copy = item_text(text, item.path);
  const std::string& key = item.parent->schema->name_key;
  const Node* const list = node_at(root, parent_path(item.path));
  if (!key.empty() && list) {
    const std::string name = item.name.toStdString();
    const auto taken = [&](const std::string& one) {
      return std::any_of(list->items.begin(), list->items.end(), [&](const Node& each) {
        const Node* const other = each.find(key);
        return other && other->text == one;
      });
    };
    int number = 2;
    while (taken(fmt::format("{}-{}", name, number))) ++number;
    copy =
        edited(copy, set_scalar(copy, {key}, fmt::format("{}-{}", name, number), Quotes::as_found));
  }
  return add_item_after(text, item.path, copy);
}

}  // namespace headway
