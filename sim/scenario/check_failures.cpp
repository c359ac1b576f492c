// Rules over what fails in a pool.
#include <fmt/format.h>

#include "sim/scenario/check.hpp"

namespace headway {
namespace {

void check_machines(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const auto& failures = draft.scenario.fleet[i].failures;
    if (!failures) continue;
    const Node& node = draft.pool_node(i);
    if (failures->rack_gpus % failures->node_gpus != 0)
      draft.fail(
          Draft::place_of(node, Draft::given(node, "failures.rack_gpus") ? "failures.rack_gpus"
                                                                         : "failures.node_gpus"),
          fmt::format("a rack of {} GPUs cannot be filled with nodes of {}; expected "
                      "rack_gpus to be a multiple of node_gpus",
                      failures->rack_gpus, failures->node_gpus));
  }
}

void failures_effect(Draft& draft) {
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    if (!pool.failures) continue;
    const Node& node = draft.pool_node(i);
    const Failures& failures = *pool.failures;
    if (pool.gpus_per_replica == 0)
      draft.warn_no_effect(node, "failures.gpu", "gpus_per_replica is 0");
    if (failures.slow_share == 0)
      draft.warn_no_effect(node, "failures.slow", "its share is 0");
    else if (failures.slow_factor == 1)
      draft.warn_no_effect(node, "failures.slow", "its factor is 1");
    if (!failures.node && !failures.rack)
      draft.warn_no_effect(node, "failures.node_gpus", "neither nodes nor racks fail");
    if (!failures.rack) draft.warn_no_effect(node, "failures.rack_gpus", "racks do not fail");
    const bool any = failures.gpu || failures.node || failures.rack || failures.crash ||
                     failures.spot_mtbf_seconds > 0 || failures.slow_share > 0;
    if (!any && !Draft::given(node, "failures.slow"))
      draft.warn_no_effect(node, "failures", "nothing in it fails");
  }
}

}  // namespace

std::vector<Check> failure_checks() {
  return {
      {"machines", "rack_gpus is a multiple of node_gpus.", check_machines},
      {"failures_effect", "Warned of: failures that cannot happen.", failures_effect},
  };
}

}  // namespace headway
