// A station of the front in motion: requests wait in one line for one of its servers, which takes
// one or several at a time, and go on in the order in which they end.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/totals.hpp"
#include "sim/serving/ring.hpp"
#include "sim/workload/sampler.hpp"

namespace headway {

/// One entity of the clock. First come, first served; times are exact picoseconds. The station does
/// not learn that a client is gone: it serves the request all the same.
class FrontStationQueue {
 public:
  /// `stream` is that of the station's law; its draws are keyed by the request's number, so another
  /// attempt of the same request takes the same time. Station, requests and clock outlive it.
  FrontStationQueue(const FrontStation& station, Stream stream, std::uint64_t seed, Clock& clock,
                    const Requests& requests, Entity entity);

  /// The request in this slot comes to the station now.
  void enter(std::uint32_t slot, Time now);
  /// Ends what has to end at `now`, and begins what waits for it; `done` gets the slots whose
  /// service has ended, in order of their ends, and at one instant in order of their beginnings.
  void on_wake(Time now, std::vector<std::uint32_t>& done);
  /// What it has done until `now`.
  FrontStationTotals totals(Time now) const;

 private:
  double seconds(std::uint32_t slot) const;
  /// A free server takes the requests of `batch_`.
  void begin(Time now);
  void count_waiting(Time now);

  const FrontStation& station_;
  Clock& clock_;
  const Requests& requests_;
  const Entity entity_;
  const Sampler law_;
  const Draw draw_;
  Ring<std::uint32_t> waiting_;
  struct Service {
    Time end;
    std::int64_t number;  // in order of beginning
    std::uint32_t slot;
    bool last;  // of its batch: the server is free
    bool operator>(const Service& other) const {
      return end != other.end ? end > other.end : number > other.number;
    }
  };
  std::priority_queue<Service, std::vector<Service>, std::greater<>> in_service_;
  std::vector<std::uint32_t> batch_;  // about to begin
  std::int32_t busy_ = 0;             // servers
  std::int64_t begun_ = 0;
  __int128 service_sum_ = 0;   // of all batches begun, to their ends
  __int128 end_sum_ = 0;       // of the ends of those in service
  __int128 waiting_area_ = 0;  // until counted_until_
  Time counted_until_ = 0;
};

}  // namespace headway
