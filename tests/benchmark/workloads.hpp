// The workloads that the engine's speed is measured on.
#pragma once

#include <cstdint>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// All of them, where nothing else is said: a step of 10 ms + 6.25 µs a token + 87 ns a token of
/// decode context + 3.5 ns a (query, key) pair of prefill; a budget of 2,048 tokens; KV blocks of
/// 16 tokens and plenty of them; Poisson arrivals; the router takes the least outstanding requests.

/// W1: one replica of at most 128 sequences, 8 requests/s of 512 tokens in and 180 out.
Scenario workload_w1(std::int64_t requests = 10'000);
/// W2: 16 replicas of at most 256 sequences, 128 requests/s, log-normal lengths: mean 1155 in
/// (sigma 1.0, at most 8,192), mean 211 out (sigma 0.8, at most 2,048).
Scenario workload_w2();
/// W3: as W2 with 1,000 replicas and 8,000 requests/s; 2 M requests.
Scenario workload_w3();
/// The same load on the same replicas, whose steps are those of Llama-3.1-8B on an H100 by vLLM
/// 0.19: from the catalogue's profile of that card, or from its data sheet, as if it had no
/// profile.
enum class StepsFrom { profile, data_sheet };
Scenario with_llama_on_h100(Scenario scenario, StepsFrom steps);
/// A million users who each have a request in flight or think for a minute, on 1,000 replicas.
Scenario workload_million_users();

}  // namespace headway
