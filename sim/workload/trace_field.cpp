#include "sim/workload/trace_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "sim/scenario/input_error.hpp"

namespace headway {
namespace {

constexpr Stamp kSecond = 1'000'000'000'000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads `count` digits at `at`; -1 if there are not as many.
int digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return -1;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (!is_digit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// Reads ".ddd" at `at` as that fraction of `unit`, cut to whole picoseconds, and moves `at` past
/// it.
Stamp fraction_at(std::string_view text, std::size_t& at, Stamp unit) {
  if (at >= text.size() || text[at] != '.') return 0;
  Stamp value = 0;
  for (++at; at < text.size() && is_digit(text[at]); ++at) {
    unit /= 10;
    value += unit * (text[at] - '0');
  }
  return value;
}

/// The offset of "", "Z", "+hh:mm" or "-hh:mm" at `at` from UTC; false for anything else.
bool zone_at(std::string_view text, std::size_t at, Stamp& offset) {
  offset = 0;
  if (at == text.size()) return true;
  if (text[at] == 'Z') return at + 1 == text.size();
  if ((text[at] != '+' && text[at] != '-') || text.size() != at + 6 || text[at + 3] != ':')
    return false;
  const int hours = digits_at(text, at + 1, 2), minutes = digits_at(text, at + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
  offset = (hours * 3600 + minutes * 60) * kSecond * (text[at] == '-' ? -1 : 1);
  return true;
}

bool read_wall_clock(std::string_view text, Stamp& stamp) {
  const int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2);
  const int day = digits_at(text, 8, 2), hour = digits_at(text, 11, 2);
  const int minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) return false;
  if (text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') || text[13] != ':' ||
      text[16] != ':' || hour > 23 || minute > 59 || second > 59)
    return false;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  std::size_t at = 19;
  stamp = ((days * 24 + hour) * 60 + minute) * Stamp{60} * kSecond + second * kSecond;
  stamp += fraction_at(text, at, kSecond);
  Stamp offset = 0;
  if (!zone_at(text, at, offset)) return false;
  stamp -= offset;
  return true;
}

/// A plain decimal by its digits, exactly; with an exponent, through double.
bool read_number(std::string_view text, Stamp unit, Stamp& stamp) {
  std::size_t at = 0;
  std::uint64_t whole = 0;
  while (at < text.size() && at < 19 && is_digit(text[at]))
    whole = whole * 10 + static_cast<std::uint64_t>(text[at++] - '0');
  const bool has_digits = at > 0 || (text.size() > 1 && text[0] == '.' && is_digit(text[1]));
  stamp = static_cast<Stamp>(whole) * unit + fraction_at(text, at, unit);
  if (has_digits && at == text.size()) return true;

  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (!(value >= 0 && value < 1e19)) return false;
  stamp = static_cast<Stamp>(static_cast<long double>(value) * static_cast<long double>(unit));
  return true;
}

struct StampUnit {
  Stamp picoseconds;
  const char* expected;
};

StampUnit unit_of(StampKind kind) {
  switch (kind) {
    case StampKind::milliseconds:
      return {kSecond / 1000, "a number of milliseconds, 0 or more"};
    case StampKind::nanoseconds:
      return {1000, "a number of nanoseconds, 0 or more"};
    case StampKind::wall_clock:
      return {0, "YYYY-MM-DD HH:MM:SS with or without a fraction"};
    case StampKind::seconds:
      break;
  }
  return {kSecond, "a number of seconds, 0 or more"};
}

}  // namespace

void fail_at(const LineReader& lines, std::int64_t column, const std::string& message) {
  throw InputError(fmt::format("{}:{}:{}: {}", lines.path(),
                               std::max<std::int64_t>(lines.number(), 1), column, message));
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (text.size() > kLongest ? "…'" : "'");
}

std::int32_t parse_tokens(const LineReader& lines, const TraceField& field, const char* what,
                          std::int32_t least) {
  const char* const first = field.text.data();
  const char* const last = first + field.text.size();
  std::int64_t tokens = 0;
  auto [end, error] = std::from_chars(first, last, tokens);
  if (error == std::errc() && end != last && *end == '.') {
    do ++end;
    while (end != last && *end == '0');
  }
  const bool is_number = error != std::errc::invalid_argument && end == last;
  if (is_number && error == std::errc() && tokens >= least && tokens <= kMostTraceTokens)
    return static_cast<std::int32_t>(tokens);
  fail_at(lines, field.column,
          fmt::format("{} is {} {} tokens; expected a whole number from {} to {}",
                      quoted(field.text), is_number ? "out of range for" : "not a number of", what,
                      least, kMostTraceTokens));
}

Stamp parse_stamp(const LineReader& lines, const TraceField& field, StampKind kind) {
  const StampUnit unit = unit_of(kind);
  Stamp stamp = 0;
  const bool read = kind == StampKind::wall_clock
                        ? read_wall_clock(field.text, stamp)
                        : read_number(field.text, unit.picoseconds, stamp);
  if (read) return stamp;
  fail_at(
      lines, field.column,
      fmt::format("{} is not a time of arrival; expected {}", quoted(field.text), unit.expected));
}

}  // namespace headway
