#include "sim/engine/simgrid_engine.hpp"

#include "sim/engine/event_heap.hpp"
#include "sim/engine/progress_poll.hpp"
#include "sim/engine/simgrid_kernel.hpp"
#include "sim/engine/simgrid_network.hpp"

namespace headway {
namespace {

bool drive(EventHeap& heap, SimGridNetwork& network, System& system, ProgressPoll& poll) {
  bool cancelled = false;
  while (!system.finished() && !cancelled) {
    std::uint64_t tag = 0;
    Time at = 0;
    if (!network.idle() && network.wait(heap.next_time(), tag, at)) {
      heap.advance(at);
      system.on_transfer(tag, at);
    } else if (!heap.empty()) {
      heap.run_next(system);
    } else {
      throw RunError("the model came to rest with requests in flight");
    }
    cancelled = !poll.go_on(system);
  }
  network.cancel_all();
  return cancelled;
}

}  // namespace

RunTotals run_on_simgrid(const Scenario& scenario, Observer& observer,
                         const OnProgress& on_progress) {
  SimGridKernel kernel;
  EventHeap heap(System::entities(scenario));
  SimGridNetwork network(heap, kernel.zone());
  System system(scenario, heap, network, observer);
  ProgressPoll poll(on_progress);
  bool cancelled = false;
  kernel.run([&] { cancelled = drive(heap, network, system, poll); });
  RunTotals totals = system.end(cancelled);
  totals.events = poll.events();
  return totals;
}

}  // namespace headway
