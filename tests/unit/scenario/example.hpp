// Small scenarios for tests: text with one part changed, and the message of what is refused.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/load.hpp"

namespace headway {

/// A coffee shop: one class at 1 /s, one service pool, 1 h.
inline const std::string kShop =
    "headway: 1\n"
    "workload:\n"
    "  - class: guest\n"
    "    arrivals: {poisson: {rate: 1 /s}}\n"
    "fleet:\n"
    "  - pool: bar\n"
    "    service: {time: {exponential: {mean: 800 ms}}}\n"
    "run: {duration: 1 h}\n";

/// A chat over an engine whose step time is given: no catalogue needed.
inline const std::string kChat =
    "headway: 1\n"
    "workload:\n"
    "  - class: chat\n"
    "    arrivals: {poisson: {rate: 1 /s}}\n"
    "    input_tokens: 512\n"
    "    output_tokens: 180\n"
    "fleet:\n"
    "  - pool: main\n"
    "    step_time: {base: 10 ms, per_token: 6.25 us}\n"
    "    kv: {blocks: 30000}\n"
    "    max_model_len: 8192\n"
    "    replicas: 2\n"
    "run: {duration: 1 h}\n";

inline Scenario parse(const std::string& text, const std::vector<std::string>& sets = {}) {
  return parse_scenario(text, "s.yaml", ".", sets);
}

/// The message with which a text is refused, "" when it is accepted.
inline std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    parse(text, sets);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A text with its first `old` replaced.
inline std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  return at == std::string::npos ? "no '" + old + "' in the text"
                                 : text.replace(at, old.size(), fresh);
}

}  // namespace headway
