#include "gui/results/figure_text.hpp"

#include <cmath>

#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr TableStyle kStyle{.colour = false, .unicode = true};

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

QString value_text(double value, FigureUnit unit, const std::optional<double>& half_width) {
  switch (unit) {
    case FigureUnit::seconds:
      return text_of(seconds_text(value, half_width, kStyle));
    case FigureUnit::per_second:
      return text_of(number_text(value)) + QStringLiteral(" /s");
    case FigureUnit::usd:
      return text_of(number_text(value)) + QStringLiteral(" USD");
    case FigureUnit::share:
      // Rounded down, so that a promise missed by little never reads as one that was kept.
      return text_of(number_text(std::floor(value * 1e4 + 1e-6) / 100)) + QStringLiteral(" %");
    case FigureUnit::count:
      return text_of(number_text(value));
    case FigureUnit::gpu_hours:
      return text_of(number_text(value)) + QStringLiteral(" GPU-h");
    case FigureUnit::words:
      break;
  }
  return {};
}

QString sign_of(double value) {
  return value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
}

}  // namespace

QString figure_text(const ResultFigure& figure, FigureUnit unit) {
  if (!figure.value) return figure.words.isEmpty() ? QStringLiteral("-") : figure.words;
  const QString mark = figure.half_width && !figure.converged ? QStringLiteral("~") : QString();
  return mark + value_text(*figure.value, unit, figure.half_width);
}

QString difference_text(const FigureDifference& difference, FigureUnit unit) {
  if (difference.absolute == 0) return QStringLiteral("0");
  if (unit == FigureUnit::share)
    return sign_of(difference.absolute) +
           text_of(number_text(std::fabs(difference.absolute) * 100)) + QStringLiteral(" points");
  return sign_of(difference.absolute) + value_text(std::fabs(difference.absolute), unit, {});
}

QString relative_text(const FigureDifference& difference) {
  if (!difference.relative) return {};
  const double percent = *difference.relative * 100;
  const int decimals = std::fabs(percent) < 9.95 ? 1 : 0;
  return sign_of(percent) + QString::number(std::fabs(percent), 'f', decimals) +
         QStringLiteral(" %");
}

QString unit_name(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::seconds:
      return QStringLiteral("s");
    case FigureUnit::per_second:
      return QStringLiteral("1/s");
    case FigureUnit::usd:
      return QStringLiteral("USD");
    case FigureUnit::share:
      return QStringLiteral("1");
    case FigureUnit::count:
      return QStringLiteral("count");
    case FigureUnit::gpu_hours:
      return QStringLiteral("GPU-h");
    case FigureUnit::words:
      break;
  }
  return {};
}

}  // namespace headway
