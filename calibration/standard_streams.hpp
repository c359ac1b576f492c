// What the command prints.
#pragma once

#include <string_view>

namespace headway {

/// Writes all of the text to the standard output; a reader that has gone away is no error. Throws
/// CalibrationFailure for any other failure, such as a full disk.
void write_output(std::string_view text);

/// Writes "headway-calibrate: TEXT" and a line break to the standard error, without the control
/// characters of what it quotes.
void write_message(std::string_view text);

}  // namespace headway
