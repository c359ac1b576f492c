#include "sim/model/dispatcher.hpp"

#include <algorithm>
#include <numeric>

namespace headway {

Dispatcher::Dispatcher(const Scenario& scenario, const Fleet& fleet, Clock& clock, Entity looks)
    : scenario_(scenario),
      fleet_(fleet),
      clock_(clock),
      looks_(looks),
      metrics_age_(to_picoseconds(scenario.router_rules.metrics_age_seconds)),
      snapshot_(metrics_age_ > 0 ? std::make_unique<FleetSnapshot>(
                                       fleet.places(), scenario.router == RouterKind::least_kv)
                                 : nullptr),
      seen_(snapshot_ ? static_cast<const FleetState&>(*snapshot_) : fleet),
      groups_of_pool_(scenario.fleet.size()),
      router_draw_(scenario.run.seed, Stream::router, 0) {
  std::vector<std::uint32_t> everywhere(scenario.fleet.size());
  std::iota(everywhere.begin(), everywhere.end(), 0u);
  for (const WorkloadClass& each : scenario.workload) {
    const Route& route = each.route;
    std::vector<std::uint32_t>& legs = legs_.emplace_back();
    std::vector<double>& shares = shares_.emplace_back();
    if (route.legs.empty()) {
      legs.push_back(group_of(everywhere));
    } else if (route.kind == Route::Kind::any) {
      std::vector<std::uint32_t> pools;
      for (const Route::Leg& leg : route.legs) pools.push_back(leg.index);
      legs.push_back(group_of(pools));
    } else {
      double sum = 0;
      for (const Route::Leg& leg : route.legs) {
        legs.push_back(group_of({leg.index}));
        shares.push_back(sum += leg.share);
      }
      for (double& share : shares) share /= sum;
      routed_ = true;
    }
  }
  if (groups_.size() == 1) only_ = groups_[0].router.get();
}

std::uint32_t Dispatcher::group_of(std::vector<std::uint32_t> pools) {
  std::sort(pools.begin(), pools.end());
  const auto known = std::find_if(groups_.begin(), groups_.end(),
                                  [&](const Group& group) { return group.pools == pools; });
  if (known != groups_.end()) return static_cast<std::uint32_t>(known - groups_.begin());
  const auto number = static_cast<std::uint32_t>(groups_.size());
  for (const std::uint32_t pool : pools) groups_of_pool_[pool].push_back(number);
  auto router = make_router(scenario_.router, scenario_.router_rules, replicas_of(pools));
  groups_.push_back({std::move(pools), std::move(router), {}, 0});
  return number;
}

RouterSet Dispatcher::replicas_of(const std::vector<std::uint32_t>& pools) const {
  RouterSet set;
  for (const std::uint32_t p : pools) {
    const Pool& pool = scenario_.fleet[p];
    for (std::uint32_t place = 0; place < fleet_.places(p); ++place) {
      set.replicas.push_back(fleet_.first_place(p) + place);
      set.pools.push_back(p);
      set.weights.push_back(pool.weight);
      set.kv_blocks.push_back(pool.kind == Pool::Kind::llm ? pool.kv.blocks : 0);
      set.block_tokens.push_back(pool.kv.block_tokens);
    }
  }
  return set;
}

std::uint32_t Dispatcher::draw_leg(std::uint32_t workload_class, std::uint64_t request) const {
  if (scenario_.workload[workload_class].route.kind != Route::Kind::shares) return 0;
  const std::vector<double>& shares = shares_[workload_class];
  const double u = Draw(scenario_.run.seed, Stream::route, workload_class).uniform(request);
  const auto leg = std::upper_bound(shares.begin(), shares.end() - 1, u);
  return static_cast<std::uint32_t>(leg - shares.begin());
}

bool Dispatcher::draw_escalation(std::uint32_t workload_class, std::uint32_t leg,
                                 std::uint64_t request) const {
  const Route& route = scenario_.workload[workload_class].route;
  if (route.kind != Route::Kind::cascade || leg + 1 >= route.legs.size()) return false;
  return Draw(scenario_.run.seed, Stream::escalation, workload_class).uniform(request, leg) <
         route.legs[leg].escalate;
}

void Dispatcher::on_available(std::uint32_t replica, bool available) {
  for (const std::uint32_t group : groups_of(replica)) {
    groups_[group].router->on_available(replica, available);
    groups_[group].available += available ? 1 : -1;
  }
}

void Dispatcher::look_later() {
  if (look_planned_) return;
  look_planned_ = true;
  const Time now = clock_.now();
  clock_.wake(looks_, time_after(now, metrics_age_ - now % metrics_age_));
}

void Dispatcher::look() {
  look_planned_ = false;
  const bool busy = snapshot_->take(fleet_, [&](std::uint32_t replica, std::int32_t outstanding) {
    for (const std::uint32_t group : groups_of(replica)) {
      groups_[group].router->on_change(replica, outstanding);
    }
  });
  // KV caches fill and empty without another word.
  if (busy && scenario_.router == RouterKind::least_kv) look_later();
}

void Dispatcher::tell_answer(const Request& request, Time now) {
  const RequestRecord& record = request.record;
  const std::uint32_t number = group(record.workload_class, request.leg);
  groups_[number].router->on_answer(
      record.replica, {record.id, record.input_tokens, record.output_tokens, &request.content, now},
      to_seconds(now - record.queued));
}

}  // namespace headway
