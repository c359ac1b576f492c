// The system in motion: clients, front, dispatcher, fleet. A state machine over Clock and Network.
#pragma once

#include <memory>
#include <vector>

#include "sim/model/client.hpp"
#include "sim/model/clock.hpp"
#include "sim/model/dispatcher.hpp"
#include "sim/model/events.hpp"
#include "sim/model/fault_injector.hpp"
#include "sim/model/fleet.hpp"
#include "sim/model/front_path.hpp"
#include "sim/model/health_checks.hpp"
#include "sim/model/network.hpp"
#include "sim/model/patience.hpp"
#include "sim/model/replica.hpp"
#include "sim/model/scaler.hpp"
#include "sim/model/timers.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/backoff.hpp"
#include "sim/serving/front_admission.hpp"

namespace headway {

/// What becomes of a request: it comes into being (arrive), goes through the front to the door
/// (send, at_door), is let in and given to a replica (dispatch) or held until one is ready, is
/// answered (depart), asked of the next leg of its cascade, or fails (fail) and is sent again; and
/// leaves.
///
/// A client that gives up leaves a ghost where its request was: the request is out of all figures
/// at once, its slot is free when who holds it lets go.
class System final : public Process,
                     private Sender,
                     private Door,
                     private Departures,
                     private FleetOwner {
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
  /// The least time that an error answer takes: a user without think time who is always rejected
  /// must not try again for ever within one instant.
  static constexpr Time kRejectionTime = 1'000'000'000;  // 1 ms

  // Sender
  std::uint32_t arrive(std::uint32_t workload_class, const RequestBody& body, Time now) override;
  void send(std::uint32_t slot, std::int64_t bytes, Time now) override;
  // Door
  void at_door(std::uint32_t slot, Time now) override;
  // Departures
  void depart(std::uint32_t slot, Time now) override;
  // FleetOwner
  void on_available(std::uint32_t replica, bool available, Time now) override;
  void on_lost(std::uint32_t slot, Time now) override;
  void on_ghost(std::uint32_t slot) override { requests_.give(slot); }
  void on_refused(std::uint32_t slot, Outcome why, Time now) override;

  void look_at_clients(Time now);
  void end_load(Time now);
  void begin_attempt(std::uint32_t slot, Time now);
  void on_timer(const Timers::Timer& timer, Time now);
  void give_up(std::uint32_t slot, Outcome why, Time now);
  void stamp_first_token(Request& request, Time until) const;
  std::uint32_t leave_ghost(std::uint32_t slot);
  void forget_held_ghosts(std::uint32_t slot);
  bool is_let_in(std::uint32_t slot, Time now);
  void dispatch(std::uint32_t slot, Time now);
  void refuse(std::uint32_t slot, Outcome why, Time now);
  void leave_replica(Request& request, Time now);
  void set_available(std::uint32_t replica, bool available, Time now);
  void release_held(std::uint32_t group, Time now);
  void escalate(std::uint32_t slot, Time now);
  bool comes_too_late(std::uint32_t slot, Time now);
  void fail(std::uint32_t slot, Outcome why, Time now, Time known);
  void try_again(std::uint32_t slot, Time now, Time at);
  void leave(std::uint32_t slot, Time now, Time known);
  void count_outcome(Outcome outcome);
  void count_number(Time now, int change);

  const Scenario& scenario_;
  Clock& clock_;
  Observer& observer_;
  const Time latency_;  // of the front, each way
  const Entity front_entity_, scaler_entity_, faults_entity_, fleet_entity_;
  const bool stationary_;

  std::vector<Client> clients_;
  std::vector<Backoff> backoff_;  // by class
  Requests requests_;
  std::vector<bool> live_;  // by slot: a request that is in the figures
  FrontPath front_;
  Fleet fleet_;
  FaultInjector faults_;
  Doorkeeper doorkeeper_;
  Dispatcher dispatcher_;
  HealthChecks health_;
  Scaler scaler_;
  Timers timers_;
  Patience patience_;

  std::uint64_t next_request_ = 0, next_life_ = 0;
  std::int64_t inside_ = 0;      // past the door
  std::int64_t held_ = 0;        // of them: waiting until a replica is ready
  bool clients_changed_ = true;  // since the last look at them
  bool load_ended_ = false, finished_ = false;
  std::int64_t in_system_ = 0;
  Time counted_until_ = 0;  // of the integral
  RunTotals totals_;
};

}  // namespace headway
