// The model's view of the network: links whose bandwidth concurrent transfers share max-min fairly.
#pragma once

#include <cstdint>
#include <vector>

namespace headway {

class Network {
 public:
  using Link = std::uint32_t;
  using Route = std::uint32_t;

  virtual ~Network() = default;
  /// A link of this bandwidth (bytes/s, > 0) and latency (s, ≥ 0). Only before the run starts.
  virtual Link add_link(double bytes_per_second, double latency_seconds) = 0;
  /// A way over one link or more, in order. Only before the run starts.
  virtual Route add_route(const std::vector<Link>& links) = 0;
  /// Starts a transfer now; Process::on_transfer(tag) follows when the last byte has arrived: the
  /// route's latency, then its bytes at the fair share of the narrowest link. No two transfers in
  /// flight have one tag.
  virtual void send(Route route, std::int64_t bytes, std::uint64_t tag) = 0;
  /// From now on the link has this bandwidth, bytes/s, ≥ 0. At 0 it is cut: transfers over it
  /// stall, those of no bytes too, and go on with what is left when it has bandwidth again.
  virtual void set_bandwidth(Link link, double bytes_per_second) = 0;
  /// Forgets the transfer: its tag will not come. Does nothing if none in flight has this tag.
  virtual void cancel(std::uint64_t tag) = 0;
};

}  // namespace headway
