// How long each phase of a replica's start takes.
#pragma once

#include <cstdint>

#include "sim/model/drawn_time.hpp"
#include "sim/model/events.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The phases of one pool's cold starts. A phase takes a drawn time, or loads bytes from the pool's
/// store.
class ColdStartTimes {
 public:
  /// `pool_index` keys the draws. The pool has a cold start.
  ColdStartTimes(const Pool& pool, std::uint32_t pool_index, std::uint64_t seed);

  /// Bytes that the phase reads from the store; 0: it takes seconds().
  std::int64_t bytes(ReplicaPhase phase) const;
  /// The time of the phase in this start of a replica.
  Time seconds(ReplicaPhase phase, std::uint32_t replica, std::uint32_t start) const;
  /// Whether an order of this start, tried for the n-th time, finds no machine.
  bool out_of_stock(std::uint32_t replica, std::uint32_t start, std::uint32_t attempt) const;

  std::uint32_t store() const { return cold_start_.store_index; }
  std::int32_t quota() const { return cold_start_.quota; }
  Time stock_retry() const { return to_picoseconds(cold_start_.stock_retry_seconds); }

 private:
  const ColdStart& cold_start_;
  DrawnTime provision_, image_, process_, weights_, compile_, capture_, warm_up_;
  Draw stock_;
};

}  // namespace headway
