// What the keys of a scenario must be to each other, once each is right by itself: named checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/document.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// A scenario as read, beside the document that says where each of its values stands.
class Draft {
 public:
  Draft(const Document& read, Scenario& filled) : document(read), scenario(filled) {}

  const Document& document;
  Scenario& scenario;

  const Node& class_node(std::size_t index) const;
  const Node& pool_node(std::size_t index) const;

  /// The entry at a path below a node ("batching.continuous.chunked_prefill"), null when the
  /// document does not say it.
  static const Entry* given(const Node& node, std::string_view path);
  /// The place of that value, or of the node itself when it is a default.
  static const Position& place_of(const Node& node, std::string_view path);

  [[noreturn]] void fail(const Position& at, const std::string& message) const {
    document.fail(at, message);
  }
  void warn(const Position& at, const std::string& message);
  /// Warns when the document gives a key that has no effect.
  void warn_no_effect(const Node& node, std::string_view path, const std::string& why);
};

/// A rule over several keys: throws InputError, fills in what follows from the keys, or warns.
struct Check {
  const char* name;
  const char* rule;  // for the reference: "max_num_batched_tokens is at least max_num_seqs"
  void (*run)(Draft& draft);
};

/// The rules, in the order in which they run.
const std::vector<Check>& scenario_checks();

/// The rules by subject.
std::vector<Check> routing_checks();  // before all that asks who serves a class
std::vector<Check> workload_checks();
std::vector<Check> fleet_checks();
std::vector<Check> failure_checks();
std::vector<Check> price_checks();
std::vector<Check> traffic_checks();
std::vector<Check> tenant_checks();
std::vector<Check> lifecycle_checks();
std::vector<Check> effect_checks();

/// Whether requests of the class can come to the pool; routes are filled.
bool reaches(const WorkloadClass& each, std::size_t pool);

/// Largest value that a law can give; infinity when it has no bound but the default one.
double law_upper_bound(const Distribution& law);

}  // namespace headway
