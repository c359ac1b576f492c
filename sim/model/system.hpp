// The system in motion: clients, front, router, replicas. A state machine over Clock and Network.
#pragma once

#include <memory>
#include <vector>

#include "sim/model/client.hpp"
#include "sim/model/clock.hpp"
#include "sim/model/events.hpp"
#include "sim/model/network.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/ring.hpp"
#include "sim/serving/router.hpp"

namespace headway {

class System final : public Process, private Sender, private Departures, private FleetState {
 public:
  /// The scenario, clock, network and observer outlive the system. Sets the first wake-ups. Throws
  /// InputError if a trace cannot be read.
  System(const Scenario& scenario, Clock& clock, Network& network, Observer& observer);
  ~System() override;

  /// How many entities a system of this scenario has on its clock.
  static Entity entities(const Scenario& scenario);

  void on_wake(Entity entity, Time now) override;
  void on_transfer(std::uint64_t tag, Time now) override;
  bool finished() const override { return finished_; }

  /// Requests so far.
  std::int64_t offered() const { return totals_.arrived; }
  RunProgress progress() const;
  /// Ends the run here: tells the observer of the steps under way, counts what is in flight, and
  /// asserts that no request and no time in system was lost or made.
  RunTotals end(bool cancelled);

 private:
  std::uint32_t arrive(std::uint32_t workload_class, const RequestBody& body, Time now) override;
  void send(std::uint32_t slot, std::int64_t bytes, Time now) override;
  void depart(std::uint32_t slot, Time now) override;
  std::int32_t outstanding(std::uint32_t replica) const override { return outstanding_[replica]; }
  std::int64_t outstanding_tokens(std::uint32_t) const override { return 0; }
  double kv_share(std::uint32_t replica) const override;

  void end_load(Time now);
  void route(std::uint32_t slot, Time now);
  void leave(std::uint32_t slot, Time now, Time known);
  void count_number(Time now, int change);

  const Scenario& scenario_;
  Clock& clock_;
  Network& network_;
  Observer& observer_;
  const Time latency_;  // of the front, each way
  const bool stationary_;
  Network::Route front_route_ = 0;

  std::vector<std::unique_ptr<StepCost>> costs_;  // by pool
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<std::int64_t> kv_blocks_;    // by replica; 0: a station
  std::vector<std::int32_t> outstanding_;  // by replica
  std::vector<Time> answer_delays_;  // by replica: the way back, and the engine's own time for a
                                     // request (HTTP, tokenising)
  std::vector<Client> clients_;
  std::unique_ptr<Router> router_;
  Draw router_draw_;
  Requests requests_;
  std::vector<bool> live_;  // by slot

  struct OnTheWay {
    Time arrives;
    std::uint32_t slot;
  };
  Ring<OnTheWay> on_the_way_;  // to the router; one latency for all keeps the order

  Entity front_entity_ = 0, first_replica_ = 0;
  std::uint64_t next_request_ = 0;
  bool load_ended_ = false, finished_ = false;
  std::int64_t in_system_ = 0;
  Time counted_until_ = 0;  // of the integral
  RunTotals totals_;
};

}  // namespace headway
