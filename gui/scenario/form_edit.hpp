// What a change of a row does to the text.
#pragma once

#include <string>

#include "gui/scenario/form_item.hpp"
#include "sim/scenario/patch.hpp"

namespace headway {

/// Gives a row the value. Of a choice it is the word or the member's name; a member takes over the
/// values of the one before that have the same names. Throws InputError where the text cannot be
/// changed so.
TextEdit edit_value(const std::string& text, const Node& root, const FormItem& item,
                    const std::string& value);

/// Takes a row's key out of the text, and with it the maps that it leaves empty.
TextEdit edit_to_default(const std::string& text, const Node& root, const FormItem& item);

/// Adds a copy of an item of a list after it; a name gets a number of its own.
TextEdit edit_duplicate(const std::string& text, const Node& root, const FormItem& item);

/// A value to start from, as YAML: the keys that are needed, with what `old` has of them.
std::string starting_value(const Schema& schema, const Node* old);

}  // namespace headway
