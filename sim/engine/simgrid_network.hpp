// The model's network as SimGrid links and transfers.
#pragma once

#include <map>
#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// Each route is a pair of hosts joined by its links. SimGrid's links have no latency: with it they
/// are shared in inverse proportion to the routes' latencies, as TCP does. A transfer starts in
/// SimGrid when its route's latency is over; one of no bytes, which SimGrid never ends, has arrived
/// then.
class SimGridNetwork final : public Network {
 public:
  SimGridNetwork(const Clock& clock, simgrid::s4u::NetZone& zone) : clock_(clock), zone_(zone) {}

  Link add_link(double bytes_per_second, double latency_seconds) override;
  Route add_route(const std::vector<Link>& links) override;
  /// Called from the driver actor.
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override;

  bool idle() const { return flowing_.empty() && on_the_way_.empty(); }
  /// Waits until `next` (kNever: without limit) or the first transfer's end. True if one ended: its
  /// tag and time.
  bool wait(Time next, std::uint64_t& tag, Time& at);
  /// Forgets all transfers in flight: the run is over.
  void cancel();

 private:
  struct Wire {
    simgrid::s4u::Link* link;
    Time latency;
  };
  struct Way {
    simgrid::s4u::Host *from, *to;
    Time latency;
  };
  struct Transfer {
    Route route;
    std::int64_t bytes;
    std::uint64_t tag;
  };
  /// The transfer's bytes flow from `at` on: brings SimGrid's clock up to it first.
  void start(const Transfer& transfer, Time at);

  const Clock& clock_;
  simgrid::s4u::NetZone& zone_;
  std::vector<Wire> links_;
  std::vector<Way> routes_;
  std::multimap<Time, Transfer> on_the_way_;  // by the end of their latency
  std::vector<simgrid::s4u::CommPtr> flowing_;
  std::vector<std::uint64_t> tags_;  // beside flowing_
};

}  // namespace headway
