#include "sim/serving/router.hpp"

namespace headway {

std::unique_ptr<Router> make_router(RouterKind kind, const RouterRules&, const RouterSet& set) {
  switch (kind) {
    case RouterKind::random:
      return make_random_router(set);
    case RouterKind::round_robin:
      return make_round_robin_router(set);
    case RouterKind::power_of_two:
      return make_power_of_two_router(set);
    case RouterKind::least_kv:
      return make_least_kv_router(set);
    default:
      break;
  }
  return make_least_requests_router(set);
}

}  // namespace headway
