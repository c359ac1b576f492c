// A report with round figures, and a scenario to observe, for the tests of this folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "sim/report/report.hpp"

namespace headway {

inline Scenario example_scenario() {
  Scenario scenario;
  scenario.name = "chat";
  scenario.file = "chat.yaml";
  scenario.workload.resize(2);
  scenario.workload[0].name = "chat";
  scenario.workload[1].name = "long, quoted";
  scenario.fleet.resize(2);
  scenario.fleet[0].name = "main";
  scenario.fleet[0].replicas = 2;
  scenario.fleet[0].placement.architecture.name = "llama-3.1-8b";
  scenario.fleet[0].placement.gpu.name = "h100-sxm-80gb";
  scenario.fleet[0].placement.engine.name = "vllm-0.19";
  scenario.fleet[1].name = "reranker";
  scenario.fleet[1].kind = Pool::Kind::service;
  scenario.fleet[1].service.servers = 2;
  return scenario;
}

inline Figures example_figures(double mean, bool converged = true) {
  Figures figures;
  figures.count = 1000;
  figures.mean = {mean, mean / 100, converged};
  figures.p50 = {mean * 0.9, mean / 80, converged};
  figures.p90 = {mean * 2, mean / 50, converged};
  figures.p95 = {mean * 2.5, {}, false};
  figures.p99 = {mean * 4, mean / 10, converged};
  figures.p99_9 = {mean * 6, {}, false};
  figures.max = mean * 8;
  return figures;
}

inline Report example_report() {
  Report report;
  report.facts = facts_of(example_scenario());
  Summary& summary = report.summary;
  summary.scenario = "chat";
  summary.stability = {Verdict::stable, "the queue does not grow", 0.01, 0.5, "", 0};
  summary.warm_up = {WarmUp::How::mser5, 6.125, 120, 3, "MSER-5: 120 requests (6.1 s)"};
  summary.load_seconds = 3600;
  summary.makespan_seconds = 3610;
  summary.drain_seconds = 10;
  summary.measured_seconds = 3593.875;
  summary.offered_per_second = 20;
  summary.achieved_per_second = 19.95;
  summary.output_tokens_per_second = 4219.4;
  summary.input_tokens_per_second = 23100;
  summary.total_tokens_per_second = 27319.4;
  summary.goodput_per_second = 19.5;
  summary.good_share = 0.975;
  summary.slo_given = true;
  summary.latencies.ttft = example_figures(0.040);
  summary.latencies.tpot = example_figures(0.012);
  summary.latencies.e2e = example_figures(2.5, false);
  summary.latencies.queue = example_figures(0.002);
  summary.latencies.ttft_from_sent = example_figures(0.036);
  summary.latencies.e2e_from_sent = example_figures(2.25);
  summary.itl = example_figures(0.0125);
  summary.number_in_system = 50;
  summary.counts.arrived = 72020;
  summary.counts.completed = 72200;
  summary.counts.rejected = 7;
  summary.counts.rejected_by_reason[static_cast<int>(Outcome::rejected_queue_full)] = 7;
  summary.counts.input_tokens = 83391000;
  summary.counts.output_tokens = 14440000;
  ClassSummary one;
  one.name = "chat";
  one.slo = {true, 0.975, 0.99, false};
  one.latencies = summary.latencies;
  summary.classes = {one};
  PoolUse pool;
  pool.name = "main";
  pool.replicas = 2;
  pool.gpus = 2;
  pool.busy = 0.83;
  pool.idle = 0.17;
  pool.memory_bandwidth = 0.65;
  pool.compute = 0.12;
  pool.host = 0.06;
  pool.ready = pool.existing = pool.ready_least = pool.ready_most = 2;
  summary.pools = {pool};
  summary.bottleneck = {"memory bandwidth", "main", 0.65, false, "a GPU with more bandwidth"};
  summary.cost.known = true;
  summary.cost.gpus = 2;
  summary.cost.mean_gpus = 2;
  summary.cost.usd = 6;
  summary.cost.usd_per_hour = 5.98;
  summary.cost.usd_per_request = 0.0000831;
  summary.cost.usd_per_million_output_tokens = 0.415;
  summary.cost.usd_per_million_total_tokens = 0.0613;
  return report;
}

/// A folder of its own, removed with the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "headway-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace headway
