// What `headway check --json` says: the load and the bound on throughput, for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

inline constexpr const char* kCheckFormat = "headway.check";
inline constexpr int kCheckVersion = 1;

/// A scenario's load beside what its fleet can serve at most, without simulating.
struct CheckReport {
  struct PoolBound {
    std::string name;
    double requests_per_second = 0;  // of as many replicas as it may have
    std::string limited_by;          // "max_num_seqs", "compute", …; empty: not told
    std::int32_t replicas_least = 0, replicas_most = 0;  // that it may have, by its autoscaler
  };
  std::string scenario;
  std::optional<double> offered_per_second;  // requests; absent where answers set the pace
  double bound_per_second = 0;  // requests of this mix, of the whole fleet: no schedule exceeds it
  std::vector<PoolBound> pools;
  std::vector<std::string> warnings;  // with position
};

/// The bytes that `headway check --json` prints, ending with a newline: format `headway.check`
/// version 1 (sim/README.md).
std::string check_json(const CheckReport& report);

/// The report that check_json wrote. `where` stands for the text in messages. Throws InputError for
/// other text, another format or version, or a field that is missing or of another type.
CheckReport parse_check(std::string_view text, const std::string& where);

}  // namespace headway
