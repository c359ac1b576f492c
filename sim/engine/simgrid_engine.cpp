#include "sim/engine/simgrid_engine.hpp"

#include <xbt/log.h>

#include <exception>
#include <memory>
#include <simgrid/s4u.hpp>

#include "sim/engine/event_heap.hpp"
#include "sim/engine/progress_poll.hpp"
#include "sim/engine/simgrid_network.hpp"

namespace headway {
namespace {

namespace s4u = simgrid::s4u;

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
  network.cancel();
  return cancelled;
}

}  // namespace

RunTotals run_on_simgrid(const Scenario& scenario, Observer& observer,
                         const OnProgress& on_progress) {
  int argc = 1;
  char program[] = "headway";
  char* arguments[] = {program, nullptr};
  xbt_log_control_set("root.threshold:critical");
  s4u::Engine engine(&argc, arguments);
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:0");
  s4u::Engine::set_config("network/TCP-gamma:0");

  EventHeap heap(System::entities(scenario));
  s4u::NetZone* zone = s4u::create_full_zone("headway");
  s4u::Host* host = zone->create_host("driver", 1.0)->seal();
  SimGridNetwork network(heap, *zone);
  System system(scenario, heap, network, observer);
  zone->seal();

  ProgressPoll poll(on_progress);
  bool cancelled = false;
  std::exception_ptr failure;  // an exception that leaves an actor would abort the process
  s4u::Actor::create("driver", host, [&] {
    try {
      cancelled = drive(heap, network, system, poll);
    } catch (...) {
      failure = std::current_exception();
    }
  });
  engine.run();
  if (failure) std::rethrow_exception(failure);
  RunTotals totals = system.end(cancelled);
  totals.events = poll.events();
  return totals;
}

}  // namespace headway
