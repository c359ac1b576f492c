#include "sim/model/front_path.hpp"

namespace headway {

Entity FrontPath::entities(const Scenario& /*scenario*/) {
  return kTokenizer + 1;
}

FrontPath::FrontPath(const Scenario& scenario, Clock& clock, Network& network,
                     const Requests& requests, Door& door, Entity first)
    : clock_(clock),
      network_(network),
      door_(door),
      first_(first),
      latency_(to_picoseconds(scenario.front.latency_seconds)) {
  const Front& front = scenario.front;
  if (front.bandwidth > 0) {
    link_ = network.add_route({network.add_link(front.bandwidth, front.latency_seconds)});
  }
  if (front.balancer) {
    balancer_.emplace(*front.balancer, Stream::balancer_time, scenario.run.seed, clock, requests,
                      first + kBalancer);
  }
  if (front.tokenizer) {
    tokenizer_.emplace(*front.tokenizer, Stream::tokenizer_time, scenario.run.seed, clock, requests,
                       first + kTokenizer);
  }
}

void FrontPath::send(std::uint32_t slot, std::int64_t bytes, Time now) {
  if (link_) {
    network_.send(*link_, bytes, slot);
  } else if (latency_ > 0) {
    on_the_way_.push_back({now + latency_, slot});
    if (on_the_way_.size() == 1) clock_.wake(first_ + kLatency, now + latency_);
  } else {
    off_the_network(slot, now);
  }
}

void FrontPath::on_wake(Entity which, Time now) {
  if (which == kLatency) {
    while (!on_the_way_.empty() && on_the_way_.front().arrives <= now) {
      const std::uint32_t slot = on_the_way_.front().slot;
      on_the_way_.pop_front();
      off_the_network(slot, now);
    }
    if (!on_the_way_.empty()) clock_.wake(first_ + kLatency, on_the_way_.front().arrives);
    return;
  }
  done_.clear();
  (which == kBalancer ? balancer_ : tokenizer_)->on_wake(now, done_);
  for (const std::uint32_t slot : done_) {
    if (which == kBalancer) {
      past_the_balancer(slot, now);
    } else {
      door_.at_door(slot, now);
    }
  }
}

void FrontPath::on_transfer(std::uint32_t slot, Time now) {
  off_the_network(slot, now);
}

void FrontPath::off_the_network(std::uint32_t slot, Time now) {
  if (balancer_) {
    balancer_->enter(slot, now);
  } else {
    past_the_balancer(slot, now);
  }
}

void FrontPath::past_the_balancer(std::uint32_t slot, Time now) {
  if (tokenizer_) {
    tokenizer_->enter(slot, now);
  } else {
    door_.at_door(slot, now);
  }
}

std::vector<FrontStationTotals> FrontPath::totals(Time now) const {
  std::vector<FrontStationTotals> totals;
  for (const auto* const station : {&balancer_, &tokenizer_}) {
    if (!*station) continue;
    totals.push_back((*station)->totals(now));
    totals.back().name = station == &balancer_ ? "load balancer" : "tokenizer";
  }
  return totals;
}

}  // namespace headway
