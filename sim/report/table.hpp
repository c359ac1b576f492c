// A run's result for people: a table of at most 80 columns.
#pragma once

#include <string>

#include "sim/report/report.hpp"

namespace headway {

/// How a terminal is written to.
struct TableStyle {
  bool colour = false;   // bold and colours by ANSI sequences
  bool unicode = false;  // "±"; else "+-": every byte is ASCII but for the scenario's own names
};

/// The style for a file descriptor: colour on a terminal, unless NO_COLOR is set (no-color.org) or
/// TERM is "dumb"; unicode on a terminal whose locale is UTF-8.
TableStyle style_for(int descriptor);

/// The table, ending with a newline. A figure that does not exist is "-". A figure whose interval
/// has not converged carries a "~" and is red in colour.
std::string result_table(const Report& report, const TableStyle& style);

}  // namespace headway
