// Public reports of serving systems, replayed: a deployment and a load, run on the bare heap.
#pragma once

#include <string>

#include "sim/metrics/summary.hpp"

namespace headway {

/// One pool of one replica; values as in a scenario file.
struct Deployment {
  std::string model, gpu, engine;
  std::string precision = "{weights: bf16, kv: bf16}";
  std::string parallel = "{tensor: 1}";
  std::string batching = "{max_num_seqs: 256, max_num_batched_tokens: 8192}";
  std::string kv = "{gpu_memory_utilization: 0.9}";
  int replicas = 1;
};

/// Requests; laws as in a scenario file.
struct Load {
  std::string arrivals, input_tokens, output_tokens;
  std::string run = "{drain: true, seed: 1, engine: heap}";
};

/// `requests` requests, all sent at the start, with lengths of ShareGPT: log-normal with a
/// coefficient of variation of 1 about the reports' means of 217.4 and 201.4 tokens, which filter
/// to prompts of at most 1,024.
Load sharegpt_at_once(int requests);

/// `requests` requests of fixed lengths, all sent at the start.
Load at_once(int requests, int input_tokens, int output_tokens);

/// Runs it. Throws InputError for a value that no scenario may have.
Summary run_report(const Deployment& deployment, const Load& load);

/// Tokens, input and output, per second of the whole run.
double total_tokens_per_second(const Summary& summary);

}  // namespace headway
