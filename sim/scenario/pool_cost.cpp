#include "sim/scenario/pool_cost.hpp"

#include "models/profile_cost.hpp"

namespace headway {

std::unique_ptr<StepCost> make_pool_cost(const Pool& pool) {
  if (pool.kind == Pool::Kind::service) return nullptr;
  if (pool.step_time) return make_linear_cost(*pool.step_time);
  return make_profile_cost(pool.placement, pool.profiles);
}

}  // namespace headway
