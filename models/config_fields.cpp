#include "models/config_fields.hpp"

#include <fmt/format.h>

#include <cmath>

namespace headway {
namespace {

using Json = nlohmann::json;

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 40) + "…";
  return text;
}

}  // namespace

std::optional<std::int64_t> ConfigFields::find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (const Json* value = present(name)) return whole(name, *value);
  }
  return std::nullopt;
}

std::int64_t ConfigFields::require(std::initializer_list<const char*> names) const {
  if (const auto value = find(names)) return *value;
  throw ArchitectureError(fmt::format("{}: \"{}\" is missing; expected a whole number", where_,
                                      fmt::join(names, "\" or \"")));
}

bool ConfigFields::flag(const char* name, bool otherwise) const {
  const Json* value = present(name);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    throw ArchitectureError(
        fmt::format("{}: \"{}\" is {}; expected true or false", where_, name, shown(*value)));
  }
  return value->get<bool>();
}

const Json* ConfigFields::list_by_layer(const char* name, std::int32_t layers) const {
  const Json* value = present(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array() ||
      (!value->empty() && value->size() != static_cast<std::size_t>(layers))) {
    throw ArchitectureError(fmt::format("{}: \"{}\" is {}; expected a list of {} layers", where_,
                                        name, shown(*value), layers));
  }
  return value->empty() ? nullptr : value;
}

const Json* ConfigFields::present(const char* name) const {
  const auto at = json_.find(name);
  return at == json_.end() || at->is_null() ? nullptr : &*at;
}

std::int64_t ConfigFields::whole(const char* name, const Json& value) const {
  constexpr double kMost = 2'000'000'000;
  const bool fits = value.is_number() && std::isfinite(value.get<double>()) &&
                    std::abs(value.get<double>()) <= kMost &&
                    std::floor(value.get<double>()) == value.get<double>();
  if (!fits) {
    throw ArchitectureError(fmt::format("{}: \"{}\" is {}; expected a whole number up to {:g}",
                                        where_, name, shown(value), kMost));
  }
  return static_cast<std::int64_t>(value.get<double>());
}

}  // namespace headway
