#include "sim/model/fleet.hpp"

#include <algorithm>
#include <numeric>

#include "sim/model/faults.hpp"
#include "sim/scenario/pool_cost.hpp"

namespace headway {
namespace {

bool takes_requests(ReplicaPhase phase) {
  return phase == ReplicaPhase::ready || phase == ReplicaPhase::warming;
}
bool is_active(ReplicaPhase phase) {
  return phase != ReplicaPhase::off && phase != ReplicaPhase::draining;
}
bool is_ordered(ReplicaPhase phase) {
  return phase == ReplicaPhase::ordered;
}
bool holds_machine(ReplicaPhase phase) {
  return phase != ReplicaPhase::off && phase != ReplicaPhase::ordered;
}
/// How far a replica has come: the least goes first when there are too many.
int progress(ReplicaPhase phase) {
  if (phase == ReplicaPhase::down) return static_cast<int>(ReplicaPhase::ordered);
  return static_cast<int>(phase);
}

constexpr std::uint64_t kLoad = std::uint64_t{1} << 63;

}  // namespace

Entity Fleet::entities(const Scenario& scenario) {
  Entity count = 1;
  for (const Pool& pool : scenario.fleet) count += static_cast<Entity>(pool.places());
  return count;
}

Fleet::Fleet(const Surroundings& around)
    : at_(around), life_entity_(around.first_entity), first_replica_(around.first_entity + 1) {
  for (const Store& store : at_.scenario.stores) {
    store_links_.push_back(at_.network.add_link(store.bandwidth, store.latency_seconds));
    store_routes_.push_back(at_.network.add_route({store_links_.back()}));
  }
  for (const Pool& pool : at_.scenario.fleet) {
    const auto index = static_cast<std::uint32_t>(pools_.size());
    PoolState& state = pools_.emplace_back();
    state.pool = &pool;
    state.first = static_cast<std::uint32_t>(places_.size());
    state.places = static_cast<std::uint32_t>(pool.places());
    state.wanted = pool.replicas;
    state.cost = make_pool_cost(pool);
    if (pool.cold_start) {
      state.times = std::make_unique<ColdStartTimes>(pool, index, at_.scenario.run.seed);
    }
    answer_delays_.push_back(to_picoseconds(at_.scenario.front.latency_seconds) +
                             to_picoseconds(pool.placement.engine.request_overhead_seconds));
    places_.resize(places_.size() + state.places);
    pool_of_.resize(places_.size(), index);
  }
  engines_.assign(places_.size(), nullptr);
  open_.assign(places_.size(), nullptr);
  arrivals_.assign(places_.size(), 0);
  outstanding_.assign(places_.size(), 0);
  outstanding_tokens_.assign(places_.size(), 0);
}

void Fleet::start() {
  for (PoolState& pool : pools_) {
    for (std::int32_t r = 0; r < pool.pool->replicas; ++r) {
      const std::uint32_t replica = pool.first + static_cast<std::uint32_t>(r);
      make_engine(replica);
      places_[replica].phase = ReplicaPhase::ready;
      ++pool.ready;
      ++pool.active;
      ++pool.machines;
      at_.owner.on_available(replica, true, 0);
    }
  }
}

void Fleet::make_engine(std::uint32_t replica) {
  PoolState& pool = pool_at(replica);
  places_[replica].replica = make_replica(
      {at_.clock, at_.requests, at_.departures, at_.observer, *pool.pool, pool.cost.get(),
       first_replica_ + replica, replica, at_.scenario.run.seed,
       machine_slowness(*pool.pool, at_.scenario.run.seed, replica, places_[replica].machine),
       at_.scenario.tenants, places_[replica].starts},
      at_.scenario.run.stepping);
  engines_[replica] = places_[replica].replica.get();
  if (!places_[replica].cold) open_[replica] = engines_[replica];
}

void Fleet::on_life(Time now) {
  while (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    if (places_[due.replica].life == due.life) on_due(due.replica, now);
  }
  at_.clock.wake(life_entity_, due_.empty() ? kNever : due_.top().at);
}

void Fleet::on_transfer(std::uint64_t tag, Time now) {
  const auto replica = static_cast<std::uint32_t>(tag);
  if (tag_of(replica) == tag) next_phase(replica, places_[replica].phase, now);
}

std::uint64_t Fleet::tag_of(std::uint32_t replica) const {
  return kLoad | std::uint64_t{places_[replica].life & 0x7fffffffu} << 32 | replica;
}

/// The replica's next change comes at this time, unless something happens to it before.
void Fleet::plan(std::uint32_t replica, Time at) {
  due_.push({at, replica, places_[replica].life});
  at_.clock.wake(life_entity_, due_.top().at);
}

/// What was planned for the replica, or on its way to it, means nothing any more.
void Fleet::outdate(std::uint32_t replica) {
  const ColdStartTimes* const times = pool_at(replica).times.get();
  if (times && times->bytes(places_[replica].phase) > 0) at_.network.cancel(tag_of(replica));
  ++places_[replica].life;
  places_[replica].failed = false;
}

void Fleet::enter(std::uint32_t replica, ReplicaPhase phase, Time now) {
  const ReplicaPhase before = places_[replica].phase;
  if (phase == before) return;
  places_[replica].phase = phase;
  PoolState& pool = pool_at(replica);
  const auto count = [&](std::int32_t& number, bool (*is)(ReplicaPhase)) {
    number += static_cast<std::int32_t>(is(phase)) - static_cast<std::int32_t>(is(before));
  };
  count(pool.ready, takes_requests);
  count(pool.active, is_active);
  count(pool.machines, holds_machine);
  count(pool.ordered, is_ordered);
  count(draining_, [](ReplicaPhase each) { return each == ReplicaPhase::draining; });
  at_.observer.on_phase(now, replica, phase);
  if (takes_requests(before) != takes_requests(phase)) {
    at_.owner.on_available(replica, takes_requests(phase), now);
  }
}

// ---- from nothing to ready ----

/// Tries to get a machine: there may be no quota, or none in stock.
void Fleet::order(std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  const PoolState& pool = pool_at(replica);
  const ColdStartTimes* const times = pool.times.get();
  place.waits_for_quota = times && times->quota() > 0 && pool.machines >= times->quota();
  if (place.waits_for_quota) return enter(replica, ReplicaPhase::ordered, now);
  if (times && times->out_of_stock(replica, place.starts, place.orders++)) {
    enter(replica, ReplicaPhase::ordered, now);
    return plan(replica, time_after(now, times->stock_retry()));
  }
  next_phase(replica, ReplicaPhase::ordered, now);
}

/// Begins the first phase after this one that takes any time.
void Fleet::next_phase(std::uint32_t replica, ReplicaPhase after, Time now) {
  for (int phase = static_cast<int>(after) + 1; phase <= static_cast<int>(ReplicaPhase::capture);
       ++phase) {
    if (begin_phase(replica, static_cast<ReplicaPhase>(phase), now)) return;
  }
  become_ready(replica, now);
}

bool Fleet::begin_phase(std::uint32_t replica, ReplicaPhase phase, Time now) {
  const ColdStartTimes* const times = pool_at(replica).times.get();
  if (!times) return false;
  if (const std::int64_t bytes = times->bytes(phase); bytes > 0) {
    enter(replica, phase, now);
    at_.network.send(store_routes_[times->store()], bytes, tag_of(replica));
    return true;
  }
  const Time time = times->seconds(phase, replica, places_[replica].starts);
  if (time == 0) return false;
  enter(replica, phase, now);
  plan(replica, time_after(now, time));
  return true;
}

void Fleet::become_ready(std::uint32_t replica, Time now) {
  const ColdStartTimes* const times = pool_at(replica).times.get();
  Place& place = places_[replica];
  place.cold = times && times->seconds(ReplicaPhase::warming, replica, place.starts) > 0;
  make_engine(replica);
  enter(replica, ReplicaPhase::ready, now);
}

/// What was planned for now happens.
void Fleet::on_due(std::uint32_t replica, Time now) {
  if (places_[replica].failed) {
    places_[replica].failed = false;
    return next_phase(replica, places_[replica].back_to, now);
  }
  switch (places_[replica].phase) {
    case ReplicaPhase::off:
    case ReplicaPhase::ready:
      return;
    case ReplicaPhase::ordered:
      return order(replica, now);
    case ReplicaPhase::warming:
      return end_warm_up(replica, now);
    case ReplicaPhase::draining:
      if (!places_[replica].held.empty()) end_warm_up(replica, now);
      if (outstanding_[replica] == 0) stop(replica, now);
      return;
    default:
      return next_phase(replica, places_[replica].phase, now);
  }
}

void Fleet::reload(std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  const ColdStartTimes* const times = pool_at(replica).times.get();
  if (!times || times->bytes(place.phase) == 0) return;
  outdate(replica);
  begin_phase(replica, place.phase, now);
}

// ---- requests ----

/// There is no engine, or its first requests wait for it to warm up.
Outcome Fleet::enqueue_unready(std::uint32_t slot, std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  if (!place.replica) return Outcome::lost;
  if (place.cold) {
    place.cold = false;
    enter(replica, ReplicaPhase::warming, now);
    plan(replica, time_after(now, pool_at(replica).times->seconds(ReplicaPhase::warming, replica,
                                                                  place.starts)));
  }
  place.held.push_back(slot);
  return Outcome::completed;
}

void Fleet::end_warm_up(std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  const std::vector<std::uint32_t> held = std::move(place.held);
  place.held.clear();
  open_[replica] = engines_[replica];
  if (place.phase == ReplicaPhase::warming) enter(replica, ReplicaPhase::ready, now);
  for (const std::uint32_t slot : held) {
    at_.requests[slot].visit = ++visits_;
    const Outcome outcome = place.replica->enqueue(slot, now);
    if (outcome != Outcome::completed) at_.owner.on_refused(slot, outcome, now);
  }
}

void Fleet::leave_draining(std::uint32_t replica, Time now) {
  // Not at once: the replica may be the one that calls.
  if (places_[replica].phase == ReplicaPhase::draining && outstanding_[replica] == 0) {
    plan(replica, now);
  }
}

bool Fleet::cancel(std::uint32_t slot, std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  const auto held = std::find(place.held.begin(), place.held.end(), slot);
  if (held == place.held.end()) return place.replica->cancel(slot, now);
  place.held.erase(held);
  return true;
}

// ---- how many ----

void Fleet::set_wanted(std::size_t pool, std::int32_t count, Time now) {
  PoolState& state = pools_[pool];
  state.wanted = count;
  if (state.active > count) stop_the_least(pool, now);
  replenish(pool, now);
}

/// As many as there are too many, in the order in which they go.
void Fleet::stop_the_least(std::size_t pool, Time now) {
  const PoolState& state = pools_[pool];
  std::vector<std::uint32_t> active;
  for (std::uint32_t r = state.first + state.places; r-- > state.first;) {
    if (is_active(places_[r].phase)) active.push_back(r);
  }
  std::stable_sort(active.begin(), active.end(), [&](std::uint32_t a, std::uint32_t b) {
    return progress(places_[a].phase) < progress(places_[b].phase);
  });
  active.resize(static_cast<std::size_t>(state.active - state.wanted));
  for (const std::uint32_t replica : active) {
    if (takes_requests(places_[replica].phase)) {
      begin_draining(replica, now);
    } else {
      stop(replica, now);
    }
  }
}

void Fleet::begin_draining(std::uint32_t replica, Time now) {
  enter(replica, ReplicaPhase::draining, now);
  if (outstanding_[replica] == 0) plan(replica, now);
}

void Fleet::drain(std::uint32_t replica, Time now) {
  if (!takes_requests(places_[replica].phase)) return;
  begin_draining(replica, now);
  replenish(pool_of_[replica], now);
}

void Fleet::retire(std::uint32_t replica, std::int32_t count, Time now) {
  begin_draining(replica, now);
  set_wanted(pool_of_[replica], count, now);
}

bool Fleet::fail(std::uint32_t replica, Fault fault, Time down_for, Time now) {
  Place& place = places_[replica];
  const bool early = place.phase < ReplicaPhase::process;  // no engine yet
  if (!holds_machine(place.phase) || (early && fault == Fault::engine)) return false;
  if (place.phase == ReplicaPhase::draining) {
    reclaim(replica, now);
    return true;
  }
  if (place.phase == ReplicaPhase::down) {
    if (fault == Fault::engine || time_after(now, down_for) <= place.down_until) return false;
  } else {
    place.back_to = early ? ReplicaPhase::ordered : ReplicaPhase::image;
  }
  outdate(replica);
  ++place.starts;
  place.failed = true;
  place.down_until = time_after(now, down_for);
  // Before its requests come back: none of them may go there again.
  enter(replica, fault == Fault::engine ? ReplicaPhase::process : ReplicaPhase::down, now);
  take_engine_away(replica, now);
  plan(replica, place.down_until);
  return true;
}

bool Fleet::has_machine(std::uint32_t replica) const {
  return holds_machine(places_[replica].phase);
}

void Fleet::reclaim(std::uint32_t replica, Time now) {
  if (holds_machine(places_[replica].phase)) stop(replica, now);
}

void Fleet::stop(std::uint32_t replica, Time now) {
  outdate(replica);
  enter(replica, ReplicaPhase::off, now);
  take_engine_away(replica, now);
  const std::size_t pool = pool_of_[replica];
  const PoolState& state = pools_[pool];
  const bool any_ordered = state.ordered > 0;
  for (std::uint32_t r = state.first; any_ordered && r < state.first + state.places; ++r) {
    if (places_[r].phase == ReplicaPhase::ordered && places_[r].waits_for_quota) order(r, now);
  }
  replenish(pool, now);
}

/// Orders what is missing, lowest number first.
void Fleet::replenish(std::size_t pool, Time now) {
  PoolState& state = pools_[pool];
  for (std::uint32_t r = state.first; r < state.first + state.places; ++r) {
    if (state.active >= state.wanted) return;
    Place& place = places_[r];
    if (place.phase != ReplicaPhase::off) continue;
    ++place.life;
    ++place.starts;
    ++place.machine;
    place.orders = 0;
    order(r, now);
  }
}

/// The engine and all in it are gone: living requests are lost.
void Fleet::take_engine_away(std::uint32_t replica, Time now) {
  Place& place = places_[replica];
  std::vector<std::uint32_t> slots = std::move(place.held);
  place.held.clear();
  place.cold = false;
  if (place.replica) {
    place.replica->settle(now);
    place.replica->list(slots);
    steps_of_the_gone_ += place.replica->steps();
    at_.clock.wake(first_replica_ + replica, kNever);
    place.replica.reset();
    engines_[replica] = open_[replica] = nullptr;
  }
  const auto number = [&](std::uint32_t slot) { return at_.requests[slot].record.id; };
  std::sort(slots.begin(), slots.end(),
            [&](std::uint32_t a, std::uint32_t b) { return number(a) < number(b); });
  for (const std::uint32_t slot : slots) {
    if (at_.requests[slot].life == 0) {
      at_.owner.on_ghost(slot);
    } else {
      at_.owner.on_lost(slot, now);
    }
  }
}

// ---- what is seen of it ----

double Fleet::kv_share(std::uint32_t replica) const {
  const Place& place = places_[replica];
  const Pool& pool = *pools_[pool_of_[replica]].pool;
  if (!place.replica || pool.kind != Pool::Kind::llm) return 0;
  return static_cast<double>(place.replica->kv_blocks_used()) / static_cast<double>(pool.kv.blocks);
}

std::int64_t Fleet::arrivals(std::size_t pool) const {
  const auto first = arrivals_.begin() + pools_[pool].first;
  return std::accumulate(first, first + pools_[pool].places, std::int64_t{0});
}

std::int64_t Fleet::waiting(std::uint32_t replica) const {
  const Place& place = places_[replica];
  const auto held = static_cast<std::int64_t>(place.held.size());
  return place.replica ? place.replica->waiting() + held : held;
}

void Fleet::settle(Time now) {
  for (Place& place : places_) {
    if (place.replica) place.replica->settle(now);
  }
}

std::int64_t Fleet::steps() const {
  std::int64_t steps = steps_of_the_gone_;
  for (const Place& place : places_) steps += place.replica ? place.replica->steps() : 0;
  return steps;
}

std::vector<std::string> Fleet::step_time_sources() const {
  std::vector<std::string> sources;
  for (const PoolState& pool : pools_) sources.push_back(pool.cost ? pool.cost->source() : "");
  return sources;
}

}  // namespace headway
