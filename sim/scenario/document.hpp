// A scenario file as text: the strict subset of YAML that Headway reads, as a tree whose keys and
// values know where they stand. It knows nothing of what the keys mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/input_error.hpp"

namespace headway {

/// Limits of a scenario file. Far above any scenario that a person writes; a file beyond them is
/// not a scenario.
inline constexpr std::size_t kMaxFileBytes = 4'000'000;
inline constexpr std::size_t kMaxLineBytes = 65'536;
inline constexpr int kMaxNesting = 32;
inline constexpr std::size_t kMaxNodes = 100'000;

/// Where something stands: bytes [begin, end) of the text (after a byte order mark, if it has one),
/// and the line and column (both from 1, in
/// characters) of its first byte. What an override put there has the override's number instead.
struct Position {
  std::size_t begin = 0, end = 0;
  int line = 0, column = 0;
  int override_index = -1;  // index into Document::overrides, -1: stands in the file
};

struct Entry;

/// One value: nothing, one word or number, a list, or keys with values.
struct Node {
  enum class Kind { null, scalar, list, map };
  Kind kind = Kind::null;
  std::string text;     // scalar: as written, without quotes
  bool quoted = false;  // scalar: written in quotes
  Position at;
  std::vector<Node> items;     // list
  std::vector<Entry> entries;  // map, in the file's order, keys unique

  /// The value of a key of a map; null when there is none, or when this is no map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  const Entry* find_entry(std::string_view key) const;
};

struct Entry {
  std::string key;
  Position key_at;
  Node value;
};

struct Document {
  std::string file;                    // as named by the user
  Node root;                           // a map
  std::vector<std::string> overrides;  // arguments of --set, in order

  /// "scenarios/x.yaml:12:7", or "--set fleet.main.replicas=8".
  std::string place(const Position& at) const;

  /// Throws InputError "place: message".
  [[noreturn]] void fail(const Position& at, const std::string& message) const;
};

/// The text of a file. Throws InputError when it cannot be read or is over kMaxFileBytes.
std::string read_scenario_file(const std::string& path);

/// Parses one document whose root is a map. Throws InputError with file, line and column for
/// anything but plain UTF-8 YAML of maps, lists and one-line scalars: duplicate and merge keys,
/// anchors, aliases, tags, directives, block scalars, several documents, tabs as indentation,
/// control characters, and whatever is beyond the limits above.
Document parse_document(std::string_view text, const std::string& file);

/// Parses a value alone, as --set and defaults give it: "20 /s", "{fixed: 512}". `where` starts the
/// message of the InputError.
Node parse_value(std::string_view text, const std::string& where);

}  // namespace headway
