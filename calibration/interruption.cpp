#include "calibration/interruption.hpp"

#include <csignal>

namespace headway {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t was_requested = 0;

}  // namespace

Interruption::Interruption() {
  was_requested = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { was_requested = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

Interruption::~Interruption() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

bool Interruption::requested() {
  return was_requested != 0;
}

}  // namespace headway
