#include "sim/model/system.hpp"

#include <algorithm>
#include <stdexcept>

namespace headway {
namespace {

constexpr Entity kLoadEnd = 0;  // before all else of its instant: the load is [0, duration)
constexpr Entity kMetrics = 1;  // routers see what was before all else of the instant, too …
constexpr Entity kHealth = 2;   // … and so do health checks
constexpr Entity kFirstClient = 3;

Entity client_entities(const Scenario& scenario) {
  return Client::kEntities * static_cast<Entity>(scenario.workload.size());
}
Entity timers_entity(const Scenario& scenario) {
  return kFirstClient + client_entities(scenario);
}
Entity front_entity(const Scenario& scenario) {
  return timers_entity(scenario) + 1;
}
Entity scaler_entity(const Scenario& scenario) {
  return front_entity(scenario) + FrontPath::entities(scenario);
}
Entity faults_entity(const Scenario& scenario) {
  return scaler_entity(scenario) + Scaler::entities(scenario);
}
Entity fleet_entity(const Scenario& scenario) {
  return faults_entity(scenario) + 1;
}

/// When the promise to the request's user runs out; kNever where there is none.
Time deadline_of(const WorkloadClass& of, Time scheduled) {
  if (!of.slo) return kNever;
  const std::optional<double>& seconds =
      of.slo->ttft_seconds ? of.slo->ttft_seconds : of.slo->e2e_seconds;
  return seconds ? time_after(scheduled, to_picoseconds(*seconds)) : kNever;
}

}  // namespace

Entity System::entities(const Scenario& scenario) {
  return fleet_entity(scenario) + Fleet::entities(scenario);
}

System::System(const Scenario& scenario, Clock& clock, Network& network, Observer& observer)
    : scenario_(scenario),
      clock_(clock),
      observer_(observer),
      latency_(to_picoseconds(scenario.front.latency_seconds)),
      front_entity_(front_entity(scenario)),
      scaler_entity_(scaler_entity(scenario)),
      faults_entity_(faults_entity(scenario)),
      fleet_entity_(fleet_entity(scenario)),
      stationary_(scenario.stationary()),
      front_(scenario, clock, network, requests_, *this, front_entity_),
      fleet_({scenario, clock, network, observer, requests_, *this, *this, fleet_entity_}),
      faults_(scenario, clock, network, fleet_, faults_entity_),
      doorkeeper_(scenario.admission, scenario.tenants),
      dispatcher_(scenario, fleet_, clock, kMetrics),
      health_(scenario.router_rules.health, fleet_.places(), clock, kHealth),
      scaler_(scenario, clock, fleet_, dispatcher_, scaler_entity_),
      timers_(clock, timers_entity(scenario)),
      patience_(scenario, timers_) {
  const std::uint64_t seed = scenario.run.seed;
  clients_.reserve(scenario.workload.size());
  for (std::uint32_t c = 0; c < scenario.workload.size(); ++c) {
    const WorkloadClass& each = scenario.workload[c];
    clients_.emplace_back(each, c, seed, clock_, kFirstClient + Client::kEntities * c,
                          static_cast<Sender&>(*this));
    backoff_.emplace_back(each.retries, seed, c);
  }
  if (scenario.run.duration_seconds > 0) {
    clock_.wake(kLoadEnd, to_picoseconds(scenario.run.duration_seconds));
  }
  fleet_.start();
  scaler_.start();
  for (Client& client : clients_) client.start();
}

System::~System() = default;

void System::on_wake(Entity entity, Time now) {
  if (entity >= fleet_entity_) {
    fleet_.on_wake(entity - fleet_entity_, now);
  } else if (entity == faults_entity_) {
    faults_.on_wake(now);
  } else if (entity == kLoadEnd) {
    end_load(now);
  } else if (entity == kMetrics) {
    dispatcher_.look();
  } else if (entity == kHealth) {
    for (const std::uint32_t replica : health_.look(now)) {
      set_available(replica, health_.believed(replica), now);
    }
  } else if (entity >= scaler_entity_) {
    scaler_.on_wake(entity - scaler_entity_, now);
  } else if (entity >= front_entity_) {
    front_.on_wake(entity - front_entity_, now);
  } else if (entity == front_entity_ - 1) {
    for (Timers::Timer due; timers_.take_due(now, due);) on_timer(due, now);
  } else {
    const Entity client = entity - kFirstClient;
    clients_[client / Client::kEntities].on_wake(client % Client::kEntities, now);
    clients_changed_ = true;
  }
  if (clients_changed_) look_at_clients(now);
  if (load_ended_ && in_system_ == 0) finished_ = true;
}

/// The load ends when no client sends any more.
void System::look_at_clients(Time now) {
  clients_changed_ = false;
  if (!load_ended_ && std::all_of(clients_.begin(), clients_.end(),
                                  [](const Client& client) { return client.done(); })) {
    end_load(now);
  }
}

void System::on_transfer(std::uint64_t tag, Time now) {
  if (Fleet::owns_transfer(tag)) {
    fleet_.on_transfer(tag, now);
  } else {
    front_.on_transfer(static_cast<std::uint32_t>(tag), now);
  }
  if (load_ended_ && in_system_ == 0) finished_ = true;
}

void System::end_load(Time now) {
  if (load_ended_) return;
  load_ended_ = true;
  totals_.load_end = now;
  for (Client& client : clients_) client.stop();
  if (stationary_) finished_ = true;
}

// ---- from the client to the door ----

std::uint32_t System::arrive(std::uint32_t workload_class, const RequestBody& body, Time now) {
  if (load_ended_) return kNoRequest;
  const WorkloadClass& of = scenario_.workload[workload_class];
  const std::uint32_t slot = requests_.take();
  if (slot >= live_.size()) live_.resize(slot + 1);
  live_[slot] = true;
  Request& request = requests_[slot];
  request.priority = of.priority;
  request.tenant = of.tenant_index;
  request.deadline = deadline_of(of, now);
  request.record = {};
  request.record.id = next_request_++;
  request.record.workload_class = workload_class;
  request.record.scheduled = now;
  request.record.input_tokens = body.input_tokens;
  request.record.output_tokens = body.output_tokens;
  request.content = body.content;
  request.conversation = body.conversation;
  if (request.content.own == 0) {
    request.content.own = content_identity(ContentOf::request, 0, request.record.id);
  }
  ++totals_.arrived;
  count_number(now, +1);
  observer_.on_arrival(now, workload_class);
  if (scenario_.run.requests > 0 && totals_.arrived >= scenario_.run.requests) end_load(now);
  return slot;
}

void System::send(std::uint32_t slot, std::int64_t bytes, Time now) {
  requests_[slot].record.sent = now;
  requests_[slot].bytes = bytes;
  begin_attempt(slot, now);
}

void System::begin_attempt(std::uint32_t slot, Time now) {
  Request& request = requests_[slot];
  request.life = ++next_life_;
  request.where = Request::Where::on_the_way;
  request.sent = now;
  if (patience_.ends(request.record.workload_class)) patience_.begin(slot, request, now);
  if (timers_.too_many(requests_.live())) {
    timers_.forget(
        [&](const Timers::Timer& timer) { return requests_[timer.slot].life != timer.life; });
  }
  front_.send(slot, request.bytes, now);
}

// ---- from the door to a replica ----

void System::at_door(std::uint32_t slot, Time now) {
  Request& request = requests_[slot];
  if (request.life == 0) return requests_.give(slot);
  if (!doorkeeper_.open() && !is_let_in(slot, now)) return;
  ++inside_;
  request.leg = dispatcher_.first_leg(request.record.workload_class, request.record.id);
  dispatch(slot, now);
}

bool System::is_let_in(std::uint32_t slot, Time now) {
  const Request& request = requests_[slot];
  const RequestRecord& record = request.record;
  const std::int64_t tokens = std::int64_t{record.input_tokens} + record.output_tokens;
  switch (doorkeeper_.ask({request.tenant, request.priority, tokens}, inside_, now)) {
    case Entry::granted:
      return true;
    case Entry::rate_limited:
      refuse(slot, Outcome::rejected_rate_limit, now);
      return false;
    case Entry::overloaded:
      break;
  }
  refuse(slot, Outcome::rejected_overload, now);
  return false;
}

/// A request that is inside and nowhere goes to a replica of its leg, or waits for one.
void System::dispatch(std::uint32_t slot, Time now) {
  Request& request = requests_[slot];
  RequestRecord& record = request.record;
  const std::uint32_t group = dispatcher_.group(record.workload_class, request.leg);
  const std::uint32_t chosen = dispatcher_.pick(group, request, now);
  if (chosen == Router::kNobody) {
    const std::int64_t most = scenario_.admission.max_held;
    if (most > 0 && held_ >= most) {
      --inside_;
      return refuse(slot, Outcome::rejected_no_replica, now);
    }
    request.where = Request::Where::held;
    ++held_;
    return dispatcher_.hold(group, slot);
  }
  record.replica = chosen;
  request.where = Request::Where::at_replica;
  const Outcome outcome = fleet_.enqueue(slot, request, chosen, now);
  dispatcher_.on_change(chosen);
  if (outcome == Outcome::completed) return;
  leave_replica(request, now);
  refuse(slot, outcome, now);
}

/// A request that is nowhere is sent away; its client learns of it a latency later.
void System::refuse(std::uint32_t slot, Outcome why, Time now) {
  requests_[slot].record.finished = now + latency_;
  fail(slot, why, now, now + std::max(latency_, kRejectionTime));
}

/// The request is neither at its replica any more, nor inside.
void System::leave_replica(Request& request, Time now) {
  --inside_;
  fleet_.leave(request.record.replica, request.record, now);
  dispatcher_.on_change(request.record.replica);
}

void System::on_available(std::uint32_t replica, bool available, Time now) {
  scaler_.on_available(replica, available, now);
  const bool announced = now == 0 || fleet_.phase(replica) == ReplicaPhase::draining;
  if (!health_.given() || health_.tell(replica, available, announced, now)) {
    set_available(replica, available, now);
  }
}

/// What the router believes.
void System::set_available(std::uint32_t replica, bool available, Time now) {
  dispatcher_.on_available(replica, available);
  if (!available) return;
  for (const std::uint32_t group : dispatcher_.groups_of(replica)) release_held(group, now);
}

void System::release_held(std::uint32_t group, Time now) {
  while (dispatcher_.holds_any(group) && dispatcher_.any_available(group)) {
    const std::uint32_t slot = dispatcher_.take_held(group);
    if (requests_[slot].life == 0) {
      requests_.give(slot);
      continue;
    }
    dispatcher_.unhold(group);
    --held_;
    dispatch(slot, now);
  }
}

void System::on_refused(std::uint32_t slot, Outcome why, Time now) {
  leave_replica(requests_[slot], now);
  refuse(slot, why, now);
}

// ---- answers, failures, and what comes of them ----

void System::depart(std::uint32_t slot, Time now) {
  Request& request = requests_[slot];
  if (request.life == 0) return requests_.give(slot);
  RequestRecord& record = request.record;
  dispatcher_.on_answer(request, now);
  leave_replica(request, now);
  if (dispatcher_.escalates(record.workload_class, request.leg, record.id)) {
    return escalate(slot, now);
  }
  const Time delay = fleet_.answer_delay(record.replica);
  record.first_token += delay;
  record.finished += delay;
  if (!scenario_.workload[record.workload_class].streaming) record.first_token = record.finished;
  scaler_.on_answer(record, now);
  if (patience_.ends(record.workload_class) && comes_too_late(slot, now)) return;
  totals_.input_tokens += record.input_tokens;
  totals_.output_tokens += record.output_tokens;
  totals_.prefix_hit_tokens += record.prefix_hit_tokens;
  leave(slot, now, now + delay);
}

/// The answer is not good enough: the next leg is asked the same.
void System::escalate(std::uint32_t slot, Time now) {
  Request& request = requests_[slot];
  ++request.leg;
  ++request.record.escalations;
  ++totals_.escalations;
  request.begin_anew();
  ++inside_;
  dispatch(slot, now);
}

void System::leave(std::uint32_t slot, Time now, Time known) {
  Request& request = requests_[slot];
  const RequestRecord& record = request.record;
  count_outcome(record.outcome);
  totals_.preemptions += record.preemptions;
  count_number(now, -1);
  totals_.time_in_system_sum += now - record.scheduled;
  observer_.on_departure(now, record);
  live_[slot] = false;
  request.life = 0;
  requests_.give(slot);
  clients_changed_ = true;
  clients_[record.workload_class].answered(known, request.conversation,
                                           record.outcome == Outcome::completed);
}

void System::count_outcome(Outcome outcome) {
  if (is_rejection(outcome)) {
    ++totals_.rejected;
  } else if (outcome == Outcome::completed) {
    ++totals_.completed;
  } else if (outcome == Outcome::timed_out) {
    ++totals_.timed_out;
  } else {
    ++(outcome == Outcome::hung_up ? totals_.hung_up : totals_.lost);
  }
}

void System::count_number(Time now, int change) {
  totals_.number_in_system_integral += static_cast<__int128>(in_system_) * (now - counted_until_);
  counted_until_ = now;
  in_system_ += change;
}

RunProgress System::progress() const {
  RunProgress progress;
  progress.now = clock_.now();
  progress.offered = totals_.arrived;
  progress.departed = totals_.arrived - in_system_;
  if (load_ended_) {
    progress.fraction = static_cast<double>(progress.departed) /
                        static_cast<double>(std::max<std::int64_t>(1, totals_.arrived));
  } else if (scenario_.run.requests > 0) {
    progress.fraction =
        static_cast<double>(totals_.arrived) / static_cast<double>(scenario_.run.requests);
  } else if (scenario_.run.duration_seconds > 0) {
    progress.fraction = to_seconds(progress.now) / scenario_.run.duration_seconds;
  }
  progress.fraction = std::clamp(progress.fraction, 0.0, 1.0);
  return progress;
}

RunTotals System::end(bool cancelled) {
  fleet_.settle(clock_.now());
  RunTotals totals = totals_;
  totals.cancelled = cancelled;
  totals.end = clock_.now();
  if (!load_ended_) totals.load_end = totals.end;
  totals.number_in_system_integral +=
      static_cast<__int128>(in_system_) * (totals.end - counted_until_);
  for (std::uint32_t slot = 0; slot < requests_.bound(); ++slot) {
    if (!live_[slot]) continue;
    ++totals.in_flight;
    totals.time_in_system_sum += totals.end - requests_[slot].record.scheduled;
    totals.preemptions += requests_[slot].record.preemptions;
  }
  for (const Client& client : clients_) {
    if (std::string note = client.note(); !note.empty()) totals.notes.push_back(std::move(note));
  }
  totals.front_stations = front_.totals(totals.end);
  totals.steps = fleet_.steps();
  totals.faults = faults_.counts();
  totals.step_time_sources = fleet_.step_time_sources();
  if (totals.arrived != totals.completed + totals.rejected + totals.timed_out + totals.hung_up +
                            totals.lost + totals.in_flight) {
    throw std::logic_error(
        "requests were lost or made: arrived ≠ completed + rejected + timed out + hung up + lost + "
        "in flight");
  }
  if (totals.number_in_system_integral != totals.time_in_system_sum) {
    throw std::logic_error("Little's law is broken: ∫ N dt ≠ Σ time in system");
  }
  return totals;
}

}  // namespace headway
