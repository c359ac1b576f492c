// The `headway-gui` command: its arguments and exit codes.
#pragma once

namespace headway {

/// Opens the window, or writes table and plots of a scenario without one (--export). Returns the
/// exit code: 0 fine, 2 wrong arguments or scenario, 3 failed; what went wrong is one message on
/// the standard error that starts with "headway-gui: ".
int desktop_command_line(int argc, char** argv);

}  // namespace headway
