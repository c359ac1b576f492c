// Which latency a plot shows.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

enum class LatencyKind { ttft, tpot, e2e };
enum class LatencyStatistic { mean, p50, p90, p99 };

QString latency_name(LatencyKind kind);              // "TTFT"
QString statistic_name(LatencyStatistic statistic);  // "p99"
const Figures& latency_figures(const Summary& summary, LatencyKind kind);
const Figure& statistic_of(const Figures& figures, LatencyStatistic statistic);

/// What a class promises of this latency.
struct PromisedLatency {
  QString label;  // "SLO 500 ms", with the class's name where there are several
  double seconds = 0;
};
std::vector<PromisedLatency> promised_latencies(const Scenario& scenario, LatencyKind kind);

}  // namespace headway
