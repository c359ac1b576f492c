#include "sim/engine/simgrid_network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace headway {

namespace s4u = simgrid::s4u;

Network::Link SimGridNetwork::add_link(double bytes_per_second, double latency_seconds) {
  auto* link = zone_.create_link("link" + std::to_string(links_.size()), bytes_per_second);
  links_.push_back(link->set_latency(latency_seconds)->seal());
  return static_cast<Link>(links_.size() - 1);
}

Network::Route SimGridNetwork::add_route(const std::vector<Link>& links) {
  const std::string name = "route" + std::to_string(routes_.size());
  s4u::Host* from = zone_.create_host(name + "-from", 1.0)->seal();
  s4u::Host* to = zone_.create_host(name + "-to", 1.0)->seal();
  std::vector<s4u::LinkInRoute> way;
  for (const Link link : links) way.emplace_back(links_[link]);
  zone_.add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, way, false);
  routes_.emplace_back(from, to);
  return static_cast<Route>(routes_.size() - 1);
}

void SimGridNetwork::send(Route route, std::int64_t bytes, std::uint64_t tag) {
  const double behind = to_seconds(clock_.now()) - s4u::Engine::get_clock();
  if (transfers_.empty() && behind > 0) s4u::this_actor::sleep_for(behind);
  transfers_.push_back(s4u::Comm::sendto_async(routes_[route].first, routes_[route].second,
                                               static_cast<std::uint64_t>(bytes)));
  tags_.push_back(tag);
}

bool SimGridNetwork::wait(Time next, std::uint64_t& tag, Time& at) {
  double seconds = -1;  // without limit
  if (next != kNever) {
    seconds = to_seconds(next) - s4u::Engine::get_clock();
    if (seconds <= 0) return false;
  }
  const ssize_t ended = s4u::Comm::wait_any_for(transfers_, seconds);
  if (ended < 0) return false;
  tag = tags_[static_cast<std::size_t>(ended)];
  transfers_.erase(transfers_.begin() + ended);
  tags_.erase(tags_.begin() + ended);
  constexpr auto kLatest = static_cast<double>(kEndOfTime);
  const double ended_at = std::min(s4u::Engine::get_clock() * kPicosecondsPerSecond, kLatest);
  at = std::min(next, std::max(clock_.now(), static_cast<Time>(std::llround(ended_at))));
  return true;
}

void SimGridNetwork::cancel() {
  for (const auto& transfer : transfers_) transfer->cancel();
  transfers_.clear();
  tags_.clear();
}

}  // namespace headway
