// Reads a document by its schema: every key known, every value in its range, every absent key at
// its default. What keys must be to each other is checked afterwards (check.hpp).
#pragma once

#include <filesystem>
#include <string>

#include "sim/scenario/document.hpp"
#include "sim/scenario/schema.hpp"

namespace headway {

/// Fills `target` from the document's root. `base` is the folder that relative paths in the
/// scenario start from. Throws InputError with the place of what is wrong, what was found, what was
/// expected, and the nearest valid word.
void read_document(const Schema& schema, const Document& document,
                   const std::filesystem::path& base, const Target& target);

/// What a value may be, in words: "one of: fcfs, priority", "a number with a unit of: /s, /min,
/// /h".
std::string expectation(const Schema& schema);

/// "; did you mean 'replicas'?", or "; expected one of: …" when no word is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& words);

/// A text from a file, shortened for a message.
std::string shown(const std::string& text);

/// Nothing in the value of this member has to be given: its name alone may stand for it.
bool needs_no_value(const Schema& schema);

}  // namespace headway
