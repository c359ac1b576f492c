// The way of a request from its client to the door of the fleet: the network, then the stations of
// the front.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/front_station.hpp"
#include "sim/model/network.hpp"
#include "sim/model/replica.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/ring.hpp"

namespace headway {

/// What stands behind the front.
class Door {
 public:
  virtual ~Door() = default;
  /// The request in this slot has passed the front, now.
  virtual void at_door(std::uint32_t slot, Time now) = 0;
};

/// A request that is on its way arrives, whether its client still waits for it or not: nothing on
/// the way looks back. So a slot given to send() comes out at the door, once.
class FrontPath {
 public:
  /// Builds the front link, so only before the run starts. `first` is the first of its entities.
  /// All that is handed over outlives the path.
  FrontPath(const Scenario& scenario, Clock& clock, Network& network, const Requests& requests,
            Door& door, Entity first);

  /// How many entities the front of this scenario has on the clock.
  static Entity entities(const Scenario& scenario);

  /// The client sends the request in this slot now; `bytes` cross the front link, if there is one.
  /// Without link, latency and stations it is at the door before the call returns.
  void send(std::uint32_t slot, std::int64_t bytes, Time now);
  /// The entity with this number, counted from `first`, is woken.
  void on_wake(Entity which, Time now);
  /// The transfer with this tag, which is the slot, has arrived.
  void on_transfer(std::uint32_t slot, Time now);
  /// What its stations did until `now`, in the order in which requests pass them.
  std::vector<FrontStationTotals> totals(Time now) const;

 private:
  static constexpr Entity kLatency = 0, kBalancer = 1, kTokenizer = 2;
  void off_the_network(std::uint32_t slot, Time now);
  void past_the_balancer(std::uint32_t slot, Time now);

  Clock& clock_;
  Network& network_;
  Door& door_;
  const Entity first_;
  const Picoseconds latency_;
  std::optional<Network::Route> link_;
  struct OnTheWay {
    Time arrives;
    std::uint32_t slot;
  };
  Ring<OnTheWay> on_the_way_;  // without a link: one latency for all keeps the order
  std::optional<FrontStationQueue> balancer_, tokenizer_;
  std::vector<std::uint32_t> done_;  // of a station, while it hands on
};

}  // namespace headway
