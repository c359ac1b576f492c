#include "sim/scenario/override.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = path.find('.', start);
    parts.push_back(path.substr(start, dot - start));
    if (dot == std::string::npos) return parts;
    start = dot + 1;
  }
}

void mark(Node& node, int index) {
  node.at = Position{};
  node.at.override_index = index;
  for (Node& item : node.items) mark(item, index);
  for (Entry& entry : node.entries) {
    entry.key_at = node.at;
    mark(entry.value, index);
  }
}

/// One override on its way down the tree.
class Descent {
 public:
  Descent(Document& document, const Schema& schema, int index)
      : document_(document), schema_(&schema), node_(&document.root) {
    at_.override_index = index;
  }

  void step(const std::string& part) {
    if (part.empty()) fail("an empty key in the path; expected keys with single dots between");
    switch (schema_->kind) {
      case Schema::Kind::record:
        into_field(part);
        break;
      case Schema::Kind::one_of:
        into_member(part);
        break;
      case Schema::Kind::list:
        into_item(part);
        break;
      default:
        fail(fmt::format("{} has no keys; expected {}", path_, expectation(*schema_)));
    }
    path_ = path_.empty() ? part : path_ + "." + part;
  }

  void assign(Node value) {
    mark(value, at_.override_index);
    *node_ = std::move(value);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { document_.fail(at_, message); }

  const Field& known(const std::string& part) const {
    const Field* const field = schema_->find(part);
    if (!field)
      fail(fmt::format("unknown key '{}' in {}{}", shown(part),
                       path_.empty() ? "the scenario" : path_, suggestion(part, schema_->keys())));
    return *field;
  }

  void enter(const Field& field) {
    if (node_->kind == Node::Kind::null) {
      node_->kind = Node::Kind::map;
      node_->at = at_;
    }
    if (node_->kind != Node::Kind::map)
      fail(fmt::format("{} is no map of keys in {}", path_, document_.file));
    if (!node_->find(field.key)) {
      node_->entries.push_back({field.key, at_, Node{}});
      node_->entries.back().value.at = at_;
    }
    node_ = node_->find(field.key);
    schema_ = field.schema.get();
  }

  void into_field(const std::string& part) { enter(known(part)); }

  void into_member(const std::string& part) {
    const Field& field = known(part);
    const bool sibling = schema_->is_sibling(part);
    if (sibling && node_->kind == Node::Kind::scalar)
      fail(
          fmt::format("{} is '{}', which leaves no room for '{}'; expected the whole value, such "
                      "as {}={{{}: …, {}: …}}",
                      path_, shown(node_->text), part, path_, schema_->fields.front().key, part));
    if (!sibling) {
      if (node_->kind == Node::Kind::scalar) *node_ = Node{};
      std::erase_if(node_->entries, [&](const Entry& entry) {
        return entry.key != part && schema_->find(entry.key) && !schema_->is_sibling(entry.key);
      });
    }
    enter(field);
  }

  void into_item(const std::string& part) {
    Node* const item = schema_->name_key.empty() ? numbered(part) : by_name(part);
    node_ = item;
    schema_ = schema_->item.get();
  }

  Node* by_name(const std::string& part) {
    std::vector<std::string> names;
    for (Node& item : node_->items) {
      const Node* const name = item.find(schema_->name_key);
      if (!name || name->kind != Node::Kind::scalar) continue;
      if (name->text == part) return &item;
      names.push_back(name->text);
    }
    fail(fmt::format("no {} named '{}' in {}{}", schema_->name_key, shown(part), path_,
                     names.empty() ? "" : suggestion(part, names)));
  }

  Node* numbered(const std::string& part) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size() || number >= node_->items.size())
      fail(fmt::format("no item '{}' in {}; it has {} (numbered from 0)", shown(part), path_,
                       node_->items.size()));
    return &node_->items[number];
  }

  Document& document_;
  const Schema* schema_;
  Node* node_;
  Position at_;
  std::string path_;
};

}  // namespace

void apply_overrides(Document& document, const Schema& schema,
                     const std::vector<std::string>& overrides) {
  for (const std::string& override : overrides) {
    const int index = static_cast<int>(document.overrides.size());
    document.overrides.push_back(override);
    const std::string where = "--set " + override;
    const std::size_t equals = override.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(where + ": expected path=value, such as fleet.main.replicas=8");
    Descent descent(document, schema, index);
    for (const std::string& part : split(override.substr(0, equals))) descent.step(part);
    descent.assign(parse_value(override.substr(equals + 1), where));
  }
}

}  // namespace headway
