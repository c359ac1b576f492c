// What comes to which pools: the routes of the classes, as rates.
#include <algorithm>
#include <numeric>

#include "sim/cli/offered_load.hpp"

namespace headway {
namespace {

/// Requests that come to each leg of a route for each of the class; to all legs of a choice
/// together.
std::vector<double> leg_flows(const Route& route) {
  std::vector<double> flows;
  double sum = 0, reach = 1;
  for (const Route::Leg& leg : route.legs) sum += leg.share;
  for (const Route::Leg& leg : route.legs) {
    flows.push_back(route.kind == Route::Kind::shares ? leg.share / sum : reach);
    if (route.kind == Route::Kind::cascade) reach *= leg.escalate;
  }
  return flows;
}

/// By pool, the least number of the pools that it is in a group with.
std::vector<std::uint32_t> first_of_groups(const Scenario& scenario) {
  std::vector<std::uint32_t> first(scenario.fleet.size());
  std::iota(first.begin(), first.end(), 0U);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = std::min(first[a], first[b]), high = std::max(first[a], first[b]);
    std::replace(first.begin(), first.end(), high, low);
  };
  for (const WorkloadClass& each : scenario.workload) {
    const auto& legs = each.route.legs;
    if (legs.empty())
      for (std::uint32_t p = 1; p < first.size(); ++p) join(0, p);
    if (each.route.kind == Route::Kind::any)
      for (const Route::Leg& leg : legs) join(legs.front().index, leg.index);
  }
  return first;
}

/// Requests of the class that come to a group, for each of the class.
double flow_into(const PoolGroup& group, const Route& route) {
  if (route.legs.empty()) return 1;
  const std::vector<double> flows = leg_flows(route);
  double flow = 0;
  for (std::size_t leg = 0; leg < flows.size(); ++leg) {
    if (!std::binary_search(group.pools.begin(), group.pools.end(), route.legs[leg].index))
      continue;
    if (route.kind == Route::Kind::any) return 1;
    flow += flows[leg];
  }
  return flow;
}

}  // namespace

OfferedLoad mixed(const std::vector<OfferedLoad>& loads, const std::vector<double>& weights) {
  OfferedLoad mix;
  double weight = 0, input = 0, output = 0, fresh = 0;
  for (std::size_t c = 0; c < loads.size(); ++c) {
    weight += weights[c];
    input += weights[c] * loads[c].input_tokens;
    output += weights[c] * loads[c].output_tokens;
    fresh += weights[c] * loads[c].new_tokens;
  }
  if (weight <= 0) return mix;
  mix.input_tokens = std::max(1.0, input / weight);
  mix.output_tokens = std::max(1.0, output / weight);
  mix.new_tokens = std::max(1.0, fresh / weight);
  return mix;
}

std::vector<PoolGroup> pool_groups(const Scenario& scenario,
                                   const std::vector<OfferedLoad>& loads) {
  const bool open = std::any_of(loads.begin(), loads.end(), [](const OfferedLoad& load) {
    return load.per_second.has_value();
  });
  double offered = 0;
  for (const OfferedLoad& load : loads) offered += load.per_second.value_or(open ? 0 : 1);
  const std::vector<std::uint32_t> first = first_of_groups(scenario);
  std::vector<PoolGroup> groups;
  for (std::uint32_t p = 0; p < first.size(); ++p) {
    if (first[p] != p) continue;
    PoolGroup& group = groups.emplace_back();
    for (std::uint32_t q = p; q < first.size(); ++q)
      if (first[q] == p) group.pools.push_back(q);
    std::vector<double> all, rates;
    for (std::size_t c = 0; c < loads.size(); ++c) {
      all.push_back(flow_into(group, scenario.workload[c].route));
      rates.push_back(all.back() * loads[c].per_second.value_or(open ? 0 : 1));
    }
    const double rate = std::accumulate(rates.begin(), rates.end(), 0.0);
    group.reached = std::any_of(all.begin(), all.end(), [](double flow) { return flow > 0; });
    group.load = mixed(loads, rate > 0 ? rates : all);
    if (offered > 0) group.per_offered = rate / offered;
    if (open) group.load.per_second = rate;
  }
  return groups;
}

}  // namespace headway
