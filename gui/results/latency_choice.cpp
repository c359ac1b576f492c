#include "gui/results/latency_choice.hpp"

#include <QCoreApplication>

#include "sim/report/table_text.hpp"

namespace headway {

QString latency_name(LatencyKind kind) {
  switch (kind) {
    case LatencyKind::ttft:
      return QStringLiteral("TTFT");
    case LatencyKind::tpot:
      return QStringLiteral("TPOT");
    case LatencyKind::e2e:
      break;
  }
  return QStringLiteral("E2E");
}

QString statistic_name(LatencyStatistic statistic) {
  switch (statistic) {
    case LatencyStatistic::mean:
      return QCoreApplication::translate("LatencyStatistic", "mean");
    case LatencyStatistic::p50:
      return QStringLiteral("p50");
    case LatencyStatistic::p90:
      return QStringLiteral("p90");
    case LatencyStatistic::p99:
      break;
  }
  return QStringLiteral("p99");
}

const Figures& latency_figures(const Summary& summary, LatencyKind kind) {
  const Latencies& all = summary.latencies;
  return kind == LatencyKind::ttft ? all.ttft : kind == LatencyKind::tpot ? all.tpot : all.e2e;
}

const Figure& statistic_of(const Figures& figures, LatencyStatistic statistic) {
  switch (statistic) {
    case LatencyStatistic::mean:
      return figures.mean;
    case LatencyStatistic::p50:
      return figures.p50;
    case LatencyStatistic::p90:
      return figures.p90;
    case LatencyStatistic::p99:
      break;
  }
  return figures.p99;
}

std::vector<PromisedLatency> promised_latencies(const Scenario& scenario, LatencyKind kind) {
  std::vector<PromisedLatency> promised;
  for (const WorkloadClass& one : scenario.workload) {
    if (!one.slo) continue;
    const std::optional<double>& seconds = kind == LatencyKind::ttft   ? one.slo->ttft_seconds
                                           : kind == LatencyKind::tpot ? one.slo->tpot_seconds
                                                                       : one.slo->e2e_seconds;
    if (!seconds) continue;
    QString label = QStringLiteral("SLO ") + QString::fromStdString(seconds_text(*seconds, {}, {}));
    if (scenario.workload.size() > 1)
      label += QStringLiteral(" (") + QString::fromStdString(one.name) + QLatin1Char(')');
    promised.push_back({label, *seconds});
  }
  return promised;
}

}  // namespace headway
