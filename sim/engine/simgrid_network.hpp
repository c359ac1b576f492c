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
///
/// SimGrid holds a transfer to the bandwidth that its links had when it began, forgets a link of
/// none, and may count the time of a suspension as flow. So a link's change ends what is on it, and
/// the rest is sent afresh; over a cut link, when it is whole again. To keep the rest exact,
/// SimGrid is given parts of bytes.
///
/// A wait costs SimGrid the number of transfers. So SimGrid's clock stays behind as long as none of
/// them could have ended, had it all of its links to itself, and nothing changes on the links.
class SimGridNetwork final : public Network {
 public:
  SimGridNetwork(const Clock& clock, simgrid::s4u::NetZone& zone) : clock_(clock), zone_(zone) {}

  Link add_link(double bytes_per_second, double latency_seconds) override;
  Route add_route(const std::vector<Link>& links) override;
  // What follows is called from the driver actor.
  /// At most 1e15 bytes.
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override;
  void set_bandwidth(Link link, double bytes_per_second) override;
  void cancel(std::uint64_t tag) override;

  /// Nothing moves: no transfer is in flight, or all of them stall.
  bool idle() const { return flowing_.empty() && on_the_way_.empty() && ended_.empty(); }
  /// Waits until `next` (kNever: without limit) or the first transfer's end. True if one ended: its
  /// tag and time.
  bool wait(Time next, std::uint64_t& tag, Time& at);
  /// Forgets all transfers in flight: the run is over.
  void cancel_all();

 private:
  struct Wire {
    simgrid::s4u::Link* link;
    Time latency;
    bool cut = false;
  };
  struct Way {
    simgrid::s4u::Host *from, *to;
    Time latency;
    std::vector<Link> links;
  };
  struct Transfer {
    Route route;
    std::uint64_t parts;  // of bytes, that are left
    std::uint64_t tag;
  };
  struct Flow {
    Route route;
    std::uint64_t tag;
  };

  bool cut(Route route) const;
  /// Brings SimGrid's clock to `at`, before which no transfer ends.
  void catch_up(Time at);
  /// SimGrid's clock stands at `at`.
  void look_ahead(Time at);
  /// The transfer flows from `at` on, or is held where a link is cut.
  void start(const Transfer& transfer, Time at);
  simgrid::s4u::CommPtr begin(const Transfer& transfer) const;
  void remove(std::size_t flowing);

  const Clock& clock_;
  simgrid::s4u::NetZone& zone_;
  std::vector<Wire> links_;
  std::vector<Way> routes_;
  std::multimap<Time, Transfer> on_the_way_;  // by the end of their latency
  std::vector<Flow> flowing_;
  std::vector<simgrid::s4u::CommPtr> comms_;  // beside flowing_
  std::vector<Transfer> held_;                // over a cut link
  Time quiet_until_ = 0;                      // no transfer in SimGrid ends before
  std::vector<std::uint64_t> ended_;          // by the rounding of times, while catching up
};

}  // namespace headway
