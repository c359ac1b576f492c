// Which replica gets a request.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/units.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/workload/content.hpp"
#include "sim/workload/draw.hpp"

namespace headway {

/// What a router may know of the fleet; replicas are numbered over all pools.
class FleetState {
 public:
  virtual ~FleetState() = default;
  /// Requests sent to the replica and not yet answered.
  virtual std::int32_t outstanding(std::uint32_t replica) const = 0;
  /// Their input and output tokens together.
  virtual std::int64_t outstanding_tokens(std::uint32_t replica) const = 0;
  /// Share of the replica's KV blocks in use, 0..1 (0 for a service station).
  virtual double kv_share(std::uint32_t replica) const = 0;
};

/// What a router may know of a request.
struct RoutedRequest {
  std::uint64_t number = 0;  // the index of its draws
  std::int32_t input_tokens = 1, output_tokens = 1;
  const Content* content = nullptr;  // `own` is the same for all turns of a conversation
  Time now = 0;
};

/// Chooses among a fixed set of replicas, of which some are available at a time.
class Router {
 public:
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  virtual ~Router() = default;
  /// A replica for the request; kNobody if none is available. At the start none is.
  virtual std::uint32_t pick(const FleetState& fleet, const Draw& draw,
                             const RoutedRequest& request) = 0;
  /// One of the set can be picked from now on, or no more.
  virtual void on_available(std::uint32_t replica, bool available) = 0;
  /// outstanding(replica) has changed, for one of the set.
  virtual void on_change(std::uint32_t /*replica*/, std::int32_t /*outstanding*/) {}
  /// A request that this router sent to the replica was answered, at request.now, after `seconds`
  /// there.
  virtual void on_answer(std::uint32_t /*replica*/, const RoutedRequest& /*request*/,
                         double /*seconds*/) {}
};

/// The replicas that a router chooses among, ascending, and their pools' properties.
struct RouterSet {
  std::vector<std::uint32_t> replicas;  // at least one
  std::vector<std::uint32_t> pools;     // beside replicas
  std::vector<double> weights;          // beside replicas; of their pools, > 0
  std::vector<std::int64_t> kv_blocks;  // beside replicas; 0: a station
  std::vector<std::int32_t> block_tokens;
};

std::unique_ptr<Router> make_random_router(const RouterSet& set);
std::unique_ptr<Router> make_round_robin_router(const RouterSet& set);
/// The fewest outstanding requests; among equals the lowest number.
std::unique_ptr<Router> make_least_requests_router(const RouterSet& set);
/// The lesser of two different replicas drawn at random, by outstanding requests (Mitzenmacher
/// 2001).
std::unique_ptr<Router> make_power_of_two_router(const RouterSet& set);
/// The smallest share of KV blocks in use; among equals the fewest outstanding, then the lowest
/// number.
std::unique_ptr<Router> make_least_kv_router(const RouterSet& set);

/// Drawn, a replica as likely as its pool's weight says.
std::unique_ptr<Router> make_weighted_router(const RouterSet& set);
/// The fewest input and output tokens outstanding; among equals the lowest number.
std::unique_ptr<Router> make_least_tokens_router(const RouterSet& set);
/// The fewest outstanding tokens over the rate at which the replica, while it had any, served
/// tokens of late: an exponential memory of 30 s at work. Before its first answer its pool's rate
/// counts, before the pool's one token a second. Among equals the faster, then the lowest number.
std::unique_ptr<Router> make_least_expected_wait_router(const RouterSet& set);
/// The highest score: prefix_weight · (share of the prompt that the replica was sent before, as far
/// as the router remembers) − load_weight · (tokens outstanding there over the tokens that its KV
/// cache has room for). Among equals the least loaded, then the lowest number. So scores the
/// Kubernetes gateway's inference extension, with other measures of load. A replica that is not
/// available any more is forgotten. LLM pools only.
std::unique_ptr<Router> make_prefix_aware_router(const RouterSet& set, const RouterRules& rules);
/// The home of the request's conversation (session_home.hpp); requests alone are spread evenly.
std::unique_ptr<Router> make_session_affinity_router(const RouterSet& set);
/// The same while fewer than `overflow` requests are outstanding there, else the fewest outstanding
/// of all. 0: never.
std::unique_ptr<Router> make_sticky_router(const RouterSet& set, std::int32_t overflow);

std::unique_ptr<Router> make_router(RouterKind kind, const RouterRules& rules,
                                    const RouterSet& set);

}  // namespace headway
