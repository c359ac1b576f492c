// The schema by subject: each part is declared in a file of its own.
#pragma once

#include "sim/scenario/schema.hpp"

namespace headway {

/// What a law is a law of.
enum class LawOf { tokens, seconds, bytes, turns };

/// A distribution; its target is a Distribution* or a std::optional<Distribution>*. Token lengths
/// may also be the word `trace`, which leaves the optional empty.
SchemaPtr law_schema(LawOf of);

SchemaPtr arrivals_schema();   // Arrivals*
SchemaPtr workload_schema();   // std::vector<WorkloadClass>*
SchemaPtr batching_schema();   // Batching*
SchemaPtr fleet_schema();      // std::vector<Pool>*
SchemaPtr router_schema();     // Scenario*
SchemaPtr route_schema();      // Route*
SchemaPtr front_schema();      // Front*
SchemaPtr admission_schema();  // FrontAdmission*
SchemaPtr timeouts_schema();   // Timeouts*
SchemaPtr hang_up_schema();    // HangUp*
SchemaPtr retries_schema();    // Retries*
SchemaPtr tenants_schema();    // std::vector<Tenant>*
SchemaPtr faults_schema();     // Failures*
SchemaPtr run_schema();        // Run*

SchemaPtr autoscaler_schema();  // Autoscaler*
SchemaPtr cold_start_schema();  // ColdStart*
SchemaPtr deploys_schema();     // std::vector<Deploy>*
SchemaPtr stores_schema();      // std::vector<Store>*

/// A name of letters, digits, '-' and '_': it is part of --set paths and of file names.
SchemaPtr name_schema();

/// The kinds that pool keys belong to, as Field::only_for says them.
inline constexpr const char* kLlmPools = "LLM pools";
inline constexpr const char* kServicePools = "service pools";

/// Longest time that a scenario may speak of: the picosecond clock ends at 106.75 days.
inline constexpr double kLongestSeconds = 106.0 * 86400.0;

}  // namespace headway
