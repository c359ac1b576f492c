#include "sim/cli/interrupt.hpp"

#include <csignal>

namespace headway {

namespace {

volatile std::sig_atomic_t interrupts = 0;

void count_interrupt(int) {
  interrupts = interrupts + 1;
}

}  // namespace

void count_interrupts() {
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Stop wanted_stop() {
  if (interrupts == 0) return Stop::no;
  return interrupts == 1 ? Stop::with_results : Stop::at_once;
}

}  // namespace headway
