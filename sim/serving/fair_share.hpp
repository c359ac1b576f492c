// Start-time fair queueing between tenants (Goyal, Vin, Cheng, "Start-time Fair Queueing", ACM
// SIGCOMM 1996): those who always have requests waiting are served tokens in the ratio of their
// weights.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace headway {

/// The tags of the tenants at one replica. A request starts at the virtual time of its arrival, or
/// where its tenant's last one ended if that is later, and ends its cost over the tenant's weight
/// further on; the least start goes first. The virtual time is the start of the one admitted last,
/// and never goes back.
///
/// Time is in 2^-20 tokens of a tenant of weight 1, in integers; it stays at its end (2^63) when it
/// would pass it, after 8.8 trillion such tokens. A request is charged when it is admitted: one
/// that leaves before has cost its tenant nothing.
class FairShare {
 public:
  /// Weights are taken as 0.001 to 1000. A tenant that is not in the list has the weight 1.
  explicit FairShare(const std::vector<Tenant>& tenants);

  std::int64_t virtual_time() const { return now_; }
  /// Where the tenant's next request starts, which arrived at this virtual time.
  std::int64_t start(std::uint32_t tenant, std::int64_t arrived) const;
  /// The tenant's next request is admitted, at a cost of `tokens`. `in_turn`: because its start was
  /// the least; others, who had waited too long, leave the virtual time where it is.
  void admit(std::uint32_t tenant, std::int64_t arrived, std::int64_t tokens, bool in_turn);

 private:
  struct Account {
    std::int64_t each;       // 2^-20 tokens that one token counts for
    std::int64_t ended = 0;  // virtual time at which its last admitted request ends
  };
  std::vector<Account> accounts_;  // by tenant
  std::int64_t now_ = 0;
};

}  // namespace headway
