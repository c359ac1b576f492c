#include "sim/engine/fair_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headway {

Network::Link FairNetwork::add_link(double bytes_per_second, double latency_seconds) {
  links_.push_back({bytes_per_second, to_picoseconds(latency_seconds),
                    static_cast<std::uint32_t>(parts_.size())});
  parts_.emplace_back();
  return static_cast<Link>(links_.size() - 1);
}

Network::Route FairNetwork::add_route(const std::vector<Link>& links) {
  Way way{links, 0, {}};
  const std::uint32_t part = part_of(way);
  for (const Link link : links) {
    way.latency = time_after(way.latency, links_[link].latency);
    const std::uint32_t other = links_[link].part;
    for (Wire& each : links_) {
      if (each.part == other) each.part = part;
    }
  }
  ways_.push_back(std::move(way));
  return static_cast<Route>(ways_.size() - 1);
}

void FairNetwork::send(Route route, std::int64_t bytes, std::uint64_t tag) {
  const Time now = clock_.now();
  const Start start{time_after(now, ways_[route].latency), next_order_++, route, bytes, tag};
  if (start.at > now) {
    places_[tag] = {false, starts_.insert(start).first, route, {}};
    next_ = std::min(next_, start.at);
    return;
  }
  Part& part = parts_[part_of(ways_[route])];
  progress(part, now);
  flow(start);
  share(part);
  find_next();
}

void FairNetwork::set_bandwidth(Link link, double bytes_per_second) {
  Part& part = parts_[links_[link].part];
  progress(part, clock_.now());
  links_[link].bytes_per_second = bytes_per_second;
  share(part);
  find_next();
}

void FairNetwork::cancel(std::uint64_t tag) {
  std::erase_if(arrived_, [&](const Arrival& arrival) { return arrival.tag == tag; });
  if (const auto found = places_.find(tag); found != places_.end()) {
    const Place place = found->second;
    places_.erase(found);
    if (place.flowing) {
      Part& part = parts_[part_of(ways_[place.route])];
      progress(part, clock_.now());
      remove(place.route, place.flow);
      share(part);
    } else {
      starts_.erase(place.start);
    }
  }
  find_next();
}

/// When the flow ends at the way's present rate, `carried` being as of `at`.
Time FairNetwork::end_of(const Way& way, const Flow& flow, Time at) const {
  constexpr auto kLongest = static_cast<double>(kEndOfTime);
  if (way.rate <= 0) return kNever;
  const double seconds = std::max(0.0, flow.until - way.carried) / way.rate;
  return time_after(
      at, static_cast<Time>(std::ceil(std::min(seconds * kPicosecondsPerSecond, kLongest))));
}

/// The transfer joins its way; the part is as of now.
void FairNetwork::flow(const Start& start) {
  Way& way = ways_[start.route];
  if (way.flows.empty()) parts_[part_of(way)].used.push_back(start.route);
  const double until = way.carried + static_cast<double>(start.bytes);
  places_[start.tag] = {
      true, {}, start.route, way.flows.insert({until, start.order, start.tag}).first};
}

void FairNetwork::remove(Route route, std::set<Flow>::iterator flow) {
  Way& way = ways_[route];
  way.flows.erase(flow);
  if (!way.flows.empty()) return;
  way.carried = way.rate = 0;
  std::erase(parts_[part_of(way)].used, route);
}

void FairNetwork::progress(Part& part, Time now) {
  const double seconds = to_seconds(now - part.at);
  for (const Route route : part.used) ways_[route].carried += ways_[route].rate * seconds;
  part.at = now;
}

void FairNetwork::collect_arrivals(Part& part, Time now) {
  const std::vector<Route> used = part.used;
  for (const Route route : used) {
    Way& way = ways_[route];
    while (!way.flows.empty() && end_of(way, *way.flows.begin(), part.at) <= now) {
      const Flow ended = *way.flows.begin();
      arrived_.push_back({ended.order, ended.tag});
      places_.erase(ended.tag);
      way.flows.erase(way.flows.begin());
    }
    if (way.flows.empty()) {
      way.carried = way.rate = 0;
      std::erase(part.used, route);
    }
  }
}

void FairNetwork::share(Part& part) {
  share_out(part.used);
  part.next = kNever;
  for (const Route route : part.used) {
    const Way& way = ways_[route];
    part.next = std::min(part.next, end_of(way, *way.flows.begin(), part.at));
  }
}

/// Gives the transfers over these routes their rates; no other transfer is on their links.
void FairNetwork::share_out(const std::vector<Route>& routes) {
  busy_.clear();
  for (const Route route : routes) {
    for (const Link link : ways_[route].links) {
      Wire& wire = links_[link];
      if (wire.users == 0) {
        busy_.push_back(link);
        wire.left = wire.bytes_per_second;
      }
      wire.users += static_cast<std::int64_t>(ways_[route].flows.size());
    }
  }
  rising_ = routes;
  double level = 0;  // never falls, whatever rounding leaves of a link
  const auto fair_of = [](const Wire& wire) {
    return wire.users > 0 ? wire.left / static_cast<double>(wire.users)
                          : std::numeric_limits<double>::infinity();
  };
  while (!rising_.empty()) {
    double least = std::numeric_limits<double>::infinity();
    for (const Link link : busy_) least = std::min(least, fair_of(links_[link]));
    level = std::max(level, least);
    const auto stops = std::stable_partition(rising_.begin(), rising_.end(), [&](Route route) {
      const auto& links = ways_[route].links;
      return std::none_of(links.begin(), links.end(),
                          [&](Link link) { return fair_of(links_[link]) <= level * (1 + 1e-12); });
    });
    for (auto route = stops; route != rising_.end(); ++route) {
      Way& way = ways_[*route];
      way.rate = level;
      const auto flows = static_cast<std::int64_t>(way.flows.size());
      for (const Link link : way.links) {
        links_[link].left -= level * static_cast<double>(flows);
        links_[link].left = std::max(0.0, links_[link].left);
        links_[link].users -= flows;
      }
    }
    rising_.erase(stops, rising_.end());
  }
}

void FairNetwork::find_next() {
  next_ = starts_.empty() ? kNever : starts_.begin()->at;
  for (const Part& part : parts_) next_ = std::min(next_, part.next);
  if (!arrived_.empty()) next_ = clock_.now();
}

void FairNetwork::run_due(Process& process) {
  const Time now = clock_.now();
  if (arrived_.empty()) {
    for (Part& part : parts_) {
      if (part.next > now) continue;
      collect_arrivals(part, now);
      progress(part, now);
      share(part);
    }
    while (!starts_.empty() && starts_.begin()->at <= now) {
      Part& part = parts_[part_of(ways_[starts_.begin()->route])];
      progress(part, now);
      flow(*starts_.begin());
      starts_.erase(starts_.begin());
      share(part);
    }
    std::sort(arrived_.begin(), arrived_.end(),
              [](const Arrival& a, const Arrival& b) { return a.order < b.order; });
  }
  if (arrived_.empty()) return find_next();
  const std::uint64_t tag = arrived_.front().tag;
  arrived_.pop_front();
  find_next();
  process.on_transfer(tag, now);
}

}  // namespace headway
