// The model's network as SimGrid links and transfers.
#pragma once

#include <simgrid/s4u.hpp>
#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// Each route is a pair of hosts joined by its links.
class SimGridNetwork final : public Network {
 public:
  SimGridNetwork(const Clock& clock, simgrid::s4u::NetZone& zone) : clock_(clock), zone_(zone) {}

  Link add_link(double bytes_per_second, double latency_seconds) override;
  Route add_route(const std::vector<Link>& links) override;
  /// Called from the driver actor: brings SimGrid's clock up to the model's first.
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override;

  bool idle() const { return transfers_.empty(); }
  /// Waits until `next` (kNever: without limit) or the first transfer's end. True if one ended: its
  /// tag and time.
  bool wait(Time next, std::uint64_t& tag, Time& at);
  /// Forgets all transfers in flight: the run is over.
  void cancel();

 private:
  const Clock& clock_;
  simgrid::s4u::NetZone& zone_;
  std::vector<simgrid::s4u::Link*> links_;
  std::vector<std::pair<simgrid::s4u::Host*, simgrid::s4u::Host*>> routes_;
  std::vector<simgrid::s4u::CommPtr> transfers_;
  std::vector<std::uint64_t> tags_;  // beside transfers_
};

}  // namespace headway
