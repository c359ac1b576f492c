// The engine on SimGrid: its clock, its network model.
#pragma once

#include "sim/engine/engine.hpp"

namespace headway {

/// One driver actor pops the event heap. While no transfer is in flight it runs ahead of SimGrid's
/// clock; while one is, it waits for the next event or transfer, whichever is first. Once in a
/// process.
RunTotals run_on_simgrid(const Scenario& scenario, Observer& observer,
                         const OnProgress& on_progress);

}  // namespace headway
