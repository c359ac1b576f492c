// The schema told to people and to shells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/schema.hpp"

namespace headway {

/// A Markdown reference of all keys: path, meaning, what its value may be, range, default, source;
/// then the rules over several keys.
std::string scenario_reference();

/// The names that a scenario gives to the items of its lists.
struct ItemNames {
  std::vector<std::string> classes, pools, tenants, stores;
  /// Those of the list with this name_key; none of any other.
  std::vector<std::string> of(const std::string& name_key) const;
};

/// Every path that --set takes, for shell completion. Named items go by the names given; "CLASS",
/// "POOL", "TENANT" and "STORE" stand for them when there is no scenario. Other lists show item 0.
std::vector<std::string> set_paths(const std::optional<ItemNames>& names = {});

/// The words that the value at a path of set_paths() may be, with their help: members of a one-of,
/// choices, names of the catalogue. Empty where any number or text may stand.
std::vector<Schema::Word> words_at(const std::string& path);

/// What may stand there as it is: choices, members that need no value, names of the catalogue, and
/// names of items, where the value is one.
std::vector<std::string> bare_values_at(const std::string& path, const ItemNames& names);

}  // namespace headway
