// What a pool's GPUs cost, and how they are sold.
#include "models/catalog.hpp"
#include "sim/scenario/check.hpp"

namespace headway {
namespace {

/// A pool without a price has the catalogue's price of its GPU.
void fill_price(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    if (Draft::given(node, "price.usd_per_gpu_hour") || !node.find("gpu")) continue;
    try {
      if (const auto price = load_price(pool.placement.gpu.name))
        pool.usd_per_gpu_hour = price->usd_per_gpu_hour;
    } catch (const ModelError& error) {
      draft.fail(Draft::place_of(node, "gpu"), error.what());
    }
  }
}

void check_billing(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    const bool stays = !pool.autoscaler && !pool.failures && pool.deploys.empty();
    if (pool.usd_per_gpu_hour <= 0) {
      for (const char* const key : {"price.node_gpus", "price.minimum"})
        draft.warn_no_effect(node, key, "no price is known");
    } else if (stays) {
      draft.warn_no_effect(node, "price.minimum",
                           "the pool's replicas stay, and a run is not billed beyond its end");
    }
  }
}

}  // namespace

std::vector<Check> price_checks() {
  return {
      {"price", "A pool without a price has the catalogue's price of its GPU.", fill_price},
      {"billing",
       "Warned of: whole nodes and minimum times of GPUs without a price, and minimum times of "
       "replicas that stay.",
       check_billing},
  };
}

}  // namespace headway
