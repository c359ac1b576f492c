// SimGrid set up for one driver actor.
#pragma once

#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>

namespace headway {

/// SimGrid's engine with the network model that the run is promised: CM02 without cross-traffic and
/// without TCP's window limit, so that a link gives all of its bandwidth. Once in a process.
class SimGridKernel {
 public:
  SimGridKernel();
  /// Where links and routes go, until run().
  simgrid::s4u::NetZone& zone() { return *zone_; }
  /// Runs `drive` as the one actor, to its end. Passes its exception on.
  void run(const std::function<void()>& drive);

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  simgrid::s4u::NetZone* zone_ = nullptr;
  simgrid::s4u::Host* host_ = nullptr;
};

}  // namespace headway
