// One value of a trace line, and its reading: token counts and time stamps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/workload/line_reader.hpp"

namespace headway {

/// Picoseconds since whatever the trace counts from; wall-clock stamps count from 1970. Wide enough
/// for epoch stamps in nanoseconds.
using Stamp = __int128;

/// How a format writes time.
enum class StampKind { wall_clock, seconds, milliseconds, nanoseconds };

/// A value as it stands in the line.
struct TraceField {
  std::string_view text;
  std::int64_t column = 1;  // of its first byte, from 1
};

/// Most tokens of one request that a trace may hold: over any context window, so a larger number is
/// a sign of a wrong column.
inline constexpr std::int64_t kMostTraceTokens = 100'000'000;

/// Throws InputError "file:line:column: message" for the line that `lines` gave last (line 1
/// before any).
[[noreturn]] void fail_at(const LineReader& lines, std::int64_t column, const std::string& message);

/// The text in quotes, cut after 40 bytes, bytes that do not print as \xHH.
std::string quoted(std::string_view text);

/// A whole number of tokens in [least, kMostTraceTokens]; "374.0" is whole. `what` is "input" or
/// "output". Throws InputError.
std::int32_t parse_tokens(const LineReader& lines, const TraceField& field, const char* what,
                          std::int32_t least);

/// A time stamp, cut to whole picoseconds. Numbers are decimal, from 0, below 10^19 of their unit,
/// an exponent allowed. A wall clock reads "2023-11-16 18:15:46.6805900", T for the space and a
/// closing Z or +hh:mm allowed. Throws InputError.
Stamp parse_stamp(const LineReader& lines, const TraceField& field, StampKind kind);

}  // namespace headway
