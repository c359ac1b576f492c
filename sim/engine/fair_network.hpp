// Links shared max-min fairly, without SimGrid.
#pragma once

#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all transfers' rates rise
/// together; those on a link that is full stop rising. Rates change when a transfer starts to flow
/// (its route's latency after its start), ends or is cancelled, and with a link's bandwidth.
///
/// Transfers over one route have one rate: a route counts the bytes that each of them has had, and
/// the next to end is the one whose count is reached first. So an event costs the logarithm of the
/// number of transfers, and one look at the routes in use that have a link in common, directly or
/// over others.
class FairNetwork final : public Network {
 public:
  explicit FairNetwork(const Clock& clock) : clock_(clock) {}

  Link add_link(double bytes_per_second, double latency_seconds) override;
  Route add_route(const std::vector<Link>& links) override;
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override;
  void set_bandwidth(Link link, double bytes_per_second) override;
  void cancel(std::uint64_t tag) override;

  /// When the next transfer starts to flow or ends; kNever if none does.
  Time next_time() const { return next_; }
  /// Handles what happens at next_time(), which is now. Tells the process of one transfer that
  /// arrived, if any has: of several at one instant, each has its call.
  void run_due(Process& process);

 private:
  struct Wire {
    double bytes_per_second;
    Time latency;
    std::uint32_t part;
    double left = 0;         // while rates are shared out: bytes/s that nobody has …
    std::int64_t users = 0;  // … and transfers whose rate still rises
  };
  struct Flow {
    double until;  // it ends when its route has carried this much for each
    std::uint64_t order;
    std::uint64_t tag;
    bool operator<(const Flow& other) const {
      return until != other.until ? until < other.until : order < other.order;
    }
  };
  struct Way {
    std::vector<Link> links;
    Time latency;
    std::set<Flow> flows;
    double carried = 0;  // bytes that each of its transfers has had since there was none
    double rate = 0;     // bytes/s of each
  };
  /// Links joined by routes, and the routes over them: rates of different parts do not touch.
  struct Part {
    std::vector<Route> used;  // routes with transfers
    Time at = 0;              // `carried` is as of then
    Time next = kNever;       // when the first transfer ends
  };
  /// A transfer that waits for the end of its latency.
  struct Start {
    Time at;
    std::uint64_t order;
    Route route;
    std::int64_t bytes;
    std::uint64_t tag;
    bool operator<(const Start& other) const {
      return at != other.at ? at < other.at : order < other.order;
    }
  };
  struct Arrival {
    std::uint64_t order;
    std::uint64_t tag;
  };
  /// Where a transfer is: among the starts, or on its way.
  struct Place {
    bool flowing;
    std::set<Start>::iterator start;
    Route route;
    std::set<Flow>::iterator flow;
  };

  std::uint32_t part_of(const Way& way) const { return links_[way.links.front()].part; }
  Time end_of(const Way& way, const Flow& flow, Time at) const;
  void flow(const Start& start);
  void remove(Route route, std::set<Flow>::iterator flow);
  void progress(Part& part, Time now);
  void collect_arrivals(Part& part, Time now);
  void share(Part& part);
  void share_out(const std::vector<Route>& routes);
  void find_next();

  const Clock& clock_;
  std::vector<Wire> links_;
  std::vector<Way> ways_;
  std::vector<Part> parts_;
  std::set<Start> starts_;
  std::unordered_map<std::uint64_t, Place> places_;  // by tag
  std::deque<Arrival> arrived_;                      // of this instant, in order of their start
  std::uint64_t next_order_ = 0;
  Time next_ = kNever;
  std::vector<Link> busy_;     // kept for its room
  std::vector<Route> rising_;  // kept for its room
};

}  // namespace headway
