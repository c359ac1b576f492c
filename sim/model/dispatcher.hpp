// From the door to a replica: the route of the class, the router of its pools, and the wait for a
// replica where none is ready.
#pragma once

#include <memory>
#include <vector>

#include "sim/model/fleet.hpp"
#include "sim/serving/fleet_snapshot.hpp"
#include "sim/serving/ring.hpp"
#include "sim/serving/router.hpp"

namespace headway {

/// Pools that some class's requests may go to are a group; each group has a router of its own.
///
/// Where the router's metrics have an age, an entity of the clock looks at the loads of the fleet
/// at its multiples, before all else of the instant, and routers see what it saw last. So both
/// steppings see the same. There is no look while nothing can have changed.
class Dispatcher {
 public:
  Dispatcher(const Scenario& scenario, const Fleet& fleet, Clock& clock, Entity looks);

  /// The leg that a request of the class begins with.
  std::uint32_t first_leg(std::uint32_t workload_class, std::uint64_t request) const {
    return routed_ ? draw_leg(workload_class, request) : 0;
  }
  /// Whether the answer of this leg is not good enough, so that the next leg is asked.
  bool escalates(std::uint32_t workload_class, std::uint32_t leg, std::uint64_t request) const {
    return routed_ && draw_escalation(workload_class, leg, request);
  }
  /// The group of a leg of the class.
  std::uint32_t group(std::uint32_t workload_class, std::uint32_t leg) const {
    return only_ ? 0 : legs_[workload_class][leg];
  }

  /// A replica for the request; Router::kNobody if none of the group is available.
  std::uint32_t pick(std::uint32_t group, const Request& request, Time now) {
    const RequestRecord& record = request.record;
    Router& router = only_ ? *only_ : *groups_[group].router;
    return router.pick(
        seen_, router_draw_,
        {record.id, record.input_tokens, record.output_tokens, &request.content, now});
  }
  /// The replica can be picked from now on, or no more.
  void on_available(std::uint32_t replica, bool available);
  /// What the replica has outstanding has changed.
  void on_change(std::uint32_t replica) {
    if (snapshot_) return look_later();
    if (only_) return only_->on_change(replica, fleet_.outstanding(replica));
    for (const std::uint32_t group : groups_of_pool_[fleet_.pool_of(replica)]) {
      groups_[group].router->on_change(replica, fleet_.outstanding(replica));
    }
  }
  /// The look that is due.
  void look();
  /// Its replica has answered the request.
  void on_answer(const Request& request, Time now) {
    if (scenario_.router == RouterKind::least_expected_wait) tell_answer(request, now);
  }

  // ---- requests that wait until a replica of their group is ready ----

  void hold(std::uint32_t group, std::uint32_t slot) {
    groups_[group].held.push_back(slot);
    ++groups_[group].waiting;
  }
  /// A request that is held waits no more: its client is gone, or it goes to a replica.
  void unhold(std::uint32_t group) { --groups_[group].waiting; }
  /// Requests that wait for a replica of this pool, or of another that they may go to as well.
  std::int64_t held(std::size_t pool) const {
    std::int64_t requests = 0;
    for (const std::uint32_t group : groups_of_pool_[pool]) requests += groups_[group].waiting;
    return requests;
  }
  bool any_available(std::uint32_t group) const { return groups_[group].available > 0; }
  bool holds_any(std::uint32_t group) const { return !groups_[group].held.empty(); }
  std::uint32_t take_held(std::uint32_t group) {
    const std::uint32_t slot = groups_[group].held.front();
    groups_[group].held.pop_front();
    return slot;
  }
  /// Most of those that are held wait no more: time to go through them.
  bool mostly_gone(std::uint32_t group) const {
    constexpr std::int64_t kFew = 64;
    return static_cast<std::int64_t>(groups_[group].held.size()) >
           2 * groups_[group].waiting + kFew;
  }
  /// Takes those out of the line for which `gone(slot)`; the others keep their order.
  template <class Gone>
  void remove_held(std::uint32_t group, Gone gone) {
    for (std::size_t left = groups_[group].held.size(); left > 0; --left) {
      const std::uint32_t slot = take_held(group);
      if (!gone(slot)) groups_[group].held.push_back(slot);
    }
  }
  const std::vector<std::uint32_t>& groups_of(std::uint32_t replica) const {
    return groups_of_pool_[fleet_.pool_of(replica)];
  }

 private:
  struct Group {
    std::vector<std::uint32_t> pools;  // ascending
    std::unique_ptr<Router> router;
    Ring<std::uint32_t> held;    // those whose clients are gone too
    std::int32_t available = 0;  // replicas
    std::int64_t waiting = 0;    // requests that are held, and whose clients wait
  };
  std::uint32_t draw_leg(std::uint32_t workload_class, std::uint64_t request) const;
  bool draw_escalation(std::uint32_t workload_class, std::uint32_t leg,
                       std::uint64_t request) const;
  void look_later();
  void tell_answer(const Request& request, Time now);
  std::uint32_t group_of(std::vector<std::uint32_t> pools);
  RouterSet replicas_of(const std::vector<std::uint32_t>& pools) const;

  const Scenario& scenario_;
  const Fleet& fleet_;
  Clock& clock_;
  const Entity looks_;
  const Time metrics_age_;
  std::unique_ptr<FleetSnapshot> snapshot_;  // null: routers see what is
  const FleetState& seen_;                   // by routers
  bool look_planned_ = false;
  std::vector<Group> groups_;
  Router* only_ = nullptr;                        // of the one group there is, if it is one
  bool routed_ = false;                           // some class has shares or a cascade
  std::vector<std::vector<std::uint32_t>> legs_;  // by class and leg: the group
  std::vector<std::vector<double>> shares_;       // by class and leg: cumulative, to 1
  std::vector<std::vector<std::uint32_t>> groups_of_pool_;  // by pool
  Draw router_draw_;
};

}  // namespace headway
