// A run beside the log of the real one, request by request and second by second.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/metrics/summary.hpp"
#include "sim/validation/engine_log.hpp"

namespace headway {

/// A latency of all requests, in seconds.
struct LatencyComparison {
  struct Pair {
    double measured = 0, predicted = 0;
  };
  std::string title;           // "TTFT"
  Pair mean, p50, p90, p99;    // percentiles at rank p · (count − 1), interpolated
  double mean_difference = 0;  // |predicted − measured| of a request, mean
  double correlation = 0;      // of the requests' values (Pearson); 0 where one side is constant
};

/// A state of the engine, sampled when the log was.
struct StateComparison {
  std::string title;      // "running"
  bool recorded = false;  // the log holds a value above 0
  double measured_mean = 0, predicted_mean = 0;
  double mean_difference = 0;  // |predicted − measured|, mean over the samples
};

struct RequestComparison {
  std::size_t requests = 0, samples = 0;
  std::vector<LatencyComparison> latencies;  // TTFT, TPOT, E2E: from entering the engine's queue
  std::vector<StateComparison> states;       // running, waiting, KV use
};

/// One request of a run, with the engine's overhead for a request taken off what came after it.
struct PredictedRequest {
  std::int64_t input_tokens = 0, output_tokens = 0;
  double queued = 0, started = 0, first_token = 0, finished = 0;  // seconds
  double sent = 0;                                                // by the client
  bool completed = true;                                          // else it was rejected
};

/// Of values that are not empty; percentiles at rank share · (count − 1), interpolated.
double mean_of(const std::vector<double>& values);
double percentile_of(std::vector<double> values, double share);

/// The requests of a run's requests.csv in order of their numbers; `overhead` seconds are taken off
/// their first and last tokens. Throws InputError.
std::vector<PredictedRequest> read_predicted(const std::filesystem::path& requests_csv,
                                             double overhead);

/// Throws InputError where the two do not hold the same requests, or one was rejected.
std::vector<LatencyComparison> compare_latencies(const std::vector<LoggedRequest>& measured,
                                                 const std::vector<PredictedRequest>& predicted);

/// Running and waiting requests of the run at the log's times; `start` is the run's 0 on the log's
/// clock.
std::vector<StateComparison> compare_states(const std::vector<LoggedState>& measured,
                                            const std::vector<PredictedRequest>& predicted,
                                            double start);

/// The share of the KV cache in use, of the run's time line.
StateComparison compare_kv(const std::vector<LoggedState>& measured, const Timeline& predicted,
                           double start);

/// The comparison of one run: its result files in `results`, the engine's logs, and the trace that
/// it replayed. Throws InputError for files that are damaged or do not belong together.
RequestComparison compare_with_log(const std::filesystem::path& results, double overhead,
                                   const std::filesystem::path& request_log,
                                   const std::filesystem::path& state_log,
                                   const std::filesystem::path& trace);

}  // namespace headway
