// One YAML file of the catalogue, read strictly: every value is asked for by key, and what nobody
// asked for is an error.
#pragma once

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/units.hpp"

namespace headway {

/// Errors are CatalogErrors that start with file:line:column.
class CatalogFile {
 public:
  /// Reads the file and checks that it says `format: <format>`. Throws CatalogError.
  CatalogFile(const std::string& path, const std::string& format);

  /// The number in SI units, within [least, most].
  double quantity(const char* key, Dimension dimension, double least, double most);
  /// The same, or `otherwise` when the key is absent.
  double quantity(const char* key, Dimension dimension, double least, double most,
                  double otherwise);
  /// A whole number within [least, most].
  std::int32_t count(const char* key, std::int32_t otherwise, double least = 0, double most = 2e9);
  std::int32_t count(const char* key, double least = 0, double most = 2e9);
  bool flag(const char* key, bool otherwise);
  std::string text(const char* key);
  std::string text(const char* key, const std::string& otherwise);
  std::vector<std::string> texts(const char* key);  // empty when absent
  /// Which of `words` the value is; the first when the key is absent.
  std::size_t word(const char* key, const std::vector<std::string>& words);

  /// Throws CatalogError for the first key that was not asked for, with the nearest one that was.
  void finish() const;

  /// Throws CatalogError at a key; at the file's start where it has none of that name.
  [[noreturn]] void fail_at(const char* key, const std::string& what) const;

 private:
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const;
  YAML::Node find(const char* key);
  YAML::Node require(const char* key);
  double number(const char* key, const YAML::Node& node, Dimension dimension, double least,
                double most) const;

  std::string path_;
  YAML::Node root_;
  std::vector<std::string> asked_;
};

}  // namespace headway
