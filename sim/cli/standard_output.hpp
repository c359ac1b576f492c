// What a command prints.
#pragma once

#include <string_view>

namespace headway {

/// Writes all of the text to the standard output. A reader that has gone away (`headway … | head`)
/// is no error: the rest is dropped. Throws RunError for any other failure, such as a full disk.
void print(std::string_view text);

/// Writes "headway: TEXT" and a line break to the standard error.
void print_error(std::string_view text);

}  // namespace headway
