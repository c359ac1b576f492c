// How much of a pool is up in the long run, from how often its parts fail and how long they take to
// come back: a short run sees no fault at all, and is no evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/metrics/summary.hpp"
#include "sim/model/events.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Mean seconds that a replica of the pool takes to start: on a machine that is there, and from an
/// order for one; the links of its store to itself. 0 without cold_start.
struct StartUpMeans {
  double restart = 0;
  double from_order = 0;
};
StartUpMeans start_up_means(const Scenario& scenario, const Pool& pool);

/// What is to be expected of a pool of a fixed number of replicas.
struct AvailabilityEstimate {
  std::int32_t replicas = 0;
  double share = 1;        // of the replicas that are up, mean over time: 0..1
  double all_up = 1;       // probability that all are
  double none_up = 0;      // probability that none is
  std::int32_t up_99 = 0;  // as many or more are up for 99 % of the time
  bool counted = true;     // false: too many replicas to count out, and only `share` holds
};

/// Units fail and come back by themselves: one is up MTBF / (MTBF + mean time to repair) of the
/// time, the replica's start after it counted as repair. A replica needs all of its units. Those
/// that share a node or a rack go with it: the number that is up is a sum over racks, and within a
/// rack over nodes, of binomial numbers.
AvailabilityEstimate estimate_availability(const Pool& pool, const StartUpMeans& start);

/// The estimate as a run's summary tells it; not known where the pool's replicas do not fail.
ExpectedAvailability expected_availability(const Scenario& scenario, const Pool& pool);

/// Follows the replicas' phases: for how much of the time that replicas were asked for they were
/// there for requests.
class UpTime {
 public:
  explicit UpTime(const Scenario& scenario);
  /// As Bill::on_phase.
  void on_phase(Time now, std::uint32_t replica, ReplicaPhase phase);
  void finish(Time end);
  /// Of a pool, 0..1: ready and warming, of all phases but off and draining; absent if no replica
  /// was asked for.
  std::optional<double> share(std::size_t pool) const;

 private:
  struct PoolTime {
    std::int64_t up = 0, asked = 0;  // replicas now
    __int128 up_time = 0, asked_time = 0;
    Time since = 0;
  };
  static void advance(PoolTime& pool, Time now);

  std::vector<PoolTime> pools_;
  std::vector<std::uint32_t> pool_of_;
  std::vector<ReplicaPhase> phases_;
};

/// Probability of each number of replicas, from 0: exposed for its test.
std::vector<double> replicas_up(const Pool& pool, const StartUpMeans& start);

}  // namespace headway
