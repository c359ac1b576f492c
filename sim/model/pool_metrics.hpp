// What an autoscaler measures of its pool.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/model/events.hpp"
#include "sim/model/fleet.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// The metrics of one pool's targets at the polls of its autoscaler. Only what a target asks for is
/// kept.
class PoolMetrics {
 public:
  /// The settings and the fleet outlive it.
  PoolMetrics(const Autoscaler& settings, const Fleet& fleet, std::size_t pool);

  /// The pool has answered the request; times as the client sees them.
  void on_answer(const RequestRecord& record, Time now);
  /// The values of the targets now (PoolObservation::values). `held` requests wait at the front.
  std::vector<std::optional<double>> poll(Time now, std::int64_t held);

 private:
  /// What was counted until a poll.
  struct Count {
    Time at;
    std::int64_t number;
  };
  struct Sample {
    Time at;
    double value;
  };
  /// What one target remembers.
  struct Memory {
    std::deque<Count> counts;    // of a rate: at polls; the first is at or before the look-back
    std::deque<Sample> samples;  // latencies of answers; of Ray Serve, requests at polls
  };

  std::optional<double> measure(std::size_t target, Time now, std::int64_t held);
  template <class Quantity>
  std::optional<double> over_ready(Quantity quantity) const;
  double rate(std::deque<Count>& counts, Time now, std::int64_t number) const;
  void forget(std::deque<Sample>& samples, Time now) const;
  std::optional<double> percentile(Memory& memory, Time now, double percent) const;
  std::optional<double> mean_of_polls(Memory& memory, Time now, std::optional<double> value) const;

  const Autoscaler& settings_;
  const Fleet& fleet_;
  const std::size_t pool_;
  const Time look_back_;
  std::vector<Memory> memories_;  // by target
  std::int64_t output_tokens_ = 0;
};

}  // namespace headway
