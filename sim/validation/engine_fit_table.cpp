#include "sim/validation/engine_fit_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/units.hpp"
#include "sim/report/table_text.hpp"
#include "sim/validation/validation_table.hpp"

namespace headway {
namespace {

constexpr int kConstant = 24, kSeconds = 11;           // a constant, and each of its figures
constexpr int kTitle = 16, kFigure = 14, kError = 17;  // a figure of a row

std::string time_text(double seconds) {
  return format_quantity(seconds, Dimension::time);
}

std::string constant_line(const EngineFit& fit, std::size_t p, const TableStyle& style) {
  const EngineConstant& constant = engine_constants()[p];
  const FittedParameter& one = fit.fit.parameters[p];
  std::string text =
      "  " + left(constant.key, kConstant) + right(time_text(fit.base.*constant.seconds), kSeconds);
  switch (one.told) {
    case Told::yes:
      text += right(time_text(one.value), kSeconds) +
              fmt::format("  {} {}", style.unicode ? "±" : "+-", time_text(one.standard_error));
      break;
    case Told::without_effect:
      text += right("kept", kSeconds) +
              fmt::format("  no figure moves by {:.0f} %", 100 * FitLimits{}.noise);
      break;
    case Told::mixed_up:
      text += right("kept", kSeconds) + fmt::format("  like {}", engine_constants()[one.like].key);
      break;
  }
  return text + "\n";
}

std::string row_lines(const RowCase& before, const RowCase& after, const TableStyle& style) {
  std::string text = "  " + inked(style, Ink::bold, after.row.id) + "\n";
  for (const Measure measure : fitted_measures(after)) {
    const double measured = *after.row.measured[measure];
    text += "    " + left(facts_of(measure).title, kTitle - 2) +
            right(measure_text(measure, measured), kFigure);
    for (const RowCase* one : {&before, &after}) {
      const auto& predicted = one->predicted[measure];
      text += right(predicted ? fmt::format("{} {:>7}", number_text(*predicted),
                                            error_text(*predicted / measured - 1))
                              : "-",
                    kError);
    }
    text += "\n";
  }
  return text;
}

double root_mean_square(const std::vector<double>& residuals) {
  double sum = 0;
  for (const double one : residuals) sum += one * one;
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, residuals.size())));
}

}  // namespace

std::string fit_text(const EngineFit& fit, const TableStyle& style) {
  const std::size_t rows = fit.after.size(), figures = fit.fit.after.size();
  const int iterations = fit.fit.iterations;
  std::string text =
      inked(style, Ink::bold, fit.base.name) +
      fmt::format("  {} result{}, {} figures; {} iteration{}{}\n", rows, rows == 1 ? "" : "s",
                  figures, iterations, iterations == 1 ? "" : "s",
                  fit.fit.converged ? "" : ", not converged");
  text += "  " + left("constant", kConstant) + right("base", kSeconds) + right("fitted", kSeconds) +
          "\n";
  for (std::size_t p = 0; p < kEngineConstants; ++p) text += constant_line(fit, p, style);
  text += "\n  " + left("result", kTitle) + right("measured", kFigure) + right("base", kError) +
          right("fitted", kError) + "\n";
  for (std::size_t i = 0; i < rows; ++i) text += row_lines(fit.before[i], fit.after[i], style);
  text += "  " + left("root mean square", kTitle + kFigure) +
          right(fmt::format("{:.1f} %", 100 * root_mean_square(fit.fit.before)), kError) +
          right(fmt::format("{:.1f} %", 100 * root_mean_square(fit.fit.after)), kError) + "\n";
  const std::vector<std::string> next = measure_next(fit);
  for (std::size_t i = 0; i < next.size(); ++i)
    text += (i == 0 ? "\n" : "") + labelled(i == 0 ? "measure next" : "", next[i]);
  return text;
}

}  // namespace headway
