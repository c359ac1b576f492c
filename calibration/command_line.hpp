// The `headway-calibrate` command: its subcommands, options, help and exit codes.
#pragma once

namespace headway {

/// Runs the command; returns its exit code (calibration/subcommand.hpp). Results go to the standard
/// output; one message for what went wrong, starting with "headway-calibrate: ", to the standard
/// error.
int calibrate_command_line(int argc, char** argv);

}  // namespace headway
