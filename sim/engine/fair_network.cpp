#include "sim/engine/fair_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {

Network::Link FairNetwork::add_link(double bytes_per_second, double latency_seconds) {
  links_.push_back({bytes_per_second, to_picoseconds(latency_seconds)});
  return static_cast<Link>(links_.size() - 1);
}

Network::Route FairNetwork::add_route(const std::vector<Link>& links) {
  routes_.push_back(links);
  return static_cast<Route>(routes_.size() - 1);
}

void FairNetwork::send(Route route, std::int64_t bytes, std::uint64_t tag) {
  Time latency = 0;
  for (const Link link : routes_[route]) latency += links_[link].latency;
  const Time now = clock_.now();
  flows_.push_back({route, static_cast<double>(bytes), tag, time_after(now, latency)});
  if (latency == 0) {
    progress_to(now);
    share();
  } else {
    next_ = std::min(next_, flows_.back().flows_at);
  }
}

void FairNetwork::progress_to(Time now) {
  for (Flow& flow : flows_) {
    if (flow.rate > 0) flow.bytes_left -= flow.rate * to_seconds(now - at_);
  }
  at_ = now;
}

void FairNetwork::share() {
  constexpr auto kLongest = static_cast<double>(kEndOfTime);
  std::vector<double> capacity;
  std::vector<int> users(links_.size(), 0);
  for (const Wire& link : links_) capacity.push_back(link.bytes_per_second);
  std::vector<Flow*> rising;
  for (Flow& flow : flows_) {
    if (flow.flows_at > at_) continue;
    rising.push_back(&flow);
    for (const Link link : routes_[flow.route]) ++users[link];
  }
  while (!rising.empty()) {
    double fair = std::numeric_limits<double>::infinity();
    for (std::size_t l = 0; l < links_.size(); ++l) {
      if (users[l] > 0) fair = std::min(fair, capacity[l] / users[l]);
    }
    std::vector<Flow*> still_rising;
    const std::vector<double> before = capacity;
    const std::vector<int> users_before = users;
    for (Flow* flow : rising) {
      const auto& route = routes_[flow->route];
      const bool full = std::any_of(route.begin(), route.end(), [&](Link l) {
        return before[l] / users_before[l] <= fair * (1 + 1e-12);
      });
      if (!full) {
        still_rising.push_back(flow);
        continue;
      }
      flow->rate = fair;
      for (const Link l : route) {
        capacity[l] = std::max(0.0, capacity[l] - fair);
        --users[l];
      }
    }
    rising = std::move(still_rising);
  }
  next_ = kNever;
  for (Flow& flow : flows_) {
    if (flow.flows_at <= at_) {
      const double seconds = std::max(0.0, flow.bytes_left) / flow.rate;
      flow.ends = time_after(
          at_, static_cast<Time>(std::ceil(std::min(seconds * kPicosecondsPerSecond, kLongest))));
      next_ = std::min(next_, flow.ends);
    } else {
      next_ = std::min(next_, flow.flows_at);
    }
  }
}

void FairNetwork::run_due(Process& process) {
  const Time now = clock_.now();
  progress_to(now);
  std::vector<std::uint64_t> arrived;
  std::erase_if(flows_, [&](const Flow& flow) {
    if (flow.ends > now) return false;
    arrived.push_back(flow.tag);
    return true;
  });
  share();
  for (const std::uint64_t tag : arrived) process.on_transfer(tag, now);
}

}  // namespace headway
