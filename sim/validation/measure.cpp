#include "sim/validation/measure.hpp"

#include <algorithm>

#include "sim/report/table_text.hpp"

namespace headway {

const std::array<MeasureFacts, kMeasures>& measures() {
  using enum Measure;
  static const std::array<MeasureFacts, kMeasures> all = {
      {{ttft_mean, "ttft_mean", "ttft_mean_ms", "TTFT mean", false},
       {ttft_p50, "ttft_p50", "ttft_p50_ms", "TTFT p50", false},
       {ttft_p90, "ttft_p90", "ttft_p90_ms", "TTFT p90", false},
       {ttft_p99, "ttft_p99", "ttft_p99_ms", "TTFT p99", false},
       {tpot_mean, "tpot_mean", "tpot_mean_ms", "TPOT mean", false},
       {e2e_mean, "e2e_mean", "e2e_mean_ms", "E2E mean", false},
       {e2e_p50, "e2e_p50", "e2e_p50_ms", "E2E p50", false},
       {e2e_p90, "e2e_p90", "e2e_p90_ms", "E2E p90", false},
       {e2e_p99, "e2e_p99", "e2e_p99_ms", "E2E p99", false},
       {requests, "requests", "achieved_rps", "requests", true},
       {output_tokens, "output_tokens", "output_tok_s", "output tokens", true},
       {total_tokens, "total_tokens", "total_tok_s", "total tokens", true}}};
  return all;
}

const MeasureFacts& facts_of(Measure measure) {
  return measures()[static_cast<std::size_t>(measure)];
}

bool Measures::empty() const {
  return std::none_of(values_.begin(), values_.end(),
                      [](const std::optional<double>& value) { return value.has_value(); });
}

std::string measure_text(Measure measure, double value) {
  return number_text(value) + (facts_of(measure).rate ? " /s" : " ms");
}

}  // namespace headway
