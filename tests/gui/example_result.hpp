// Results with round figures, and quick scenarios, for the tests of this folder.
#pragma once

#include <string>
#include <vector>

#include "gui/runs/run_result.hpp"

namespace headway {

/// One server of 1 ms at 500 requests/s: an M/M/1 queue at half its load, for 100 s.
inline const std::string& station_text() {
  static const std::string text = R"(headway: 1
name: one server
workload:
  - class: work
    arrivals: {poisson: {rate: 500 /s}}
    slo: {e2e: 20 ms, percentile: 99}
fleet:
  - pool: server
    service: {time: {exponential: {mean: 1 ms}}}
run: {duration: 100 s}
)";
  return text;
}

inline Figures figures_of(double mean, double half_width) {
  Figures figures;
  figures.count = 1000;
  figures.mean = {mean, half_width, true};
  figures.p50 = {mean, half_width, true};
  figures.p90 = {2 * mean, half_width, false};
  figures.p99 = {4 * mean, {}, false};
  figures.max = 8 * mean;
  return figures;
}

/// Mean TTFT and E2E of these seconds ± their half-width; p90 not converged, p99 without interval.
inline RunResultPtr example_result(double ttft, double half_width,
                                   const std::string& scenario_text = station_text()) {
  auto result = std::make_shared<RunResult>();
  result->request.scenario_text = scenario_text;
  Summary& summary = result->report.summary;
  summary.scenario = "example";
  summary.stability = {Verdict::stable, "a steady state", 0, 0, "", 0};
  summary.offered_per_second = 10;
  summary.achieved_per_second = 9.5;
  summary.output_tokens_per_second = 2000;
  summary.slo_given = summary.slo_held = true;
  summary.good_share = 0.9999;
  summary.goodput_per_second = 9.49;
  summary.latencies.ttft = figures_of(ttft, half_width);
  summary.latencies.tpot = figures_of(0.01, 0.001);
  summary.latencies.e2e = figures_of(10 * ttft, half_width);
  Cost& cost = summary.cost;
  cost.known = true;
  cost.gpus = 2;
  cost.mean_gpus = cost.gpu_hours = 2;
  cost.usd = cost.usd_per_hour = 5.98;
  cost.usd_per_request = 0.0001;
  cost.usd_per_million_output_tokens = 0.25;
  cost.usd_per_million_total_tokens = 0.04;
  summary.bottleneck = {"compute", "main", 0.5, false, "more GPUs"};
  return result;
}

}  // namespace headway
