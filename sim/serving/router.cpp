#include "sim/serving/router.hpp"

namespace headway {

std::unique_ptr<Router> make_router(RouterKind kind, std::uint32_t replicas) {
  switch (kind) {
    case RouterKind::random:
      return make_random_router(replicas);
    case RouterKind::round_robin:
      return make_round_robin_router(replicas);
    case RouterKind::power_of_two:
      return make_power_of_two_router(replicas);
    case RouterKind::least_kv:
      return make_least_kv_router(replicas);
    case RouterKind::least_requests:
      break;
  }
  return make_least_requests_router(replicas);
}

}  // namespace headway
