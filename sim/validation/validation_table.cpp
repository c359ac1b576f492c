#include "sim/validation/validation_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "sim/report/table_text.hpp"
#include "sim/validation/score.hpp"

namespace headway {
namespace {

constexpr int kTitle = 22, kFigure = 14;  // a row: title, three figures
constexpr int kMeasure = 14, kScore = 8;  // a score: measure, five figures, the row
constexpr int kPart = 24, kPartCell = 9;  // a part: its name, six figures

/// Below ten times as large, in per cent; beyond, as a factor.
std::string size_text(double error) {
  const double percent = 100 * std::fabs(error);
  if (percent >= 1000) return "x" + number_text(1 + std::fabs(error));
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string line(const std::string& label, int width, const std::vector<std::string>& cells,
                 int cell, const std::string& end = "") {
  std::string text = "  " + left(label, width);
  for (const std::string& one : cells) text += right(one, cell);
  return text + end + "\n";
}

/// An id of a score's last column: one that is too long loses its middle.
std::string shortened(const std::string& id) {
  constexpr std::size_t kMost = 22, kEnd = 10;
  if (id.size() <= kMost) return id;
  return id.substr(0, kMost - kEnd - 2) + ".." + id.substr(id.size() - kEnd);
}

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", grouped(static_cast<std::int64_t>(count)), what,
                     count == 1 ? "" : "s");
}

/// "7 rows: reason (id, id, …)" for every reason that some rows of the group have.
std::string reasons_text(const std::vector<RowCase>& cases, const std::string& group,
                         const char* label,
                         const std::function<std::string(const RowCase&)>& reason) {
  std::map<std::string, std::vector<std::string>> ids;
  for (const RowCase& one : cases)
    if (one.row.group == group)
      if (std::string why = reason(one); !why.empty()) {
        // A refusal starts with the place in the row's own scenario; the id says it.
        const std::string place = one.row.id + ".yaml:";
        if (why.starts_with(place)) why.erase(0, why.find(": ") + 2);
        ids[why].push_back(one.row.id);
      }
  std::string text;
  for (const auto& [why, rows] : ids) {
    constexpr std::size_t kShown = 3;
    std::string shown;
    for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i)
      shown += (i > 0 ? ", " : "") + rows[i];
    if (rows.size() > kShown) shown += ", ...";
    text += labelled(fmt::format("  {}", label),
                     fmt::format("{}: {} ({})", plural(rows.size(), "row"), why, shown));
  }
  return text;
}

/// One line of a breakdown: mean errors of the measures that a use is judged by.
std::string part_line(const std::vector<RowCase>& cases, const std::string& label,
                      const RowChoice& choice) {
  std::vector<std::string> cells;
  std::size_t rows = 0;
  for (const RowCase& one : cases) rows += choice(one) ? 1 : 0;
  cells.push_back(grouped(static_cast<std::int64_t>(rows)));
  for (const Measure measure : {Measure::ttft_mean, Measure::tpot_mean, Measure::e2e_mean,
                                Measure::requests, Measure::output_tokens}) {
    const auto score = score_of(cases, measure, choice);
    cells.push_back(score ? size_text(score->mean) : "-");
  }
  return line(label, kPart, cells, kPartCell);
}

using Part = std::string (*)(const RowCase&);

/// The shown rows by the values of one property, where it has several.
std::string breakdown(const std::vector<RowCase>& cases, const RowChoice& shown, Part part) {
  std::vector<std::string> values;
  for (const RowCase& one : cases) {
    if (!shown(one)) continue;
    const std::string value = part(one);
    if (!value.empty() && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }
  std::string text;
  if (values.size() < 2) return text;
  for (const std::string& value : values)
    text += part_line(cases, value,
                      [&](const RowCase& one) { return shown(one) && part(one) == value; });
  return text;
}

std::string kind_part(const RowCase& one) {
  return one.kind;
}
std::string engine_part(const RowCase& one) {
  return one.engine;
}
std::string gpu_part(const RowCase& one) {
  return one.gpu;
}
std::string load_part(const RowCase& one) {
  if (one.row.loop != Loop::open_constant) return "";
  return one.near_knee ? "load over 85 % of knee" : "load under 85 % of knee";
}

/// Errors by measure, then mean errors by property.
std::string errors_text(const std::vector<RowCase>& cases, const RowChoice& shown,
                        const char* title) {
  std::string lines;
  for (const MeasureFacts& facts : measures()) {
    const auto score = score_of(cases, facts.measure, shown);
    if (!score) continue;
    lines += line(facts.title, kMeasure,
                  {grouped(static_cast<std::int64_t>(score->rows)), size_text(score->mean),
                   size_text(score->median), error_text(score->bias), error_text(score->worst)},
                  kScore, "  " + shortened(score->worst_id));
  }
  if (lines.empty()) return "";
  std::string parts;
  for (const Part part : {kind_part, engine_part, gpu_part, load_part})
    parts += breakdown(cases, shown, part);
  if (!parts.empty())
    parts =
        line("mean error", kPart, {"rows", "TTFT", "TPOT", "E2E", "req/s", "tok/s"}, kPartCell) +
        parts;
  return line(title, kMeasure, {"rows", "mean", "median", "bias", "worst"}, kScore) + lines + parts;
}

}  // namespace

std::string error_text(double error) {
  const double percent = 100 * error;
  if (percent >= 1000) return "x" + number_text(1 + error);
  return fmt::format("{:+.{}f} %", percent, std::fabs(percent) < 9.95 ? 1 : 0);
}

std::string row_text(const RowCase& one, const TableStyle& style) {
  std::string state = one.kind + ", " + one.engine + ", " + one.gpu;
  if (one.fitted) state += ", fitted on";
  if (one.saturated) state += ", saturated";
  if (!one.unscored.empty()) state += ", not scored";
  std::string text = inked(style, Ink::bold, one.row.id);
  if (!one.scenario) return text + "  not run\n";
  text += "  " + state + "\n";
  if (!one.failure.empty()) return text + labelled("  failed", one.failure);
  for (const MeasureFacts& facts : measures()) {
    const auto& measured = one.row.measured[facts.measure];
    const auto& predicted = one.predicted[facts.measure];
    if (!measured) continue;
    text += line(facts.title, kTitle,
                 {measure_text(facts.measure, *measured),
                  predicted ? measure_text(facts.measure, *predicted) : "-",
                  predicted ? error_text(*predicted / *measured - 1) : "-"},
                 kFigure);
  }
  return text;
}

std::string group_text(const std::vector<RowCase>& cases, const std::string& group,
                       const TableStyle& style) {
  const RowChoice in_group = [&](const RowCase& one) { return one.row.group == group; };
  const auto rows = static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), in_group));
  const auto scored =
      static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), [&](const RowCase& one) {
        return in_group(one) && one.scored();
      }));
  std::string text = inked(style, Ink::bold, group) +
                     fmt::format("  {} of {} scored\n", scored, plural(rows, "row"));
  text += reasons_text(cases, group, "not run", [](const RowCase& one) { return one.not_run; });
  text += reasons_text(cases, group, "failed", [](const RowCase& one) { return one.failure; });
  text += reasons_text(cases, group, "not scored", [](const RowCase& one) {
    return one.scenario && one.failure.empty() ? one.unscored : "";
  });
  text += reasons_text(cases, group, "fitted on", [](const RowCase& one) {
    return std::string(one.fitted ? "constants of " + one.engine : "");
  });
  return text + (scored > 0
                     ? errors_text(
                           cases, [&](const RowCase& one) { return in_group(one) && one.scored(); },
                           "error")
                     : errors_text(cases, in_group, "not scored"));
}

std::string comparison_text(const std::string& id, const RequestComparison& comparison,
                            const TableStyle& style) {
  std::string text =
      inked(style, Ink::bold, id) +
      fmt::format("  request by request: {}, {} of the engine's state\n",
                  plural(comparison.requests, "request"), plural(comparison.samples, "sample"));
  for (const LatencyComparison& one : comparison.latencies) {
    const auto figure = [&](const char* title, const LatencyComparison::Pair& pair) {
      text += line(one.title + " " + title, kTitle,
                   {measure_text(Measure::ttft_mean, 1e3 * pair.measured),
                    measure_text(Measure::ttft_mean, 1e3 * pair.predicted),
                    pair.measured > 0 ? error_text(pair.predicted / pair.measured - 1) : "-"},
                   kFigure);
    };
    figure("mean", one.mean);
    figure("p50", one.p50);
    figure("p90", one.p90);
    figure("p99", one.p99);
    text +=
        fmt::format("    a request differs by {} in the mean, correlation {:.4f}\n",
                    measure_text(Measure::ttft_mean, 1e3 * one.mean_difference), one.correlation);
  }
  for (const StateComparison& one : comparison.states) {
    if (!one.recorded) {
      text += line(one.title, kTitle, {"not recorded: the log holds only zeros"}, 0);
      continue;
    }
    const double scale = one.title == "KV use" ? 100 : 1;
    text +=
        line("mean " + one.title, kTitle,
             {number_text(scale * one.measured_mean), number_text(scale * one.predicted_mean),
              one.measured_mean > 0 ? error_text(one.predicted_mean / one.measured_mean - 1) : "-"},
             kFigure);
    text += fmt::format("    at a time differs by {} in the mean\n",
                        number_text(scale * one.mean_difference));
  }
  return text;
}

}  // namespace headway
