// Links shared max-min fairly, without SimGrid.
#pragma once

#include <vector>

#include "sim/model/clock.hpp"
#include "sim/model/network.hpp"

namespace headway {

/// Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): all transfers' rates rise
/// together; those on a link that is full stop rising. Rates change when a transfer starts to flow
/// (its route's latency after its start) or ends.
class FairNetwork final : public Network {
 public:
  explicit FairNetwork(const Clock& clock) : clock_(clock) {}

  Link add_link(double bytes_per_second, double latency_seconds) override;
  Route add_route(const std::vector<Link>& links) override;
  void send(Route route, std::int64_t bytes, std::uint64_t tag) override;

  /// When the next transfer starts to flow or ends; kNever if none is in flight.
  Time next_time() const { return next_; }
  /// Handles what happens at next_time(), which is now, and tells the process of what arrived.
  void run_due(Process& process);

 private:
  struct Wire {
    double bytes_per_second;
    Time latency;
  };
  struct Flow {
    Route route;
    double bytes_left;
    std::uint64_t tag;
    Time flows_at;    // when its latency is over
    double rate = 0;  // bytes/s; 0 before that
    Time ends = kNever;
  };

  void progress_to(Time now);
  void share();

  const Clock& clock_;
  std::vector<Wire> links_;
  std::vector<std::vector<Link>> routes_;
  std::vector<Flow> flows_;  // in order of their start
  Time at_ = 0;              // bytes_left are as of then
  Time next_ = kNever;
};

}  // namespace headway
