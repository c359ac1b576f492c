#include "sim/scenario/trace_fallback.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "sim/scenario/input_error.hpp"
#include "sim/scenario/load.hpp"
#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

/// The workload of a scenario file, read but not checked: a fallback's fallback is not followed.
Scenario read_workload(const std::string& path) {
  const std::string text = read_scenario_file(path);
  const Document document = parse_document(text, path);
  Scenario scenario;
  read_document(scenario_schema(), document, std::filesystem::path(path).parent_path(), &scenario);
  return scenario;
}

bool is_absent_trace(const WorkloadClass& each) {
  std::error_code error;
  return each.arrivals.kind == Arrivals::Kind::trace &&
         !std::filesystem::exists(each.arrivals.trace_path, error);
}

}  // namespace

void use_trace_fallbacks(Scenario& scenario, const Document& document) {
  for (WorkloadClass& each : scenario.workload) {
    if (!is_absent_trace(each)) continue;
    const std::string trace = each.arrivals.trace_path, fallback = each.arrivals.trace_fallback;
    const Scenario other = read_workload(fallback);
    const auto stand_in =
        std::find_if(other.workload.begin(), other.workload.end(),
                     [&](const WorkloadClass& candidate) { return candidate.name == each.name; });
    if (stand_in == other.workload.end()) {
      throw InputError(fallback + ": no class '" + each.name + "' to stand in for the trace '" +
                       trace + "'");
    }
    if (stand_in->arrivals.kind == Arrivals::Kind::trace) {
      throw InputError(fallback + ": its class '" + each.name +
                       "' replays a trace itself; expected a " + "synthetic one to stand in for '" +
                       trace + "'");
    }
    each.arrivals = stand_in->arrivals;
    each.arrivals.trace_fallback = fallback;
    if (!each.input_tokens) each.input_tokens = stand_in->input_tokens;
    if (!each.output_tokens) each.output_tokens = stand_in->output_tokens;
    scenario.warnings.push_back(document.file + ": no trace file '" + trace + "'; class '" +
                                each.name + "' is the synthetic one of " + fallback + " instead");
    scenario.name += " (class " + each.name + " synthetic: the trace is not there)";
  }
}

}  // namespace headway
