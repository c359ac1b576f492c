// A fleet as told, and a router over its replicas.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/serving/router.hpp"

namespace headway {

struct ToldFleet final : FleetState {
  explicit ToldFleet(std::size_t replicas)
      : requests(replicas, 0), tokens(replicas, 0), shares(replicas, 0) {}
  std::int32_t outstanding(std::uint32_t replica) const override { return requests[replica]; }
  std::int64_t outstanding_tokens(std::uint32_t replica) const override { return tokens[replica]; }
  double kv_share(std::uint32_t replica) const override { return shares[replica]; }
  std::vector<std::int32_t> requests;
  std::vector<std::int64_t> tokens;
  std::vector<double> shares;
};

inline const Draw kRouterDraw(11, Stream::router, 0);

/// Replicas 0 … count − 1 of one pool, each with a KV cache of 1000 blocks of 16 tokens.
inline RouterSet replica_set(std::uint32_t count) {
  RouterSet set;
  for (std::uint32_t r = 0; r < count; ++r) {
    set.replicas.push_back(r);
    set.pools.push_back(0);
    set.weights.push_back(1);
    set.kv_blocks.push_back(1000);
    set.block_tokens.push_back(16);
  }
  return set;
}

/// A router over that set, all available.
template <class Make>
std::unique_ptr<Router> ready_router(Make make, const RouterSet& set) {
  auto router = make(set);
  for (const std::uint32_t replica : set.replicas) router->on_available(replica, true);
  return router;
}

/// The router's choice for a request of these contents.
inline std::uint32_t pick_for(Router& router, const FleetState& fleet, const Content& content,
                              std::int32_t input_tokens = 10, std::uint64_t number = 0) {
  return router.pick(fleet, kRouterDraw, {number, input_tokens, 10, &content, 0});
}

/// The router's choice for a request that stands alone.
inline std::uint32_t pick_alone(Router& router, const FleetState& fleet, std::uint64_t number) {
  const Content alone{{}, content_identity(ContentOf::request, 0, number), false};
  return pick_for(router, fleet, alone, 10, number);
}

}  // namespace headway
