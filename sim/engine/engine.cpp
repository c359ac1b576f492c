#include "sim/engine/engine.hpp"

#include "sim/engine/heap_engine.hpp"
#include "sim/engine/simgrid_engine.hpp"

namespace headway {

RunTotals run_scenario(const Scenario& scenario, Observer& observer,
                       const OnProgress& on_progress) {
  return scenario.run.engine == Run::Engine::heap ? run_on_heap(scenario, observer, on_progress)
                                                  : run_on_simgrid(scenario, observer, on_progress);
}

}  // namespace headway
