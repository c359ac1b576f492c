#include "models/catalog_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "models/model_error.hpp"

namespace headway {

CatalogFile::CatalogFile(const std::string& path, const std::string& format) : path_(path) {
  try {
    root_ = YAML::LoadFile(path);
  } catch (const YAML::BadFile&) {
    throw CatalogError(fmt::format("{}: the file cannot be read", path));
  } catch (const YAML::Exception& error) {
    fail(error.mark, error.msg);
  }
  if (!root_.IsMap()) fail(root_.Mark(), fmt::format("expected keys and values of {}", format));
  std::set<std::string> seen;
  for (const auto& entry : root_) {
    const YAML::Mark mark = entry.first.Mark();
    if (!entry.first.IsScalar()) fail(mark, "a key is not a plain word");
    if (!seen.insert(entry.first.Scalar()).second) {
      fail(mark, fmt::format("\"{}\" stands here for the second time", entry.first.Scalar()));
    }
  }
  const YAML::Node found = require("format");
  if (!found.IsScalar() || found.Scalar() != format) {
    fail(found.Mark(), fmt::format("expected format: {}", format));
  }
}

void CatalogFile::fail(const YAML::Mark& mark, const std::string& what) const {
  throw CatalogError(fmt::format("{}:{}:{}: {}", path_, std::max(mark.line, 0) + 1,
                                 std::max(mark.column, 0) + 1, what));
}

YAML::Node CatalogFile::find(const char* key) {
  asked_.emplace_back(key);
  const YAML::Node& root = root_;  // a lookup that adds nothing
  const YAML::Node node = root[key];
  if (node.IsDefined() && node.IsNull()) fail_at(key, fmt::format("\"{}\" has no value", key));
  return node;
}

void CatalogFile::fail_at(const char* key, const std::string& what) const {
  for (const auto& entry : root_)
    if (entry.first.Scalar() == key) fail(entry.first.Mark(), what);
  fail(root_.Mark(), what);
}

YAML::Node CatalogFile::require(const char* key) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) fail(root_.Mark(), fmt::format("\"{}\" is missing", key));
  return node;
}

double CatalogFile::number(const char* key, const YAML::Node& node, Dimension dimension,
                           double least, double most) const {
  if (!node.IsScalar()) fail(node.Mark(), fmt::format("\"{}\" is not a single value", key));
  double value = 0;
  try {
    value = parse_quantity(node.Scalar(), dimension);
  } catch (const UnitError& error) {
    fail(node.Mark(), fmt::format("{}: {}", key, error.what()));
  }
  if (!(value >= least && value <= most)) {
    fail(node.Mark(),
         fmt::format("{} is {}; expected {} to {}", key, node.Scalar(),
                     format_quantity(least, dimension), format_quantity(most, dimension)));
  }
  return value;
}

double CatalogFile::quantity(const char* key, Dimension dimension, double least, double most) {
  return number(key, require(key), dimension, least, most);
}

double CatalogFile::quantity(const char* key, Dimension dimension, double least, double most,
                             double otherwise) {
  const YAML::Node node = find(key);
  return node.IsDefined() ? number(key, node, dimension, least, most) : otherwise;
}

std::int32_t CatalogFile::count(const char* key, double least, double most) {
  const YAML::Node node = require(key);
  const double value = number(key, node, Dimension::count, least, most);
  const auto whole = static_cast<std::int32_t>(value);
  if (whole != value) {
    fail(node.Mark(), fmt::format("{} is {}; expected a whole number", key, node.Scalar()));
  }
  return whole;
}

std::int32_t CatalogFile::count(const char* key, std::int32_t otherwise, double least,
                                double most) {
  return find(key).IsDefined() ? count(key, least, most) : otherwise;
}

bool CatalogFile::flag(const char* key, bool otherwise) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return otherwise;
  if (!node.IsScalar() || (node.Scalar() != "true" && node.Scalar() != "false")) {
    fail(node.Mark(), fmt::format("{}: expected true or false", key));
  }
  return node.Scalar() == "true";
}

std::string CatalogFile::text(const char* key) {
  const YAML::Node node = require(key);
  if (!node.IsScalar()) fail(node.Mark(), fmt::format("{}: expected a text", key));
  return node.Scalar();
}

std::string CatalogFile::text(const char* key, const std::string& otherwise) {
  return find(key).IsDefined() ? text(key) : otherwise;
}

std::vector<std::string> CatalogFile::texts(const char* key) {
  const YAML::Node node = find(key);
  std::vector<std::string> words;
  if (!node.IsDefined()) return words;
  if (!node.IsSequence()) fail(node.Mark(), fmt::format("{}: expected a list", key));
  for (const YAML::Node& word : node) {
    if (!word.IsScalar()) fail(word.Mark(), fmt::format("{}: expected a list of words", key));
    words.push_back(word.Scalar());
  }
  return words;
}

std::size_t CatalogFile::word(const char* key, const std::vector<std::string>& words) {
  const YAML::Node node = find(key);
  if (!node.IsDefined()) return 0;
  const std::string value = text(key);
  const auto at = std::find(words.begin(), words.end(), value);
  if (at == words.end()) {
    const std::string near = nearest_word(value, words);
    fail(node.Mark(),
         fmt::format("{} is \"{}\"; expected one of {}{}", key, value, fmt::join(words, ", "),
                     near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
  }
  return static_cast<std::size_t>(at - words.begin());
}

void CatalogFile::finish() const {
  for (const auto& entry : root_) {
    const std::string key = entry.first.Scalar();
    if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
    const std::string near = nearest_word(key, asked_);
    fail(entry.first.Mark(),
         near.empty() ? fmt::format("unknown key \"{}\"", key)
                      : fmt::format("unknown key \"{}\"; did you mean \"{}\"?", key, near));
  }
}

}  // namespace headway
