// The fields of a model's config.json, read strictly.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "models/model_error.hpp"

namespace headway {

/// Looks fields up in a JSON object. Errors are ArchitectureErrors that start with `where`. Refers
/// to both arguments, which must outlive it.
class ConfigFields {
 public:
  ConfigFields(const nlohmann::json& json, const std::string& where) : json_(json), where_(where) {}

  /// The first of the names that is present and not null, a whole number up to 2e9 in magnitude.
  std::optional<std::int64_t> find(std::initializer_list<const char*> names) const;

  /// The same; throws when none is there.
  std::int64_t require(std::initializer_list<const char*> names) const;

  /// true or false; `otherwise` when absent or null.
  bool flag(const char* name, bool otherwise) const;

  /// A list with one element a layer, or nothing when absent, null or empty; throws for another
  /// size than `layers` and for what is no list.
  const nlohmann::json* list_by_layer(const char* name, std::int32_t layers) const;

 private:
  const nlohmann::json* present(const char* name) const;
  std::int64_t whole(const char* name, const nlohmann::json& value) const;

  const nlohmann::json& json_;
  const std::string& where_;
};

}  // namespace headway
