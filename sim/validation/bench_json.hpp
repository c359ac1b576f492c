// Results of vLLM's serving benchmark: the JSON that `vllm bench serve --save-result` writes.
#pragma once

#include <cstdint>
#include <string>

#include "sim/validation/measured_table.hpp"

namespace headway {

/// What such a file does not say of the run. Empty or 0 where the user does not say either.
struct BenchSetup {
  std::string model;        // catalogue name or path to a config.json; empty: the file's model_id
  std::string gpu, engine;  // needed: names of the catalogue; the engine may be a file's path
  std::int32_t tensor = 1;
  std::string precision = "bf16";                             // of the weights
  std::int32_t max_num_seqs = 0, max_num_batched_tokens = 0;  // 0: the engine's defaults
  bool repeated = false;  // the same prompts had been sent before, and hit the prefix cache
};

/// The result as a row, named after the file. A finite request_rate is an open loop whose intervals
/// have the gamma law of `burstiness` (1, Poisson, where the file has none), capped by
/// max_concurrency; without a rate, max_concurrency users are a closed loop, and without either all
/// requests come at once. Lengths are those of input_lens and output_lens where the file has them
/// (--save-detailed), else the means. Its TTFT is from sending, its TPOT a mean over requests.
/// Throws InputError "file:line:column: …" for a file that cannot be read or is no JSON, and
/// "file: key: …" for a key that is missing, of another type or out of range, for a run with
/// failed requests or a rate that was ramped, and where the model or a part of `setup` is missing
/// or unknown.
MeasuredRow read_bench_json(const std::string& path, const BenchSetup& setup);

}  // namespace headway
