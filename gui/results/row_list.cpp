#include "gui/results/row_list.hpp"

#include <QCoreApplication>
#include <cmath>

namespace headway {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("ResultRows", text);
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

}  // namespace

void RowList::add(const QString& label, FigureUnit unit, const std::optional<double>& value) {
  ResultRow row{label, unit, {}};
  if (value && std::isfinite(*value)) row.figure.value = value;
  row.worth_showing = row.figure.exists();
  rows_.push_back(std::move(row));
}

void RowList::add_words(const QString& label, const QString& words, const QString& note) {
  ResultRow row{label, FigureUnit::words, {}};
  row.figure.words = words;
  row.figure.note = note;
  row.worth_showing = row.figure.exists();
  rows_.push_back(std::move(row));
}

void RowList::add_unless_zero(const QString& label, FigureUnit unit, double value) {
  add(label, unit, value);
  last().worth_showing &= value != 0;
}

void RowList::add_latency(const QString& name, const Figures& figures) {
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
    row.worth_showing = row.figure.exists();
    rows_.push_back(std::move(row));
  }
}

ResultFigure RowList::figure_of(const Figure& figure) const {
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

void RowList::add_latencies(const QString& prefix, const Figures& ttft, const Figures& tpot,
                            const Figures& e2e) {
  const Figures none;
  add_latency(prefix + tr("TTFT"), tpot.count > 0 ? ttft : none);
  add_latency(prefix + tr("TPOT"), tpot);
  add_latency(prefix + tr("E2E"), e2e);
}

}  // namespace headway
