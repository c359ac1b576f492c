#include "sim/engine/simgrid_network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace headway {

namespace s4u = simgrid::s4u;

Network::Link SimGridNetwork::add_link(double bytes_per_second, double latency_seconds) {
  auto* link = zone_.create_link("link" + std::to_string(links_.size()), bytes_per_second);
  links_.push_back({link->seal(), to_picoseconds(latency_seconds)});
  return static_cast<Link>(links_.size() - 1);
}

Network::Route SimGridNetwork::add_route(const std::vector<Link>& links) {
  const std::string name = "route" + std::to_string(routes_.size());
  Way route{zone_.create_host(name + "-from", 1.0)->seal(),
            zone_.create_host(name + "-to", 1.0)->seal(), 0};
  std::vector<s4u::LinkInRoute> way;
  for (const Link link : links) {
    way.emplace_back(links_[link].link);
    route.latency = time_after(route.latency, links_[link].latency);
  }
  zone_.add_route(route.from->get_netpoint(), route.to->get_netpoint(), nullptr, nullptr, way,
                  false);
  routes_.push_back(route);
  return static_cast<Route>(routes_.size() - 1);
}

void SimGridNetwork::send(Route route, std::int64_t bytes, std::uint64_t tag) {
  const Time latency = routes_[route].latency;
  if (latency == 0 && bytes > 0) {
    start({route, bytes, tag}, clock_.now());
  } else {
    on_the_way_.insert({time_after(clock_.now(), latency), {route, bytes, tag}});
  }
}

void SimGridNetwork::start(const Transfer& transfer, Time at) {
  const double behind = to_seconds(at) - s4u::Engine::get_clock();
  if (flowing_.empty() && behind > 0) s4u::this_actor::sleep_for(behind);
  const Way& way = routes_[transfer.route];
  flowing_.push_back(
      s4u::Comm::sendto_async(way.from, way.to, static_cast<std::uint64_t>(transfer.bytes)));
  tags_.push_back(transfer.tag);
}

bool SimGridNetwork::wait(Time next, std::uint64_t& tag, Time& at) {
  for (;;) {
    const Time joins = on_the_way_.empty() ? kNever : on_the_way_.begin()->first;
    const Time until = std::min(next, joins);
    double seconds = -1;  // without limit
    if (until != kNever) seconds = std::max(0.0, to_seconds(until) - s4u::Engine::get_clock());
    if (!flowing_.empty() && seconds != 0) {
      const ssize_t ended = s4u::Comm::wait_any_for(flowing_, seconds);
      if (ended >= 0) {
        tag = tags_[static_cast<std::size_t>(ended)];
        flowing_.erase(flowing_.begin() + ended);
        tags_.erase(tags_.begin() + ended);
        constexpr auto kLatest = static_cast<double>(kEndOfTime);
        const double ended_at = std::min(s4u::Engine::get_clock() * kPicosecondsPerSecond, kLatest);
        at = std::min(until, std::max(clock_.now(), static_cast<Time>(std::llround(ended_at))));
        return true;
      }
    }
    if (joins > next || on_the_way_.empty()) return false;
    const Transfer transfer = on_the_way_.begin()->second;
    on_the_way_.erase(on_the_way_.begin());
    if (transfer.bytes == 0) {
      tag = transfer.tag;
      at = joins;
      return true;
    }
    start(transfer, joins);
  }
}

void SimGridNetwork::cancel() {
  for (const auto& transfer : flowing_) transfer->cancel();
  flowing_.clear();
  tags_.clear();
  on_the_way_.clear();
}

}  // namespace headway
