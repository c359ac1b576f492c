#include "sim/model/rolling_deploy.hpp"

#include <algorithm>

namespace headway {

Time RollingDeploy::next() const {
  return begun_ < deploys_.size() ? to_picoseconds(deploys_[begun_].at_seconds) : kNever;
}

void RollingDeploy::begin(Time now) {
  if (next() > now) return;
  while (next() <= now) ++begun_;
  outdated_.clear();
  for (std::uint32_t place = 0; place < fleet_.places(pool_); ++place) {
    const std::uint32_t replica = fleet_.first_place(pool_) + place;
    const ReplicaPhase phase = fleet_.phase(replica);
    if (phase == ReplicaPhase::ready || phase == ReplicaPhase::warming) {
      outdated_.push_back(replica);
    }
  }
}

std::int32_t RollingDeploy::surplus() const {
  if (outdated_.empty()) return 0;
  return std::min(deploys_[begun_ - 1].surge, static_cast<std::int32_t>(outdated_.size()));
}

void RollingDeploy::proceed(std::int32_t wanted, Time now) {
  fleet_.set_wanted(pool_, wanted + surplus(), now);
  while (!outdated_.empty() && fleet_.ready(pool_) > wanted - deploys_[begun_ - 1].unavailable) {
    const std::uint32_t replica = outdated_.front();
    outdated_.erase(outdated_.begin());
    fleet_.retire(replica, wanted + surplus(), now);
  }
}

void RollingDeploy::gone(std::uint32_t replica) {
  std::erase(outdated_, replica);
}

}  // namespace headway
