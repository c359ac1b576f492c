#include "sim/validation/requirement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/units.hpp"
#include "sim/report/table_text.hpp"
#include "sim/validation/csv_table.hpp"
#include "sim/validation/score.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {
namespace {

std::string word(const CsvTable& table, const char* column, const std::vector<std::string>& words) {
  const std::string& text = table.text(column);
  if (std::find(words.begin(), words.end(), text) != words.end()) return text;
  const std::string near = nearest_word(text, words);
  table.fail(column, fmt::format("{} is {}; expected {}{}", column, headway::quoted(text),
                                 fmt::join(words, ", "),
                                 near.empty() ? "" : fmt::format("; did you mean {}", near)));
}

}  // namespace

std::vector<Requirement> read_requirements(const std::string& path,
                                           const std::vector<std::string>& groups) {
  const std::vector<std::string> columns = {"group", "kind", "measure", "statistic",
                                            "at_most_percent"};
  CsvTable table(path, "a table of limits (CSV)", columns, columns);
  std::vector<std::string> names;
  for (const MeasureFacts& facts : measures()) names.emplace_back(facts.name);
  std::vector<Requirement> requirements;
  while (table.next()) {
    Requirement& made = requirements.emplace_back();
    made.group = word(table, "group", groups);
    made.kind = table.text("kind");
    const std::string measure = word(table, "measure", names);
    for (const MeasureFacts& facts : measures())
      if (measure == facts.name) made.measure = facts.measure;
    made.statistic = word(table, "statistic", {"mean", "median", "worst", "bias"});
    const auto limit = table.number("at_most_percent", 0, 1e6);
    if (!limit) table.fail("at_most_percent", "at_most_percent is empty; expected a number");
    made.at_most = *limit;
  }
  if (requirements.empty())
    table.fail("group", "no rows under the header; expected one for each limit to keep");
  return requirements;
}

std::optional<double> figure_for(const Requirement& requirement,
                                 const std::vector<RowCase>& cases) {
  const auto score = score_of(cases, requirement.measure, [&](const RowCase& one) {
    return one.scored() && one.row.group == requirement.group &&
           (requirement.kind.empty() || one.kind == requirement.kind);
  });
  if (!score) return std::nullopt;
  const double figure = requirement.statistic == "mean"     ? score->mean
                        : requirement.statistic == "median" ? score->median
                        : requirement.statistic == "bias"   ? std::fabs(score->bias)
                                                            : std::fabs(score->worst);
  return 100 * figure;
}

std::string requirements_text(const std::vector<Requirement>& requirements,
                              const std::vector<RowCase>& cases, bool& met) {
  const std::vector<std::string> groups = groups_of(cases);
  met = true;
  std::string text;
  for (const Requirement& one : requirements) {
    if (std::find(groups.begin(), groups.end(), one.group) == groups.end()) continue;
    const auto figure = figure_for(one, cases);
    const bool kept = figure && *figure <= one.at_most;
    met = met && kept;
    const std::string what = fmt::format("{}{}{}: {} {}", one.group, one.kind.empty() ? "" : ", ",
                                         one.kind, facts_of(one.measure).title, one.statistic);
    text += fmt::format("  {}{}  at most {} %  {}\n", left(what, 46),
                        right(figure ? fmt::format("{:.1f} %", *figure) : "no row", 8),
                        number_text(one.at_most), kept ? "met" : "NOT MET");
  }
  return text.empty() ? "  nothing of these groups\n" : text;
}

}  // namespace headway
