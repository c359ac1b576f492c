// A synthetic workload in place of a trace that is not there.
#pragma once

#include "sim/scenario/document.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// Where a class replays a trace whose file is not there, takes arrivals and lengths from the class
/// of the same name in the scenario that its `fallback` names, adds a warning and says so in the
/// scenario's name. Throws InputError if that scenario is wrong, has no such class, or would replay
/// a trace itself.
void use_trace_fallbacks(Scenario& scenario, const Document& document);

}  // namespace headway
