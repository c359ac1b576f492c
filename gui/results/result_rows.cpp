#include "gui/results/result_rows.hpp"

#include <QCoreApplication>
#include <QHash>
#include <cmath>

#include "gui/results/fleet_rows.hpp"

namespace headway {

namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("ResultRows", text);
}

QString text_of(const std::string& text) {
  return QString::fromStdString(text);
}

void add_load(RowList& rows) {
  const Summary& summary = rows.summary();
  using Unit = FigureUnit;
  rows.add(tr("requests offered"), Unit::per_second, summary.offered_per_second);
  rows.add(tr("requests achieved"), Unit::per_second, summary.achieved_per_second);
  const auto given = [](bool there, double value) {
    return there ? std::optional<double>(value) : std::nullopt;
  };
  rows.add(tr("output tokens"), Unit::per_second,
           given(summary.latencies.tpot.count > 0, summary.output_tokens_per_second));
  rows.add(tr("goodput"), Unit::per_second, given(summary.slo_given, summary.goodput_per_second));
  rows.add(tr("good requests"), Unit::share, given(summary.slo_given, summary.good_share));
  rows.add_words(tr("SLO"), !summary.slo_given ? QString()
                            : summary.slo_held ? tr("held")
                                               : tr("NOT held"));
}

void add_cost(RowList& rows) {
  const Summary& summary = rows.summary();
  const Cost& cost = summary.cost;
  const bool known = cost.known && cost.gpus > 0;
  const std::optional<double> none;
  rows.add(tr("cost / hour"), FigureUnit::usd, known ? cost.usd_per_hour : none);
  rows.add(tr("cost / request"), FigureUnit::usd, known ? cost.usd_per_request : none);
  rows.add(tr("cost / M output tokens"), FigureUnit::usd,
           known ? cost.usd_per_million_output_tokens : none);
  const Bottleneck& found = summary.bottleneck;
  QString words = text_of(found.resource);
  if (!found.pool.empty()) words += tr(" of %1").arg(text_of(found.pool));
  rows.add_words(tr("bottleneck"), words,
                 found.resource.empty() ? QString() : text_of(found.relief));
}

void add_overall_latencies(RowList& rows) {
  const Latencies& latencies = rows.summary().latencies;
  const Figures& itl = rows.summary().itl;
  const Figures none;
  rows.add_latency(tr("TTFT"), latencies.tpot.count > 0 || itl.count > 0 ? latencies.ttft : none);
  rows.add_latency(tr("TPOT"), latencies.tpot);
  rows.add_latency(tr("ITL"), itl);
  rows.add_latency(tr("E2E"), latencies.e2e);
  rows.add_latency(tr("queue time"), latencies.queue);
}

void add_class_rows(RowList& rows) {
  if (rows.summary().classes.size() < 2) return;
  for (const ClassSummary& one : rows.summary().classes) {
    const QString of = tr("class %1: ").arg(text_of(one.name));
    rows.add(of + tr("achieved"), FigureUnit::per_second, one.achieved_per_second);
    rows.add(of + tr("good requests"), FigureUnit::share,
             one.slo.given ? std::optional(one.slo.good_share) : std::nullopt);
    rows.add_latencies(of, one.latencies.ttft, one.latencies.tpot, one.latencies.e2e);
  }
}

}  // namespace

std::vector<ResultRow> result_rows(const Report& report) {
  RowList rows(report.summary);
  add_load(rows);
  add_cost(rows);
  add_overall_latencies(rows);
  add_class_rows(rows);
  add_pool_rows(rows);
  add_outcome_rows(rows);
  add_replica_rows(rows);
  return rows.take();
}

std::vector<ComparedRow> compared_rows(const Report& run, const Report* baseline) {
  const std::vector<ResultRow> mine = result_rows(run);
  const std::vector<ResultRow> others =
      baseline ? result_rows(*baseline) : std::vector<ResultRow>();
  QHash<QString, std::size_t> in_mine, in_others;
  for (std::size_t i = 0; i < mine.size(); ++i) in_mine.insert(mine[i].label, i);
  for (std::size_t i = 0; i < others.size(); ++i) in_others.insert(others[i].label, i);
  std::vector<ComparedRow> rows;
  std::size_t next = 0;  // of the others, to be told if this run lacks it
  const auto tell_until = [&](std::size_t end) {
    for (; next < end; ++next) {
      const ResultRow& other = others[next];
      if (other.worth_showing && !in_mine.contains(other.label))
        rows.push_back({other.label, other.unit, {}, other.figure});
    }
  };
  for (const ResultRow& row : mine) {
    ComparedRow both{row.label, row.unit, row.figure, {}};
    bool worth_showing = row.worth_showing;
    if (const auto found = in_others.constFind(row.label); found != in_others.constEnd()) {
      tell_until(*found);
      both.baseline = others[*found].figure;
      worth_showing |= others[*found].worth_showing;
    }
    if (worth_showing) rows.push_back(std::move(both));
  }
  tell_until(others.size());
  return rows;
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

}  // namespace headway
