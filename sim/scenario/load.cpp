#include "sim/scenario/load.hpp"

#include "sim/scenario/check.hpp"
#include "sim/scenario/override.hpp"
#include "sim/scenario/reader.hpp"
#include "sim/scenario/trace_fallback.hpp"

namespace headway {
namespace {

/// The version says how the rest is meant, so it comes first and is looked at first.
void check_version(const Document& document) {
  const auto& entries = document.root.entries;
  const std::string expected = "expected 'headway: 1', the format's version, as the first key";
  if (entries.empty() || entries.front().key != "headway")
    document.fail(entries.empty() ? document.root.at : entries.front().key_at, expected);
  const Node& version = entries.front().value;
  if (version.kind != Node::Kind::scalar || version.quoted || version.text != "1")
    document.fail(
        version.at,
        "format version " +
            (version.kind == Node::Kind::scalar ? "'" + shown(version.text) + "'" : "missing") +
            " is not known; expected 'headway: 1'");
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& file,
                        const std::filesystem::path& base, const std::vector<std::string>& sets) {
  Document document = parse_document(text, file);
  check_version(document);
  apply_overrides(document, scenario_schema(), sets);
  Scenario scenario;
  scenario.file = file;
  read_document(scenario_schema(), document, base, &scenario);
  if (scenario.name.empty()) scenario.name = std::filesystem::path(file).stem().string();
  use_trace_fallbacks(scenario, document);
  Draft draft(document, scenario);
  for (const Check& check : scenario_checks()) check.run(draft);
  return scenario;
}

Scenario load_scenario(const std::string& path, const std::vector<std::string>& sets) {
  return parse_scenario(read_scenario_file(path), path, std::filesystem::path(path).parent_path(),
                        sets);
}

}  // namespace headway
