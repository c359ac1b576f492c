// The `headway` command: its subcommands, options, help and exit codes.
#pragma once

namespace headway {

/// Exit codes of every subcommand.
enum ExitCode {
  kFine = 0,
  kAnswerIsNo = 1,  // check: more is asked than the fleet can serve; run --assert-slo: not held;
                    // validate --require: not met
  kWrongInput = 2,  // scenario, trace or arguments
  kFailed = 3       // the environment: disk, memory, time limit, Ctrl-C
};

/// Runs the command; returns its exit code. Results go to the standard output; one message for what
/// went wrong, starting with "headway: ", to the standard error.
int command_line(int argc, char** argv);

}  // namespace headway
