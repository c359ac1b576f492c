#include "sim/scenario/node_path.hpp"

#include <algorithm>

namespace headway {

std::string path_text(const NodePath& path) {
  std::string text;
  for (const auto& step : path) {
    if (!text.empty()) text += '.';
    const auto* const key = std::get_if<std::string>(&step);
    text += key ? *key : std::to_string(std::get<std::size_t>(step));
  }
  return text;
}

const Node* node_at(const Node& root, const NodePath& path) {
  const Node* node = &root;
  for (const auto& step : path) {
    if (const auto* const key = std::get_if<std::string>(&step)) {
      node = node->find(*key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      node = index < node->items.size() ? &node->items[index] : nullptr;
    }
    if (!node) return nullptr;
  }
  return node;
}

Node* node_at(Node& root, const NodePath& path) {
  return const_cast<Node*>(node_at(static_cast<const Node&>(root), path));
}

NodePath parent_path(const NodePath& path) {
  return {path.begin(), path.empty() ? path.end() : path.end() - 1};
}

bool same_value(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.quoted != b.quoted) return false;
  const auto same_entry = [](const Entry& left, const Entry& right) {
    return left.key == right.key && same_value(left.value, right.value);
  };
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same_value) &&
         std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                    same_entry);
}

bool put_value(Node& root, const NodePath& path, const Node& value) {
  Node* node = &root;
  for (const auto& step : path) {
    if (const auto* const index = std::get_if<std::size_t>(&step)) {
      if (*index >= node->items.size()) return false;
      node = &node->items[*index];
      continue;
    }
    const std::string& key = std::get<std::string>(step);
    if (node->kind == Node::Kind::null) node->kind = Node::Kind::map;
    if (node->kind != Node::Kind::map) return false;
    if (!node->find(key)) node->entries.push_back({key, {}, {}});
    node = node->find(key);
  }
  *node = value;
  return true;
}

}  // namespace headway
