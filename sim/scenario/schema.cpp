#include "sim/scenario/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace headway {

Field Field::needed() && {
  required = true;
  return std::move(*this);
}
Field Field::otherwise(std::string value) && {
  fallback = std::move(value);
  return std::move(*this);
}
Field Field::otherwise_in_words(std::string note) && {
  fallback_note = std::move(note);
  return std::move(*this);
}
Field Field::from(std::string where) && {
  source = std::move(where);
  return std::move(*this);
}
Field Field::only(std::string kind) && {
  only_for = std::move(kind);
  return std::move(*this);
}

Field Field::such_as(std::string value) && {
  example = std::move(value);
  return std::move(*this);
}

const Field* Schema::find(const std::string& key) const {
  for (const auto* group : {&fields, &siblings})
    for (const Field& candidate : *group)
      if (candidate.key == key) return &candidate;
  return nullptr;
}

bool Schema::is_sibling(const std::string& key) const {
  return std::any_of(siblings.begin(), siblings.end(),
                     [&](const Field& sibling) { return sibling.key == key; });
}

std::vector<std::string> Schema::keys() const {
  std::vector<std::string> keys;
  for (const auto* group : {&fields, &siblings})
    for (const Field& candidate : *group) keys.push_back(candidate.key);
  return keys;
}

std::string Schema::range_text(bool in_full) const {
  if (kind != Kind::number) return "";
  const auto show = [this](double value) {
    // Limits are round figures: they are shown in full, not to three digits.
    if (value == 0) return std::string("0");
    if (dimension == Dimension::count)
      return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
    return format_quantity(value, dimension);
  };
  const std::string reason = why.empty() ? "" : " (" + why + ")";
  const bool open_ended = !in_full && dimension == Dimension::count && high >= 1e12;
  if (open_ended) return fmt::format("{} {}", above_low ? "more than" : "at least", show(low));
  if (above_low) return fmt::format("more than {}, at most {}{}", show(low), show(high), reason);
  return fmt::format("{} to {}{}", show(low), show(high), reason);
}

namespace {

std::shared_ptr<Schema> number_schema(Dimension dimension, double low, double high) {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::number;
  schema->dimension = dimension;
  schema->low = low;
  schema->high = high;
  return schema;
}

}  // namespace

SchemaPtr number(Dimension dimension, double low, double high) {
  return number_schema(dimension, low, high);
}

SchemaPtr number_above(Dimension dimension, double low, double high) {
  auto schema = number_schema(dimension, low, high);
  schema->above_low = true;
  return schema;
}

SchemaPtr whole_number(double low, double high) {
  auto schema = number_schema(Dimension::count, low, high);
  schema->whole = true;
  return schema;
}

void store_number(const Target& target, double value) {
  if (auto* const* number = std::any_cast<double*>(&target)) {
    **number = value;
  } else if (auto* const* small = std::any_cast<std::int32_t*>(&target)) {
    **small = static_cast<std::int32_t>(value);
  } else if (auto* const* large = std::any_cast<std::int64_t*>(&target)) {
    **large = static_cast<std::int64_t>(value);
  } else if (auto* const* natural = std::any_cast<std::uint64_t*>(&target)) {
    **natural = static_cast<std::uint64_t>(value);
  } else {
    *std::any_cast<std::optional<double>*>(target) = value;
  }
}

SchemaPtr text() {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::text;
  schema->store_text = [](const Target& target, const std::string& value,
                          const std::filesystem::path&) {
    *std::any_cast<std::string*>(target) = value;
  };
  return schema;
}

SchemaPtr naming(const std::string& name_key, const SchemaPtr& text) {
  auto schema = std::make_shared<Schema>(*text);
  schema->name_of = name_key;
  return schema;
}

SchemaPtr boolean() {
  return word<bool>({{"true", true, ""}, {"false", false, ""}});
}

SchemaPtr record(std::vector<Field> fields,
                 std::function<void(const Target&, const Node&, const Document&)> finish) {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::record;
  schema->fields = std::move(fields);
  schema->finish = std::move(finish);
  return schema;
}

SchemaPtr one_of(std::vector<Field> members) {
  auto schema = std::make_shared<Schema>();
  schema->kind = Schema::Kind::one_of;
  schema->fields = std::move(members);
  return schema;
}

}  // namespace headway
