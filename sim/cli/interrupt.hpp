// Ctrl-C while runs go.
#pragma once

#include "sim/study/child_run.hpp"

namespace headway {

/// From here on, SIGINT and SIGTERM are counted in place of ending the process.
void count_interrupts();

/// What the signals so far ask for: the first the results so far, the second an end at once.
Stop wanted_stop();

}  // namespace headway
