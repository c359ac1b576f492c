#include "sim/validation/request_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "sim/report/timeseries_csv.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/validation/csv_table.hpp"

namespace headway {
namespace {

using Values = std::vector<double>;

double mean_difference(const Values& a, const Values& b) {
  Values sizes(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sizes[i] = std::fabs(a[i] - b[i]);
  return mean_of(sizes);
}

double correlation(const Values& a, const Values& b) {
  const double a_mean = mean_of(a), b_mean = mean_of(b);
  double both = 0, a_square = 0, b_square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - a_mean) * (b[i] - b_mean);
    a_square += (a[i] - a_mean) * (a[i] - a_mean);
    b_square += (b[i] - b_mean) * (b[i] - b_mean);
  }
  return a_square > 0 && b_square > 0 ? both / std::sqrt(a_square * b_square) : 0;
}

LatencyComparison latency(const char* title, const Values& measured, const Values& predicted) {
  const auto pair = [&](double share) {
    return LatencyComparison::Pair{percentile_of(measured, share), percentile_of(predicted, share)};
  };
  LatencyComparison made;
  made.title = title;
  if (measured.empty()) return made;
  made.mean = {mean_of(measured), mean_of(predicted)};
  made.p50 = pair(0.5);
  made.p90 = pair(0.9);
  made.p99 = pair(0.99);
  made.mean_difference = mean_difference(measured, predicted);
  made.correlation = correlation(measured, predicted);
  return made;
}

StateComparison state(const char* title, const Values& measured, const Values& predicted) {
  StateComparison made;
  made.title = title;
  made.recorded = std::any_of(measured.begin(), measured.end(), [](double v) { return v > 0; });
  made.measured_mean = mean_of(measured);
  made.predicted_mean = mean_of(predicted);
  made.mean_difference = mean_difference(measured, predicted);
  return made;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.) /
                              static_cast<double>(values.size());
}

double percentile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double rank = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (rank - std::floor(rank)) * (values[above] - values[below]);
}

std::vector<PredictedRequest> read_predicted(const std::filesystem::path& requests_csv,
                                             double overhead) {
  CsvTable table(requests_csv.string(), "the requests of a run (CSV)", {},
                 {"request", "outcome", "sent_s", "queued_s", "started_s", "first_token_s",
                  "finished_s", "input_tokens", "output_tokens"});
  constexpr double kMostSeconds = 1e8;
  constexpr std::int64_t kMost = 1'000'000'000;
  std::vector<PredictedRequest> requests;
  while (table.next()) {
    const auto number = static_cast<std::size_t>(table.whole("request", 0, 100'000'000));
    if (number >= requests.size()) requests.resize(number + 1);
    const auto time = [&](const char* column) {
      return table.number(column, 0, kMostSeconds).value_or(0);
    };
    requests[number] = {table.whole("input_tokens", 0, kMost),
                        table.whole("output_tokens", 0, kMost),
                        time("queued_s"),
                        time("started_s"),
                        time("first_token_s") - overhead,
                        time("finished_s") - overhead,
                        time("sent_s"),
                        table.text("outcome") == "completed"};
  }
  return requests;
}

std::vector<LatencyComparison> compare_latencies(const std::vector<LoggedRequest>& measured,
                                                 const std::vector<PredictedRequest>& predicted) {
  if (measured.size() != predicted.size())
    throw InputError(fmt::format("the log has {} requests and the trace {}; expected the same",
                                 measured.size(), predicted.size()));
  Values ttft[2], tpot[2], e2e[2];
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const LoggedRequest& m = measured[i];
    const PredictedRequest& p = predicted[i];
    if (m.input_tokens != p.input_tokens || m.output_tokens != p.output_tokens)
      throw InputError(
          fmt::format("request {} has {} + {} tokens in the log and {} + {} in the "
                      "trace; expected the same",
                      i, m.input_tokens, m.output_tokens, p.input_tokens, p.output_tokens));
    if (!p.completed)
      throw InputError(fmt::format("request {} was rejected in the run; expected answers", i));
    ttft[0].push_back(m.first_token - m.queued);
    ttft[1].push_back(p.first_token - p.queued);
    e2e[0].push_back(m.last_token - m.queued);
    e2e[1].push_back(p.finished - p.queued);
    if (m.output_tokens < 2) continue;
    const auto gaps = static_cast<double>(m.output_tokens - 1);
    tpot[0].push_back((m.last_token - m.first_token) / gaps);
    tpot[1].push_back((p.finished - p.first_token) / gaps);
  }
  return {latency("TTFT", ttft[0], ttft[1]), latency("TPOT", tpot[0], tpot[1]),
          latency("E2E", e2e[0], e2e[1])};
}

std::vector<StateComparison> compare_states(const std::vector<LoggedState>& measured,
                                            const std::vector<PredictedRequest>& predicted,
                                            double start) {
  Values running[2], waiting[2];
  for (const LoggedState& sample : measured) {
    const double now = sample.seconds - start;
    double runs = 0, waits = 0;
    for (const PredictedRequest& one : predicted) {
      if (one.queued <= now && now < one.started) ++waits;
      if (one.started <= now && now < one.finished) ++runs;
    }
    running[0].push_back(sample.running);
    running[1].push_back(runs);
    waiting[0].push_back(sample.waiting);
    waiting[1].push_back(waits);
  }
  return {state("running", running[0], running[1]), state("waiting", waiting[0], waiting[1])};
}

StateComparison compare_kv(const std::vector<LoggedState>& measured, const Timeline& predicted,
                           double start) {
  Values share[2];
  for (const LoggedState& sample : measured) {
    const double bucket = std::floor((sample.seconds - start) / predicted.bucket_seconds);
    const bool inside = bucket >= 0 && bucket < static_cast<double>(predicted.buckets.size());
    share[0].push_back(sample.kv_share);
    share[1].push_back(inside ? predicted.buckets[static_cast<std::size_t>(bucket)].kv_share : 0);
  }
  return state("KV use", share[0], share[1]);
}

RequestComparison compare_with_log(const std::filesystem::path& results, double overhead,
                                   const std::filesystem::path& request_log,
                                   const std::filesystem::path& state_log,
                                   const std::filesystem::path& trace) {
  const std::vector<LoggedRequest> measured = read_request_log(request_log.string());
  const std::vector<LoggedState> states = read_state_log(state_log.string());
  const std::vector<PredictedRequest> predicted =
      read_predicted(results / "requests.csv", overhead);
  const std::filesystem::path series = results / "timeseries.csv";
  std::ostringstream text;
  text << std::ifstream(series).rdbuf();
  const double start = first_arrival_seconds(trace.string());

  RequestComparison made;
  made.requests = measured.size();
  made.samples = states.size();
  made.latencies = compare_latencies(measured, predicted);
  made.states = compare_states(states, predicted, start);
  made.states.push_back(compare_kv(states, parse_timeseries(text.str(), series.string()), start));
  return made;
}

}  // namespace headway
