// Who is let in at the front: rate limits by tenant, a limit on requests inside, and shedding of
// the less important.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/scenario/traffic.hpp"
#include "sim/serving/token_bucket.hpp"

namespace headway {

/// A request that asks to be let in.
struct Entrant {
  std::uint32_t tenant = 0;   // index into the scenario's tenants
  std::int32_t priority = 0;  // lower is more important
  std::int64_t tokens = 0;    // input and output together
};

enum class Entry {
  granted,
  rate_limited,  // its tenant's bucket of requests or of tokens does not hold enough
  overloaded,    // max_requests are inside, or enough for its priority to be shed
};

class Doorkeeper {
 public:
  /// The rules and tenants of a checked scenario.
  Doorkeeper(const FrontAdmission& rules, const std::vector<Tenant>& tenants);

  /// Whether the request gets in now, while `inside` others are. Both limits of its tenant are
  /// looked at first, then the number inside; the buckets pay for those alone who get in. `now`
  /// never goes back. The time does not grow with the number of rules' tenants.
  Entry ask(const Entrant& entrant, std::int64_t inside, Time now);

  /// Whether nothing is ever refused: asking can be left out.
  bool open() const { return open_; }

 private:
  struct Limits {
    std::optional<TokenBucket> requests, tokens;
  };
  struct Shed {
    std::int32_t priority;
    std::int64_t above;  // requests inside
  };
  bool overloaded(std::int32_t priority, std::int64_t inside) const;

  std::int64_t max_requests_;
  std::vector<Shed> shed_;
  std::vector<Limits> limits_;  // by tenant
  bool open_;
};

}  // namespace headway
