// Loads as a router sees them that reads the replicas' metrics now and then.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/serving/router.hpp"

namespace headway {

/// The fleet as it was when it was last looked at. Who has a clock looks at it at each multiple of
/// RouterRules::metrics_age_seconds, before all else of that instant. (Mitzenmacher, "How useful is
/// old information?", 2000: its periodic update.)
class FleetSnapshot final : public FleetState {
 public:
  /// `kv`: whether KV shares are looked at too; else they are 0.
  FleetSnapshot(std::uint32_t replicas, bool kv)
      : requests_(replicas, 0), tokens_(replicas, 0), kv_shares_(kv ? replicas : 0, 0) {}

  /// Looks at the fleet; changed(replica, outstanding) for each whose requests or tokens are others
  /// than at the last look. Whether any replica has requests, or KV blocks in use.
  template <class Changed>
  bool take(const FleetState& fleet, Changed changed) {
    bool busy = false;
    for (std::uint32_t r = 0; r < requests_.size(); ++r) {
      if (!kv_shares_.empty()) kv_shares_[r] = fleet.kv_share(r);
      const std::int32_t requests = fleet.outstanding(r);
      busy = busy || requests > 0 || kv_share(r) > 0;
      const std::int64_t tokens = fleet.outstanding_tokens(r);
      if (requests == requests_[r] && tokens == tokens_[r]) continue;
      requests_[r] = requests;
      tokens_[r] = tokens;
      changed(r, requests);
    }
    return busy;
  }
  std::int32_t outstanding(std::uint32_t replica) const override { return requests_[replica]; }
  std::int64_t outstanding_tokens(std::uint32_t replica) const override { return tokens_[replica]; }
  double kv_share(std::uint32_t replica) const override {
    return kv_shares_.empty() ? 0 : kv_shares_[replica];
  }

 private:
  std::vector<std::int32_t> requests_;
  std::vector<std::int64_t> tokens_;
  std::vector<double> kv_shares_;
};

}  // namespace headway
