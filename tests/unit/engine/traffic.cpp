#include "traffic.hpp"

#include <algorithm>

#include "runs.hpp"
#include "sim/engine/fair_network.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

std::vector<Time> arrivals_on_fair_network(const Traffic& traffic) {
  EventHeap heap(1);
  FairNetwork network(heap);
  Courier courier(traffic, heap, network);
  while (!courier.finished()) {
    if (network.next_time() <= heap.next_time()) {
      heap.advance(network.next_time());
      network.run_due(courier);
    } else {
      heap.run_next(courier);
    }
  }
  return courier.arrivals();
}

Traffic random_traffic(std::uint64_t seed) {
  const Draw draw(seed, Stream::router, 1);
  std::uint64_t next = 0;
  const auto below = [&](std::uint64_t n) { return draw.below(n, next++); };
  Traffic traffic;
  for (std::uint64_t l = 2 + below(4); l > 0; --l) {
    const double latency = below(2) ? 0 : 0.001 * draw.uniform(next++);
    traffic.links.push_back({1e6 * (1 + static_cast<double>(below(9))), latency});
  }
  for (std::uint64_t r = 1 + below(5); r > 0; --r) {
    std::vector<Network::Link> links;
    for (Network::Link l = 0; l < traffic.links.size(); ++l) {
      if (below(2)) links.push_back(l);
    }
    if (links.empty()) links.push_back(static_cast<Network::Link>(below(traffic.links.size())));
    traffic.routes.push_back(links);
  }
  Time at = 0;
  for (int i = 0; i < 60; ++i) {
    if (below(3)) at += static_cast<Time>(below(20'000'000'000));  // up to 20 ms; a third at once
    traffic.transfers.push_back({at, static_cast<Network::Route>(below(traffic.routes.size())),
                                 static_cast<std::int64_t>(below(10) ? 1 + below(100'000) : 1)});
  }
  return traffic;
}

Traffic random_disturbed_traffic(std::uint64_t seed) {
  Traffic traffic = random_traffic(seed);
  const Draw draw(seed, Stream::router, 2);
  std::uint64_t next = 0;
  const auto below = [&](std::uint64_t n) { return draw.below(n, next++); };
  Time at = 0;
  for (int i = 0; i < 20; ++i) {
    at += static_cast<Time>(below(60'000'000'000));  // up to 60 ms
    const auto link = static_cast<Network::Link>(below(traffic.links.size()));
    const double bandwidth = below(2) ? 0 : 1e6 * (1 + static_cast<double>(below(9)));
    traffic.changes.push_back({at, link, bandwidth});
  }
  for (Network::Link link = 0; link < traffic.links.size(); ++link) {
    traffic.changes.push_back({at += ms(1), link, 1e6});  // all are whole in the end
  }
  for (std::size_t t = 0; t < traffic.transfers.size(); ++t) {
    if (below(6) > 0) continue;
    const Time delay = below(3) ? static_cast<Time>(below(100'000'000'000)) : 0;
    traffic.cancels.push_back({traffic.transfers[t].at + 1 + delay, t});
  }
  std::sort(traffic.cancels.begin(), traffic.cancels.end(),
            [](const auto& a, const auto& b) { return a.at < b.at; });
  return traffic;
}

}  // namespace headway
