// Where a value stands in a document's tree, and what becomes of the tree when it changes.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "sim/scenario/document.hpp"

namespace headway {

/// Keys of maps, and numbers of list items from 0, from the root: {"fleet", 0, "replicas"}.
using NodePath = std::vector<std::variant<std::string, std::size_t>>;

/// "fleet.0.replicas", as --set writes it but for the names of items.
std::string path_text(const NodePath& path);

/// The value at a path, null where there is none.
const Node* node_at(const Node& root, const NodePath& path);
Node* node_at(Node& root, const NodePath& path);

/// The path without its last step.
NodePath parent_path(const NodePath& path);

/// Equal as values: kinds, texts, quotes, keys in order. Where they stand does not matter.
bool same_value(const Node& a, const Node& b);

/// Puts a value at a path: the keys of maps that are missing are appended to theirs.
/// False where the way ends at a value that has no such item or key.
bool put_value(Node& root, const NodePath& path, const Node& value);

}  // namespace headway
