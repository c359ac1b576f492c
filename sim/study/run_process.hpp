// The inside of a run's process.
#pragma once

#include <sys/types.h>

#include "sim/study/child_run.hpp"

namespace headway {

/// Makes the run and tells of it on the pipe; ends the process. Called in a freshly forked child
/// whose parent is `parent`, with SIGTERM and SIGINT blocked. SIGTERM ends the run with partial
/// results; when the parent dies, the run ends without.
[[noreturn]] void run_in_this_process(const RunOrder& order, int pipe, pid_t parent);

}  // namespace headway
