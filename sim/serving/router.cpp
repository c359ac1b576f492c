#include "sim/serving/router.hpp"

#include <stdexcept>

namespace headway {

std::unique_ptr<Router> make_router(RouterKind kind, const RouterRules& rules,
                                    const RouterSet& set) {
  switch (kind) {
    case RouterKind::random:
      return make_random_router(set);
    case RouterKind::round_robin:
      return make_round_robin_router(set);
    case RouterKind::least_requests:
      return make_least_requests_router(set);
    case RouterKind::power_of_two:
      return make_power_of_two_router(set);
    case RouterKind::least_kv:
      return make_least_kv_router(set);
    case RouterKind::weighted:
      return make_weighted_router(set);
    case RouterKind::least_tokens:
      return make_least_tokens_router(set);
    case RouterKind::least_expected_wait:
      return make_least_expected_wait_router(set);
    case RouterKind::prefix_aware:
      return make_prefix_aware_router(set, rules);
    case RouterKind::session_affinity:
      return make_session_affinity_router(set);
    case RouterKind::sticky:
      return make_sticky_router(set, rules.overflow);
  }
  throw std::logic_error("a router of no kind");
}

}  // namespace headway
