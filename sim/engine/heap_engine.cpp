#include "sim/engine/heap_engine.hpp"

#include "sim/engine/event_heap.hpp"
#include "sim/engine/fair_network.hpp"
#include "sim/engine/progress_poll.hpp"

namespace headway {

RunTotals run_on_heap(const Scenario& scenario, Observer& observer, const OnProgress& on_progress) {
  EventHeap heap(System::entities(scenario));
  FairNetwork network(heap);
  System system(scenario, heap, network, observer);
  ProgressPoll poll(on_progress);
  bool cancelled = false;
  while (!system.finished() && !cancelled) {
    const Time transfer = network.next_time();
    if (transfer != kNever && transfer <= heap.next_time()) {
      heap.advance(transfer);
      network.run_due(system);
    } else if (!heap.empty()) {
      heap.run_next(system);
    } else {
      throw RunError("the model came to rest with requests in flight");
    }
    cancelled = !poll.go_on(system);
  }
  RunTotals totals = system.end(cancelled);
  totals.events = poll.events();
  return totals;
}

}  // namespace headway
