// Changes of single values in a scenario's text: everything else stays as it was written, comments,
// order, quotes and line ends included. The text is that of a file, with or without a byte order
// mark.
//
// Every function reads the text, and reads it again as it would be changed: it throws InputError
// where the text is no document, where the path leads nowhere, and where the change cannot be made
// so that the tree has exactly the new value and is otherwise the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/scenario/node_path.hpp"

namespace headway {

/// Bytes [begin, end) of a text, and what takes their place.
struct TextEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

/// The text after the edit.
std::string edited(std::string_view text, const TextEdit& edit);

/// How a scalar is written.
enum class Quotes {
  never,     // as it stands: numbers, words
  as_found,  // in the quotes of the value that was there; where there were none, only if needed
};

/// Puts a scalar at a path. Keys that are missing are added: to a block map on a line of its own,
/// to a flow map after its last key, with maps between them in braces.
TextEdit set_scalar(std::string_view text, const NodePath& path, std::string_view value,
                    Quotes quotes);

/// Puts any value at a path, in the same way; `yaml` is one line of flow style:
/// "{poisson: {rate: 20 /s}}".
TextEdit set_value(std::string_view text, const NodePath& path, std::string_view yaml);

/// Replaces a key together with its value: another member of a one-of.
TextEdit replace_entry(std::string_view text, const NodePath& path, std::string_view key,
                       std::string_view yaml);

/// Removes a key with its value, or an item of a list. A map or list that has nothing else becomes
/// {} or [].
TextEdit remove_value(std::string_view text, const NodePath& path);

/// Adds an item to a list, after the item at the path. `yaml` is one line of flow style, or the
/// lines of a block, as item_text gives them.
TextEdit add_item_after(std::string_view text, const NodePath& path, std::string_view yaml);

/// The item of a list as it is written, without its dash and the indentation of its lines.
std::string item_text(std::string_view text, const NodePath& path);

}  // namespace headway
