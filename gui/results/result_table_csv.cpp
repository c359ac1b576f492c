#include "gui/results/result_table_csv.hpp"

#include <fmt/format.h>

#include "gui/results/figure_text.hpp"
#include "sim/report/requests_csv.hpp"

namespace headway {

namespace {

std::string raw(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string field(const QString& words) {
  return csv_field(words.toStdString());
}

std::string value_field(const ResultFigure& figure) {
  return figure.value ? raw(figure.value) : field(figure.words);
}

const char* meaning_field(const std::optional<FigureDifference>& change) {
  using Meaning = FigureDifference::Meaning;
  if (change && change->meaning == Meaning::within) return "within the intervals";
  if (change && change->meaning == Meaning::significant) return "significant";
  return "";
}

}  // namespace

std::string result_table_csv(const Report& report, const Report* baseline) {
  std::string text =
      "# headway.table version 1; values in the unit of their row, intervals of 95 %\n"
      "figure,unit,value,half_width_95,converged,note,baseline,baseline_half_width_95,"
      "difference,difference_share,difference_meaning\n";
  for (const ComparedRow& row : compared_rows(report, baseline)) {
    const ResultFigure &figure = row.run, &other = row.baseline;
    const auto change = difference(figure, other);
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", field(row.label),
                        field(unit_name(row.unit)), value_field(figure), raw(figure.half_width),
                        !figure.half_width ? ""
                        : figure.converged ? "yes"
                                           : "no",
                        field(figure.note), value_field(other), raw(other.half_width),
                        change ? raw(change->absolute) : "", change ? raw(change->relative) : "",
                        meaning_field(change));
  }
  return text;
}

}  // namespace headway
