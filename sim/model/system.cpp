#include "sim/model/system.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/scenario/pool_cost.hpp"

namespace headway {
namespace {

constexpr Entity kLoadEnd = 0;  // before all else of its instant: the load is [0, duration)
constexpr Entity kFirstClient = 1;

/// The least time that an error answer takes: a user without think time who is always rejected must
/// not try again for ever within one instant.
constexpr Time kRejectionTime = 1'000'000'000;  // 1 ms

Entity client_entities(const Scenario& scenario) {
  return Client::kEntities * static_cast<Entity>(scenario.workload.size());
}

}  // namespace

Entity System::entities(const Scenario& scenario) {
  Entity count = kFirstClient + client_entities(scenario) + 1;
  for (const Pool& pool : scenario.fleet) count += static_cast<Entity>(pool.replicas);
  return count;
}

System::System(const Scenario& scenario, Clock& clock, Network& network, Observer& observer)
    : scenario_(scenario),
      clock_(clock),
      network_(network),
      observer_(observer),
      latency_(to_picoseconds(scenario.front.latency_seconds)),
      stationary_(scenario.stationary()),
      router_draw_(scenario.run.seed, Stream::router, 0) {
  front_entity_ = kFirstClient + client_entities(scenario);
  first_replica_ = front_entity_ + 1;
  if (scenario.front.bandwidth > 0) {
    front_route_ = network.add_route(
        {network.add_link(scenario.front.bandwidth, scenario.front.latency_seconds)});
  }
  for (const Pool& pool : scenario.fleet) {
    costs_.push_back(make_pool_cost(pool));
    for (std::int32_t r = 0; r < pool.replicas; ++r) {
      const auto index = static_cast<std::uint32_t>(replicas_.size());
      const ReplicaContext context{clock_,
                                   requests_,
                                   *this,
                                   observer_,
                                   pool,
                                   costs_.back().get(),
                                   first_replica_ + index,
                                   index,
                                   scenario.run.seed};
      replicas_.push_back(make_replica(context, scenario.run.stepping));
      kv_blocks_.push_back(pool.kind == Pool::Kind::llm ? pool.kv.blocks : 0);
      answer_delays_.push_back(latency_ +
                               to_picoseconds(pool.placement.engine.request_overhead_seconds));
    }
  }
  outstanding_.assign(replicas_.size(), 0);
  RouterSet everywhere;
  for (std::uint32_t r = 0; r < replicas_.size(); ++r) everywhere.replicas.push_back(r);
  router_ = make_router(scenario.router, scenario.router_rules, everywhere);
  for (std::uint32_t r = 0; r < replicas_.size(); ++r) router_->on_available(r, true);
  clients_.reserve(scenario.workload.size());
  for (std::uint32_t c = 0; c < scenario.workload.size(); ++c) {
    clients_.emplace_back(scenario.workload[c], c, scenario.run.seed, clock_,
                          kFirstClient + Client::kEntities * c, static_cast<Sender&>(*this));
  }
  if (scenario.run.duration_seconds > 0) {
    clock_.wake(kLoadEnd, to_picoseconds(scenario.run.duration_seconds));
  }
  for (Client& client : clients_) client.start();
}

System::~System() = default;

void System::on_wake(Entity entity, Time now) {
  if (entity >= first_replica_) {
    replicas_[entity - first_replica_]->on_wake(now);
  } else if (entity == kLoadEnd) {
    end_load(now);
  } else if (entity == front_entity_) {
    while (!on_the_way_.empty() && on_the_way_.front().arrives <= now) {
      const std::uint32_t slot = on_the_way_.front().slot;
      on_the_way_.pop_front();
      route(slot, now);
    }
    if (!on_the_way_.empty()) clock_.wake(front_entity_, on_the_way_.front().arrives);
  } else {
    const Entity client = entity - kFirstClient;
    clients_[client / Client::kEntities].on_wake(client % Client::kEntities, now);
  }
  if (!load_ended_ && std::all_of(clients_.begin(), clients_.end(),
                                  [](const Client& client) { return client.done(); })) {
    end_load(now);
  }
  if (load_ended_ && in_system_ == 0) finished_ = true;
}

void System::on_transfer(std::uint64_t tag, Time now) {
  route(static_cast<std::uint32_t>(tag), now);
  if (load_ended_ && in_system_ == 0) finished_ = true;
}

void System::end_load(Time now) {
  if (load_ended_) return;
  load_ended_ = true;
  totals_.load_end = now;
  for (Client& client : clients_) client.stop();
  if (stationary_) finished_ = true;
}

std::uint32_t System::arrive(std::uint32_t workload_class, const RequestBody& body, Time now) {
  if (load_ended_) return kNoRequest;
  const std::uint32_t slot = requests_.take();
  if (slot >= live_.size()) live_.resize(slot + 1);
  live_[slot] = true;
  Request& request = requests_[slot];
  request.priority = scenario_.workload[workload_class].priority;
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
  if (scenario_.front.bandwidth > 0) {
    network_.send(front_route_, bytes, slot);
  } else if (latency_ > 0) {
    on_the_way_.push_back({now + latency_, slot});
    if (on_the_way_.size() == 1) clock_.wake(front_entity_, now + latency_);
  } else {
    route(slot, now);
  }
}

void System::route(std::uint32_t slot, Time now) {
  RequestRecord& record = requests_[slot].record;
  const RoutedRequest request{record.id, record.input_tokens, record.output_tokens,
                              &requests_[slot].content, now};
  const std::uint32_t chosen = router_->pick(*this, router_draw_, request);
  record.replica = chosen;
  router_->on_change(chosen, ++outstanding_[chosen]);
  record.outcome = replicas_[chosen]->enqueue(slot, now);
  if (record.outcome == Outcome::completed) return;
  record.finished = now + latency_;
  leave(slot, now, now + std::max(latency_, kRejectionTime));
}

void System::depart(std::uint32_t slot, Time now) {
  RequestRecord& record = requests_[slot].record;
  const Time delay = answer_delays_[record.replica];
  record.first_token += delay;
  record.finished += delay;
  totals_.input_tokens += record.input_tokens;
  totals_.output_tokens += record.output_tokens;
  totals_.prefix_hit_tokens += record.prefix_hit_tokens;
  leave(slot, now, now + delay);
}

void System::leave(std::uint32_t slot, Time now, Time known) {
  const RequestRecord& record = requests_[slot].record;
  const std::uint32_t conversation = requests_[slot].conversation;
  ++(record.outcome == Outcome::completed ? totals_.completed : totals_.rejected);
  totals_.preemptions += record.preemptions;
  count_number(now, -1);
  totals_.time_in_system_sum += now - record.scheduled;
  router_->on_change(record.replica, --outstanding_[record.replica]);
  observer_.on_departure(now, record);
  live_[slot] = false;
  requests_.give(slot);
  clients_[record.workload_class].answered(known, conversation,
                                           record.outcome == Outcome::completed);
}

void System::count_number(Time now, int change) {
  totals_.number_in_system_integral += static_cast<__int128>(in_system_) * (now - counted_until_);
  counted_until_ = now;
  in_system_ += change;
}

double System::kv_share(std::uint32_t replica) const {
  const std::int64_t blocks = kv_blocks_[replica];
  return blocks == 0 ? 0
                     : static_cast<double>(replicas_[replica]->kv_blocks_used()) /
                           static_cast<double>(blocks);
}

RunProgress System::progress() const {
  RunProgress progress;
  progress.now = clock_.now();
  progress.offered = totals_.arrived;
  progress.departed = totals_.completed + totals_.rejected;
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
  for (const auto& replica : replicas_) replica->settle(clock_.now());
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
  for (const auto& replica : replicas_) totals.steps += replica->steps();
  for (const auto& cost : costs_) totals.step_time_sources.push_back(cost ? cost->source() : "");
  if (totals.arrived != totals.completed + totals.rejected + totals.timed_out + totals.in_flight) {
    throw std::logic_error(
        "requests were lost or made: arrived ≠ completed + rejected + in flight");
  }
  if (totals.number_in_system_integral != totals.time_in_system_sum) {
    throw std::logic_error("Little's law is broken: ∫ N dt ≠ Σ time in system");
  }
  return totals;
}

}  // namespace headway
