// Transfers over links, run on a network without the rest of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/event_heap.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// Which transfers start when, over what.
struct Traffic {
  struct Link {
    double bytes_per_second, latency_seconds;
  };
  struct Transfer {
    Time at;
    Network::Route route;
    std::int64_t bytes;
  };
  std::vector<Link> links;
  std::vector<std::vector<Network::Link>> routes;
  std::vector<Transfer> transfers;  // in order of time
};

/// Sends the transfers as their time comes, and notes when each has arrived.
class Courier final : public Process {
 public:
  Courier(const Traffic& traffic, EventHeap& heap, Network& network)
      : traffic_(traffic), heap_(heap), network_(network), arrivals_(traffic.transfers.size()) {
    for (const Traffic::Link& link : traffic.links) {
      network.add_link(link.bytes_per_second, link.latency_seconds);
    }
    for (const auto& route : traffic.routes) network.add_route(route);
    heap.wake(0, traffic.transfers.front().at);
  }
  void on_wake(Entity, Time now) override {
    const auto& transfers = traffic_.transfers;
    for (; sent_ < transfers.size() && transfers[sent_].at <= now; ++sent_) {
      network_.send(transfers[sent_].route, transfers[sent_].bytes, sent_);
    }
    if (sent_ < transfers.size()) heap_.wake(0, transfers[sent_].at);
  }
  void on_transfer(std::uint64_t tag, Time now) override {
    arrivals_[tag] = now;
    ++arrived_;
  }
  bool finished() const override { return arrived_ == arrivals_.size(); }
  const std::vector<Time>& arrivals() const { return arrivals_; }

 private:
  const Traffic& traffic_;
  EventHeap& heap_;
  Network& network_;
  std::size_t sent_ = 0, arrived_ = 0;
  std::vector<Time> arrivals_;
};

/// When each transfer has arrived, by FairNetwork.
std::vector<Time> arrivals_on_fair_network(const Traffic& traffic);

/// A few links and routes, and transfers that crowd on them, drawn from this seed.
Traffic random_traffic(std::uint64_t seed);

}  // namespace headway
