// Which replica gets a request.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// What a router may know of the fleet; replicas are numbered over all pools.
class FleetState {
 public:
  virtual ~FleetState() = default;
  /// Requests sent to the replica and not yet answered.
  virtual std::int32_t outstanding(std::uint32_t replica) const = 0;
  /// Share of the replica's KV blocks in use, 0..1 (0 for a service station).
  virtual double kv_share(std::uint32_t replica) const = 0;
};

class Router {
 public:
  virtual ~Router() = default;
  /// The replica for the request with this number (the index of its draws).
  virtual std::uint32_t pick(const FleetState& fleet, const Draw& draw, std::uint64_t request) = 0;
  /// outstanding(replica) has changed.
  virtual void on_change(std::uint32_t /*replica*/, std::int32_t /*outstanding*/) {}
};

std::unique_ptr<Router> make_random_router(std::uint32_t replicas);
std::unique_ptr<Router> make_round_robin_router(std::uint32_t replicas);
/// The fewest outstanding requests; among equals the lowest number.
std::unique_ptr<Router> make_least_requests_router(std::uint32_t replicas);
/// The lesser of two different replicas drawn at random, by outstanding requests (Mitzenmacher
/// 2001).
std::unique_ptr<Router> make_power_of_two_router(std::uint32_t replicas);
/// The smallest share of KV blocks in use; among equals the fewest outstanding, then the lowest
/// number.
std::unique_ptr<Router> make_least_kv_router(std::uint32_t replicas);

std::unique_ptr<Router> make_router(RouterKind kind, std::uint32_t replicas);

}  // namespace headway
