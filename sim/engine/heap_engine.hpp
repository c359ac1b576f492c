// The engine without SimGrid: an event heap, and max-min fair sharing of links.
#pragma once

#include "sim/engine/engine.hpp"

namespace headway {

RunTotals run_on_heap(const Scenario& scenario, Observer& observer, const OnProgress& on_progress);

}  // namespace headway
