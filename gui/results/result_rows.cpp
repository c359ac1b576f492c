#include "gui/results/result_rows.hpp"

#include <fmt/format.h>

#include <QCoreApplication>
#include <cmath>

#include "sim/report/requests_csv.hpp"
#include "sim/report/table_text.hpp"

namespace headway {

namespace {

constexpr TableStyle kStyle{.colour = false, .unicode = true};

QString tr(const char* text) {
  return QCoreApplication::translate("ResultRows", text);
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

// The rows of one report as they are put together.
class Rows {
 public:
  explicit Rows(const Report& report) : summary_(report.summary) {}

  std::vector<ResultRow> all() {
    load();
    cost();
    const Latencies& latencies = summary_.latencies;
    const bool tokens = latencies.tpot.count > 0 || summary_.itl.count > 0;
    const Figures none;
    latency(tr("TTFT"), tokens ? latencies.ttft : none);
    latency(tr("TPOT"), latencies.tpot);
    latency(tr("ITL"), summary_.itl);
    latency(tr("E2E"), latencies.e2e);
    latency(tr("queue time"), latencies.queue);
    return std::move(rows_);
  }

 private:
  void add(const QString& label, FigureUnit unit, const std::optional<double>& value) {
    ResultRow row{label, unit, {}};
    if (value && std::isfinite(*value)) row.figure.value = value;
    rows_.push_back(std::move(row));
  }
  void add_words(const QString& label, const QString& words, const QString& note = {}) {
    ResultRow row{label, FigureUnit::words, {}};
    row.figure.words = words;
    row.figure.note = note;
    rows_.push_back(std::move(row));
  }
  void load();
  void cost();
  void latency(const QString& name, const Figures& figures);
  ResultFigure figure_of(const Figure& figure) const;

  const Summary& summary_;
  std::vector<ResultRow> rows_;
};

void Rows::load() {
  using Unit = FigureUnit;
  add(tr("requests offered"), Unit::per_second, summary_.offered_per_second);
  add(tr("requests achieved"), Unit::per_second, summary_.achieved_per_second);
  const auto given = [](bool there, double value) {
    return there ? std::optional<double>(value) : std::nullopt;
  };
  add(tr("output tokens"), Unit::per_second,
      given(summary_.latencies.tpot.count > 0, summary_.output_tokens_per_second));
  add(tr("goodput"), Unit::per_second, given(summary_.slo_given, summary_.goodput_per_second));
  add(tr("good requests"), Unit::share, given(summary_.slo_given, summary_.good_share));
  add_words(tr("SLO"), !summary_.slo_given ? QString()
                       : summary_.slo_held ? tr("held")
                                           : tr("NOT held"));
}

void Rows::cost() {
  const Cost& cost = summary_.cost;
  const bool known = cost.known && cost.gpus > 0;
  const std::optional<double> none;
  add(tr("cost / hour"), FigureUnit::usd, known ? cost.usd_per_hour : none);
  add(tr("cost / request"), FigureUnit::usd, known ? cost.usd_per_request : none);
  add(tr("cost / M output tokens"), FigureUnit::usd,
      known ? cost.usd_per_million_output_tokens : none);
  const Bottleneck& found = summary_.bottleneck;
  QString words = text_of(found.resource);
  if (!found.pool.empty()) words += tr(" of %1").arg(text_of(found.pool));
  add_words(tr("bottleneck"), words, found.resource.empty() ? QString() : text_of(found.relief));
}

void Rows::latency(const QString& name, const Figures& figures) {
  const std::pair<const char*, const Figure*> columns[] = {
      {"mean", &figures.mean}, {"p50", &figures.p50}, {"p90", &figures.p90}, {"p99", &figures.p99}};
  for (const auto& [column, figure] : columns) {
    ResultRow row{name + QLatin1Char(' ') + QLatin1String(column), FigureUnit::seconds, {}};
    if (figures.unstable) {
      row.figure.words = QStringLiteral("-");
      row.figure.note = tr("no finite value: unstable");
    } else if (figures.count > 0) {
      row.figure = figure_of(*figure);
    }
    rows_.push_back(std::move(row));
  }
}

ResultFigure Rows::figure_of(const Figure& figure) const {
  ResultFigure shown;
  shown.value = figure.value;
  shown.half_width = figure.half_width;
  shown.converged = figure.half_width && figure.converged;
  if (figure.half_width && !figure.converged)
    shown.note = tr("not converged");
  else if (!figure.half_width && summary_.interval_note.empty())
    shown.note = tr("no interval: too few or too correlated batches");
  else if (!figure.half_width)
    shown.note = tr("no interval: %1")
                     .arg(text_of(summary_.interval_note).remove(QStringLiteral(", no interval")));
  return shown;
}

std::string raw(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
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
    case FigureUnit::words:
      break;
  }
  return {};
}

QString sign_of(double value) {
  return value < 0 ? QStringLiteral("\u2212") : QStringLiteral("+");
}

}  // namespace

std::vector<ResultRow> result_rows(const Report& report) {
  return Rows(report).all();
}

std::optional<FigureDifference> difference(const ResultFigure& run, const ResultFigure& baseline) {
  if (!run.value || !baseline.value) return {};
  using Meaning = FigureDifference::Meaning;
  FigureDifference found;
  found.absolute = *run.value - *baseline.value;
  if (*baseline.value != 0) found.relative = found.absolute / *baseline.value;
  if (run.half_width && baseline.half_width)
    found.meaning = std::fabs(found.absolute) > std::hypot(*run.half_width, *baseline.half_width)
                        ? Meaning::significant
                        : Meaning::within;
  return found;
}

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
    case FigureUnit::words:
      break;
  }
  return {};
}

std::string result_table_csv(const Report& report, const Report* baseline) {
  std::string text =
      "# headway.table version 1; values in the unit of their row, intervals of 95 %\n"
      "figure,unit,value,half_width_95,converged,note,baseline,baseline_half_width_95,"
      "difference,difference_share,difference_meaning\n";
  const std::vector<ResultRow> rows = result_rows(report);
  const std::vector<ResultRow> others = baseline ? result_rows(*baseline) : rows;
  const auto field = [](const QString& words) { return csv_field(words.toStdString()); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ResultFigure& figure = rows[i].figure;
    const ResultFigure other = baseline ? others[i].figure : ResultFigure();
    if (!figure.exists() && !other.exists()) continue;
    const auto change = difference(figure, other);
    const char* meaning = "";
    if (change && change->meaning == FigureDifference::Meaning::within)
      meaning = "within the intervals";
    if (change && change->meaning == FigureDifference::Meaning::significant)
      meaning = "significant";
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{}\n", field(rows[i].label), field(unit_name(rows[i].unit)),
        figure.value ? raw(figure.value) : field(figure.words), raw(figure.half_width),
        !figure.half_width ? ""
        : figure.converged ? "yes"
                           : "no",
        field(figure.note), other.value ? raw(other.value) : field(other.words),
        raw(other.half_width), change ? raw(change->absolute) : "",
        change ? raw(change->relative) : "", meaning);
  }
  return text;
}

}  // namespace headway
