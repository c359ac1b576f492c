// The replicas of all pools: a place for each that may exist, and its life from nothing to nothing.
#pragma once

#include <memory>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "sim/model/cold_start.hpp"
#include "sim/model/network.hpp"
#include "sim/model/replica.hpp"
#include "sim/serving/router.hpp"

namespace headway {

/// Who has to know what becomes of replicas and of the requests at them.
class FleetOwner {
 public:
  virtual ~FleetOwner() = default;
  /// The replica takes requests from now on, or no more.
  virtual void on_available(std::uint32_t replica, bool available, Time now) = 0;
  /// The request was at a replica that failed.
  virtual void on_lost(std::uint32_t slot, Time now) = 0;
  /// The replica has let go of a request whose client is gone.
  virtual void on_ghost(std::uint32_t slot) = 0;
  /// A request that waited for its replica's warm-up was not taken in.
  virtual void on_refused(std::uint32_t slot, Outcome why, Time now) = 0;
};

/// Replicas are numbered over the places of all pools, in the pools' order. The first
/// `Pool::replicas` of a pool are ready, and warm, at the start; the other places are empty.
///
/// Its entities on the clock: one for all life-cycles, then one a place.
class Fleet final : public FleetState {
 public:
  struct Surroundings {
    const Scenario& scenario;
    Clock& clock;
    Network& network;
    Observer& observer;
    Requests& requests;
    Departures& departures;
    FleetOwner& owner;
    Entity first_entity;
  };
  explicit Fleet(const Surroundings& around);

  static Entity entities(const Scenario& scenario);
  /// Tells the owner of the replicas that are ready at the start.
  void start();
  void on_wake(Entity which, Time now) {
    if (which == 0) return on_life(now);
    if (Replica* const engine = engines_[which - 1]) engine->on_wake(now);
  }
  /// A load with a tag that owns_transfer() has arrived.
  void on_transfer(std::uint64_t tag, Time now);
  static bool owns_transfer(std::uint64_t tag) { return (tag >> 63) != 0; }

  // ---- requests ----

  /// The request goes to the replica's queue, or waits for the replica to warm up; or why not.
  Outcome enqueue(std::uint32_t slot, Request& request, std::uint32_t replica, Time now) {
    ++outstanding_[replica];
    outstanding_tokens_[replica] += tokens(request.record);
    ++arrivals_[replica];
    request.visit = ++visits_;
    Replica* const engine = open_[replica];
    return engine ? engine->enqueue(slot, now) : enqueue_unready(slot, replica, now);
  }
  /// The replica has answered the request, or refused it, or the client is gone.
  void leave(std::uint32_t replica, const RequestRecord& record, Time now) {
    --outstanding_[replica];
    outstanding_tokens_[replica] -= tokens(record);
    if (draining_ > 0) leave_draining(replica, now);
  }
  /// The client of a request that was enqueued is gone. True: the slot is free now; else
  /// Departures::depart or FleetOwner::on_ghost follows.
  bool cancel(std::uint32_t slot, std::uint32_t replica, Time now);
  /// What a client waits for an answer of this replica behind its last step: the way back and the
  /// engine's own time for a request (HTTP, tokenising).
  Time answer_delay(std::uint32_t replica) const { return answer_delays_[pool_of_[replica]]; }

  // ---- how many, and which ----

  std::uint32_t pool_of(std::uint32_t replica) const { return pool_of_[replica]; }
  std::uint32_t first_place(std::size_t pool) const { return pools_[pool].first; }
  std::uint32_t places(std::size_t pool) const { return pools_[pool].places; }
  std::uint32_t places() const { return static_cast<std::uint32_t>(places_.size()); }
  ReplicaPhase phase(std::uint32_t replica) const { return places_[replica].phase; }
  bool has_machine(std::uint32_t replica) const;
  /// The number of machines that were ordered for this place.
  std::uint32_t machine(std::uint32_t replica) const { return places_[replica].machine; }
  /// Replicas that take requests.
  std::int32_t ready(std::size_t pool) const { return pools_[pool].ready; }
  /// Replicas that are wanted and there or on their way: all but off and draining ones.
  std::int32_t active(std::size_t pool) const { return pools_[pool].active; }
  std::int32_t wanted(std::size_t pool) const { return pools_[pool].wanted; }
  /// The pool has `count` replicas as soon as they can start and end: missing ones start in order
  /// of their numbers; of too many, those go first that have come the least far, the highest number
  /// first. One that is ready ends what it has.
  void set_wanted(std::size_t pool, std::int32_t count, Time now);
  /// The replica takes no new requests, ends those that it has, and is off; a new one takes its
  /// place while the pool wants as many. Nothing happens unless it is ready or warming.
  void drain(std::uint32_t replica, Time now);
  /// The same for a replica that takes requests, and from now on the pool has `count` replicas.
  void retire(std::uint32_t replica, std::int32_t count, Time now);
  enum class Fault : std::uint8_t {
    engine,  // the process ends; its machine stays, and is paid for
    machine  // it is down until its repair
  };
  /// What a replica needs fails: its requests are lost, and `down_for` later its engine starts
  /// again, on the same machine. One that had no engine yet goes on from the phase before. A fault
  /// of one that is down already is mended when both are; a draining one is off. False, and nothing
  /// happens, where there is no machine, or no engine to fail.
  bool fail(std::uint32_t replica, Fault fault, Time down_for, Time now);
  /// The machine is taken away for good: requests that are still there are lost.
  void reclaim(std::uint32_t replica, Time now);
  /// Loads that are under way are started again from nothing.
  void reload(std::uint32_t replica, Time now);
  /// Links of the stores, in the scenario's order.
  Network::Link store_link(std::size_t store) const { return store_links_[store]; }

  // ---- what routers and scalers see ----

  std::int32_t outstanding(std::uint32_t replica) const override { return outstanding_[replica]; }
  std::int64_t outstanding_tokens(std::uint32_t replica) const override {
    return outstanding_tokens_[replica];
  }
  double kv_share(std::uint32_t replica) const override;
  /// Requests in the queue of a replica, or waiting for its warm-up.
  std::int64_t waiting(std::uint32_t replica) const;
  /// Requests sent to the pool so far.
  std::int64_t arrivals(std::size_t pool) const;

  // ---- the end ----

  void settle(Time now);
  std::int64_t steps() const;
  std::vector<std::string> step_time_sources() const;

 private:
  struct Place {
    std::unique_ptr<Replica> replica;
    ReplicaPhase phase = ReplicaPhase::off;
    bool cold = false;          // its first request has to wait for the warm-up
    std::uint32_t starts = 0;   // so far: the index of its draws
    std::uint32_t machine = 0;  // orders so far: the first place's are there at the start
    Time down_until = 0;
    bool failed = false;  // and starts again, with the phase behind back_to, when that is over
    ReplicaPhase back_to = ReplicaPhase::image;
    std::uint32_t orders = 0;  // tries of the present start to get a machine
    bool waits_for_quota = false;
    std::uint32_t life = 0;           // outdates what was planned for it
    std::vector<std::uint32_t> held;  // requests that wait for its warm-up
  };
  struct PoolState {
    const Pool* pool = nullptr;
    std::uint32_t first = 0, places = 0;
    std::int32_t wanted = 0, ready = 0, active = 0, ordered = 0;
    std::int32_t machines = 0;  // of replicas that are neither off nor ordered
    std::unique_ptr<StepCost> cost;
    std::unique_ptr<ColdStartTimes> times;  // null: replicas start in no time
  };
  struct Due {
    Time at;
    std::uint32_t replica, life;
    bool operator>(const Due& other) const {
      return std::tie(at, replica, life) > std::tie(other.at, other.replica, other.life);
    }
  };

  static std::int64_t tokens(const RequestRecord& record) {
    return std::int64_t{record.input_tokens} + record.output_tokens;
  }
  Outcome enqueue_unready(std::uint32_t slot, std::uint32_t replica, Time now);
  void leave_draining(std::uint32_t replica, Time now);
  PoolState& pool_at(std::uint32_t replica) { return pools_[pool_of_[replica]]; }
  void outdate(std::uint32_t replica);
  void make_engine(std::uint32_t replica);
  void enter(std::uint32_t replica, ReplicaPhase phase, Time now);
  void plan(std::uint32_t replica, Time at);
  void order(std::uint32_t replica, Time now);
  void next_phase(std::uint32_t replica, ReplicaPhase after, Time now);
  bool begin_phase(std::uint32_t replica, ReplicaPhase phase, Time now);
  void on_life(Time now);
  void on_due(std::uint32_t replica, Time now);
  void become_ready(std::uint32_t replica, Time now);
  void end_warm_up(std::uint32_t replica, Time now);
  void stop_the_least(std::size_t pool, Time now);
  void begin_draining(std::uint32_t replica, Time now);
  void stop(std::uint32_t replica, Time now);
  void take_engine_away(std::uint32_t replica, Time now);
  void replenish(std::size_t pool, Time now);
  std::uint64_t tag_of(std::uint32_t replica) const;

  const Surroundings at_;
  const Entity life_entity_, first_replica_;
  std::vector<PoolState> pools_;
  std::vector<Time> answer_delays_;  // by pool
  std::vector<Place> places_;
  std::vector<Replica*> engines_;       // of the places; null where there is none
  std::vector<Replica*> open_;          // the same, null too where the first request warms it up
  std::vector<std::int64_t> arrivals_;  // by replica: requests that came to it
  std::int32_t draining_ = 0;           // replicas
  std::vector<std::uint32_t> pool_of_;  // by replica
  std::vector<std::int32_t> outstanding_;
  std::vector<std::int64_t> outstanding_tokens_;
  std::vector<Network::Link> store_links_;
  std::vector<Network::Route> store_routes_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::int64_t steps_of_the_gone_ = 0;
  std::uint64_t visits_ = 0;
};

}  // namespace headway
