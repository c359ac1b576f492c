// Quantities with units, as people write them ("500 ms", "80 GB", "10000 /h", "2.99 USD/h"), to SI
// numbers and back.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

/// Simulated time: integer picoseconds. 2^63 ps are 106.75 days, the longest run there is.
using Picoseconds = std::int64_t;

/// A point in simulated time: picoseconds from the run's start.
using Time = Picoseconds;
inline constexpr Time kNever = INT64_MAX;

/// Nothing happens at or after this time: load comes for 106 days at most, and has half a day more
/// to be served. A few hours added to a time before it still fit.
inline constexpr Time kEndOfTime = Time{2556} * 3600 * 1'000'000'000'000;

/// The time `duration` ≥ 0 after `now` ≥ 0, at most kEndOfTime.
constexpr Time time_after(Time now, Picoseconds duration) {
  return duration < kEndOfTime - now ? now + duration : kEndOfTime;
}

inline constexpr double kPicosecondsPerSecond = 1e12;

/// What a quantity measures, and the SI base that a parsed number is given in.
enum class Dimension {
  count,             // a plain number: "4", "8192", "1e6", "8k" is not accepted
  fraction,          // 0..1, also "35 %"
  time,              // seconds: ps ns us ms s min h d
  rate,              // per second: /s /min /h /d, also "req/s"
  bytes,             // B kB MB GB TB (1000s), KiB MiB GiB TiB (1024s)
  bytes_per_second,  // B/s kB/s MB/s GB/s TB/s, Gbit/s Mbit/s
  flops,             // FLOP/s GFLOP/s TFLOP/s PFLOP/s
  power,             // W kW
  money_per_time     // USD per second: USD/h USD/d USD/month(=730 h)
};

/// A text that is no quantity of the dimension asked for. what() names the text, what was expected
/// and the nearest valid unit; the caller adds file, line and column.
class UnitError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The number in SI units of the dimension. A dimension other than count or fraction demands a unit
/// (except for the number 0). Rejects NaN, infinities, octal-looking numbers ("010"), hexadecimal,
/// signs other than one leading '-', and trailing text. Throws UnitError.
double parse_quantity(std::string_view text, Dimension dimension);

/// The shortest text for people with three significant digits or more, in the best-sized unit:
/// 0.0123 of time is "12.3 ms".
std::string format_quantity(double value, Dimension dimension);

/// The units of a dimension, smallest first: for help texts and shell completion.
std::vector<std::string> unit_names(Dimension dimension);

/// Seconds to picoseconds, rounded to nearest; throws UnitError if negative, NaN or over 106 days.
Picoseconds to_picoseconds(double seconds);
inline double to_seconds(Picoseconds time) {
  return static_cast<double>(time) / kPicosecondsPerSecond;
}

/// The member of `words` nearest to `word` by edit distance, or "" if none is near (over 40 % of
/// the letters differ). For "did you mean".
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

}  // namespace headway
