// The figures that a serving benchmark reports, and that a run predicts.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

namespace headway {

/// One figure of a serving result. Latencies are in milliseconds, rates per second.
enum class Measure {
  ttft_mean,
  ttft_p50,
  ttft_p90,
  ttft_p99,
  tpot_mean,
  e2e_mean,
  e2e_p50,
  e2e_p90,
  e2e_p99,
  requests,
  output_tokens,
  total_tokens
};
inline constexpr std::size_t kMeasures = 12;

/// How a measure is named.
struct MeasureFacts {
  Measure measure;
  const char* name;    // in requirements and result files: "ttft_p99"
  const char* column;  // in the measured table: "ttft_p99_ms"
  const char* title;   // for people: "TTFT p99"
  bool rate;           // per second; else milliseconds
};
const std::array<MeasureFacts, kMeasures>& measures();
const MeasureFacts& facts_of(Measure measure);

/// The figures of one result; empty where the source states none.
class Measures {
 public:
  std::optional<double>& operator[](Measure measure) {
    return values_[static_cast<std::size_t>(measure)];
  }
  const std::optional<double>& operator[](Measure measure) const {
    return values_[static_cast<std::size_t>(measure)];
  }
  bool empty() const;

 private:
  std::array<std::optional<double>, kMeasures> values_;
};

/// "28.4 ms", "1,131 /s": four significant digits.
std::string measure_text(Measure measure, double value);

}  // namespace headway
