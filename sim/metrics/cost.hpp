// What a run cost: every billed GPU-second, idle ones too.
#pragma once

#include "sim/metrics/summary.hpp"
#include "sim/model/totals.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// GPUs that a pool bills: those of llm pools, and those of a service station that has a price.
std::int64_t billed_gpus(const Pool& pool);

/// Replicas · GPUs · price · the run's time to its last answer, over all that completed. The price
/// is known when some pool has one and no llm pool lacks it.
Cost make_cost(const Scenario& scenario, const RunTotals& totals);

}  // namespace headway
