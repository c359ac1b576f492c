// Transfers over links, run on a network without the rest of the model.
#pragma once

#include <algorithm>
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
  struct Change {
    Time at;
    Network::Link link;
    double bytes_per_second;
  };
  struct Cancel {
    Time at;
    std::size_t transfer;
  };
  std::vector<Link> links;
  std::vector<std::vector<Network::Link>> routes;
  std::vector<Transfer> transfers;  // in order of time
  std::vector<Change> changes;      // in order of time
  std::vector<Cancel> cancels;      // in order of time; before changes and transfers of an instant
};

/// Does what the traffic says as its time comes, and notes when each transfer has arrived: kNever
/// if it was cancelled before.
class Courier final : public Process {
 public:
  Courier(const Traffic& traffic, EventHeap& heap, Network& network)
      : traffic_(traffic),
        heap_(heap),
        network_(network),
        arrivals_(traffic.transfers.size(), kNever) {
    for (const Traffic::Link& link : traffic.links) {
      network.add_link(link.bytes_per_second, link.latency_seconds);
    }
    for (const auto& route : traffic.routes) network.add_route(route);
    heap.wake(0, next());
  }
  void on_wake(Entity, Time now) override {
    const auto& [links, routes, transfers, changes, cancels] = traffic_;
    for (; cancelled_ < cancels.size() && cancels[cancelled_].at <= now; ++cancelled_) {
      const std::size_t transfer = cancels[cancelled_].transfer;
      if (arrivals_[transfer] == kNever) ++gone_;
      network_.cancel(transfer);
    }
    for (; changed_ < changes.size() && changes[changed_].at <= now; ++changed_) {
      network_.set_bandwidth(changes[changed_].link, changes[changed_].bytes_per_second);
    }
    for (; sent_ < transfers.size() && transfers[sent_].at <= now; ++sent_) {
      network_.send(transfers[sent_].route, transfers[sent_].bytes, sent_);
    }
    heap_.wake(0, next());
  }
  void on_transfer(std::uint64_t tag, Time now) override {
    arrivals_[tag] = now;
    ++gone_;
  }
  bool finished() const override { return gone_ == arrivals_.size(); }
  const std::vector<Time>& arrivals() const { return arrivals_; }

 private:
  Time next() const {
    const auto& [links, routes, transfers, changes, cancels] = traffic_;
    Time at = kNever;
    if (sent_ < transfers.size()) at = std::min(at, transfers[sent_].at);
    if (changed_ < changes.size()) at = std::min(at, changes[changed_].at);
    if (cancelled_ < cancels.size()) at = std::min(at, cancels[cancelled_].at);
    return at;
  }

  const Traffic& traffic_;
  EventHeap& heap_;
  Network& network_;
  std::size_t sent_ = 0, changed_ = 0, cancelled_ = 0, gone_ = 0;
  std::vector<Time> arrivals_;
};

/// When each transfer has arrived, by FairNetwork.
std::vector<Time> arrivals_on_fair_network(const Traffic& traffic);

/// A few links and routes, and transfers that crowd on them, drawn from this seed.
Traffic random_traffic(std::uint64_t seed);

/// The same, while links are cut, mended and widened, and some transfers are cancelled.
Traffic random_disturbed_traffic(std::uint64_t seed);

}  // namespace headway
