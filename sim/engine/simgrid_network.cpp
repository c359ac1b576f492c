#include "sim/engine/simgrid_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace headway {

namespace s4u = simgrid::s4u;

namespace {

/// Of a byte: 1e15 bytes still fit into the 64 bits of SimGrid's sizes.
constexpr double kPartsOfByte = 16384;

}  // namespace

Network::Link SimGridNetwork::add_link(double bytes_per_second, double latency_seconds) {
  auto* link =
      zone_.create_link("link" + std::to_string(links_.size()), kPartsOfByte * bytes_per_second);
  links_.push_back({link->seal(), to_picoseconds(latency_seconds)});
  return static_cast<Link>(links_.size() - 1);
}

Network::Route SimGridNetwork::add_route(const std::vector<Link>& links) {
  const std::string name = "route" + std::to_string(routes_.size());
  Way route{zone_.create_host(name + "-from", 1.0)->seal(),
            zone_.create_host(name + "-to", 1.0)->seal(), 0, links};
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
  const auto parts = static_cast<std::uint64_t>(kPartsOfByte * static_cast<double>(bytes));
  if (latency == 0 && parts > 0) {
    start({route, parts, tag}, clock_.now());
  } else {
    on_the_way_.insert({time_after(clock_.now(), latency), {route, parts, tag}});
  }
}

bool SimGridNetwork::cut(Route route) const {
  const auto& links = routes_[route].links;
  return std::any_of(links.begin(), links.end(), [&](Link link) { return links_[link].cut; });
}

s4u::CommPtr SimGridNetwork::begin(const Transfer& transfer) const {
  const Way& way = routes_[transfer.route];
  return s4u::Comm::sendto_async(way.from, way.to, transfer.parts);
}

void SimGridNetwork::start(const Transfer& transfer, Time at) {
  if (cut(transfer.route)) {
    held_.push_back(transfer);
    return;
  }
  catch_up(at);
  flowing_.push_back({transfer.route, transfer.tag});
  comms_.push_back(begin(transfer));
  look_ahead(at);
}

void SimGridNetwork::catch_up(Time at) {
  for (;;) {
    const double behind = to_seconds(at) - s4u::Engine::get_clock();
    if (!(behind > 0)) return;
    if (flowing_.empty()) return s4u::this_actor::sleep_for(behind);
    const ssize_t ended = s4u::Comm::wait_any_for(comms_, behind);
    if (ended < 0) return;
    ended_.push_back(flowing_[static_cast<std::size_t>(ended)].tag);
    remove(static_cast<std::size_t>(ended));
  }
}

void SimGridNetwork::look_ahead(Time at) {
  double seconds = 1e6;  // long enough
  for (std::size_t f = 0; f < flowing_.size(); ++f) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (const Link link : routes_[flowing_[f].route].links) {
      narrowest = std::min(narrowest, links_[link].link->get_bandwidth());
    }
    seconds = std::min(seconds, comms_[f]->get_remaining() / narrowest);
  }
  // SimGrid's rates and times are rounded.
  quiet_until_ = time_after(at, to_picoseconds(std::max(0.0, seconds * (1 - 1e-6) - 1e-9)));
}

void SimGridNetwork::remove(std::size_t flowing) {
  flowing_.erase(flowing_.begin() + static_cast<std::ptrdiff_t>(flowing));
  comms_.erase(comms_.begin() + static_cast<std::ptrdiff_t>(flowing));
}

void SimGridNetwork::set_bandwidth(Link link, double bytes_per_second) {
  catch_up(clock_.now());
  Wire& wire = links_[link];
  wire.cut = bytes_per_second == 0;
  std::vector<Transfer> interrupted;
  for (std::size_t f = 0; f < flowing_.size();) {
    const auto& links = routes_[flowing_[f].route].links;
    if (std::find(links.begin(), links.end(), link) == links.end()) {
      ++f;
      continue;
    }
    const double left = std::max(1.0, std::round(comms_[f]->get_remaining()));
    interrupted.push_back({flowing_[f].route, static_cast<std::uint64_t>(left), flowing_[f].tag});
    comms_[f]->cancel();
    remove(f);
  }
  if (!wire.cut) wire.link->set_bandwidth(kPartsOfByte * bytes_per_second);
  for (const Transfer& transfer : std::exchange(held_, {})) {
    if (transfer.parts > 0) {
      start(transfer, clock_.now());
    } else {
      on_the_way_.insert({clock_.now(), transfer});
    }
  }
  for (const Transfer& transfer : interrupted) start(transfer, clock_.now());
  look_ahead(clock_.now());
}

void SimGridNetwork::cancel(std::uint64_t tag) {
  const auto has_tag = [&](const auto& each) { return each.tag == tag; };
  std::erase_if(on_the_way_, [&](const auto& each) { return has_tag(each.second); });
  std::erase_if(held_, has_tag);
  if (std::none_of(flowing_.begin(), flowing_.end(), has_tag)) return;
  catch_up(clock_.now());
  std::erase(ended_, tag);
  const auto flow = std::find_if(flowing_.begin(), flowing_.end(), has_tag);
  if (flow != flowing_.end()) {
    const auto place = static_cast<std::size_t>(flow - flowing_.begin());
    comms_[place]->cancel();
    remove(place);
  }
  look_ahead(clock_.now());
}

bool SimGridNetwork::wait(Time next, std::uint64_t& tag, Time& at) {
  if (!ended_.empty()) {
    tag = ended_.front();
    ended_.erase(ended_.begin());
    at = clock_.now();
    return true;
  }
  for (;;) {
    const Time joins = on_the_way_.empty() ? kNever : on_the_way_.begin()->first;
    const Time until = std::min(next, joins);
    if (until == next && joins > next && next < quiet_until_ && !flowing_.empty()) return false;
    double seconds = -1;  // without limit
    if (until != kNever) seconds = std::max(0.0, to_seconds(until) - s4u::Engine::get_clock());
    if (!flowing_.empty() && seconds != 0) {
      const ssize_t ended = s4u::Comm::wait_any_for(comms_, seconds);
      if (ended >= 0) {
        tag = flowing_[static_cast<std::size_t>(ended)].tag;
        remove(static_cast<std::size_t>(ended));
        constexpr auto kLatest = static_cast<double>(kEndOfTime);
        const double ended_at = std::min(s4u::Engine::get_clock() * kPicosecondsPerSecond, kLatest);
        at = std::min(until, std::max(clock_.now(), static_cast<Time>(std::llround(ended_at))));
        look_ahead(at);
        return true;
      }
      look_ahead(until);
    }
    if (joins > next || on_the_way_.empty()) return false;
    const Transfer transfer = on_the_way_.begin()->second;
    on_the_way_.erase(on_the_way_.begin());
    if (transfer.parts == 0 && !cut(transfer.route)) {
      tag = transfer.tag;
      at = joins;
      return true;
    }
    start(transfer, joins);
  }
}

void SimGridNetwork::cancel_all() {
  for (const auto& comm : comms_) comm->cancel();
  flowing_.clear();
  comms_.clear();
  held_.clear();
  on_the_way_.clear();
  ended_.clear();
}

}  // namespace headway
