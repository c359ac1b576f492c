// What a window without a file begins with.
#pragma once

#include <string>

namespace headway {

/// A small scenario that is valid: one class, one pool, all else at its defaults.
inline std::string new_scenario() {
  return "headway: 1\n"
         "name: new scenario\n"
         "workload:\n"
         "  - class: chat\n"
         "    arrivals: {poisson: {rate: 10 /s}}\n"
         "    input_tokens: {lognormal: {mean: 1000, cv: 1}, max: 8192}\n"
         "    output_tokens: {lognormal: {mean: 200, cv: 0.8}, max: 2048}\n"
         "    slo: {ttft: 500 ms, tpot: 50 ms}\n"
         "fleet:\n"
         "  - pool: main\n"
         "    model: llama-3.1-8b\n"
         "    gpu: h100-sxm-80gb\n"
         "    engine: vllm-0.19\n"
         "    replicas: 1\n"
         "run: {duration: 30 min}\n";
}

}  // namespace headway
