#include "sim/scenario/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace headway {

const Node& Draft::class_node(std::size_t index) const {
  return document.root.find("workload")->items[index];
}

const Node& Draft::pool_node(std::size_t index) const {
  return document.root.find("fleet")->items[index];
}

const Entry* Draft::given(const Node& node, std::string_view path) {
  const Node* at = &node;
  const Entry* entry = nullptr;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    entry = at->find_entry(path.substr(0, dot));
    if (!entry) return nullptr;
    at = &entry->value;
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
  }
  return entry;
}

const Position& Draft::place_of(const Node& node, std::string_view path) {
  const Entry* const entry = given(node, path);
  return entry ? entry->value.at : node.at;
}

void Draft::warn(const Position& at, const std::string& message) {
  scenario.warnings.push_back(document.place(at) + ": " + message);
}

void Draft::warn_no_effect(const Node& node, std::string_view path, const std::string& why) {
  if (const Entry* const entry = given(node, path))
    warn(entry->key_at.line || entry->key_at.override_index >= 0 ? entry->key_at : entry->value.at,
         fmt::format("'{}' has no effect: {}", entry->key, why));
}

double law_upper_bound(const Distribution& law) {
  using Kind = Distribution::Kind;
  double bound = std::numeric_limits<double>::infinity();
  if (law.kind == Kind::fixed) bound = law.a;
  if (law.kind == Kind::uniform) bound = law.b;
  if (law.kind == Kind::histogram) {
    bound = 0;
    for (const auto& bin : law.bins) bound = std::max(bound, bin.high);
  }
  constexpr double default_max = 1e7;  // schema_law.cpp's clamp of a law that names none
  if (law.max < default_max) bound = std::min(bound, law.max);
  return std::max(bound, law.min);
}

const std::vector<Check>& scenario_checks() {
  static const std::vector<Check> checks = [] {
    std::vector<Check> all;
    for (const auto& group :
         {routing_checks(), workload_checks(), tenant_checks(), fleet_checks(), price_checks(),
          traffic_checks(), lifecycle_checks(), failure_checks(), effect_checks()})
      all.insert(all.end(), group.begin(), group.end());
    return all;
  }();
  return checks;
}

}  // namespace headway
