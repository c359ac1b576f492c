// A new version comes to a pool: replica after replica is replaced.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/fleet.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The deploys of one pool, one after the other. Replicas that take requests when a deploy begins
/// are outdated; those that start later, or are starting, have the new version. Meanwhile there are
/// at most `surge` replicas more than wanted, and an outdated one goes when at least `wanted −
/// unavailable` others take requests.
class RollingDeploy {
 public:
  RollingDeploy(Fleet& fleet, std::size_t pool, const std::vector<Deploy>& deploys)
      : fleet_(fleet), pool_(pool), deploys_(deploys) {}

  /// When the next deploy begins; kNever after the last.
  Time next() const;
  /// Begins the deploys that are due.
  void begin(Time now);
  /// Gives the pool `wanted` replicas, and replaces as many as can be replaced now. To be called
  /// again whenever a replica has become available or gone.
  void proceed(std::int32_t wanted, Time now);
  /// The replica takes no more requests: it is not there to be replaced.
  void gone(std::uint32_t replica);
  bool under_way() const { return !outdated_.empty(); }

 private:
  std::int32_t surplus() const;

  Fleet& fleet_;
  const std::size_t pool_;
  const std::vector<Deploy>& deploys_;
  std::size_t begun_ = 0;
  std::vector<std::uint32_t> outdated_;  // ascending
};

}  // namespace headway
