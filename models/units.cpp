#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

namespace headway {
namespace {

struct Unit {
  std::string_view name;
  double factor;    // SI value of one unit
  bool for_output;  // format_quantity may choose it
};

constexpr Unit kCount[] = {{"", 1, true}};
constexpr Unit kFraction[] = {{"%", 0.01, true}, {"", 1, false}};
constexpr Unit kTime[] = {{"ps", 1e-12, true}, {"ns", 1e-9, true}, {"us", 1e-6, true},
                          {"ms", 1e-3, true},  {"s", 1, true},     {"min", 60, true},
                          {"h", 3600, true},   {"d", 86400, true}};
constexpr Unit kRate[] = {{"/d", 1.0 / 86400, true}, {"req/d", 1.0 / 86400, false},
                          {"/h", 1.0 / 3600, true},  {"req/h", 1.0 / 3600, false},
                          {"/min", 1.0 / 60, true},  {"req/min", 1.0 / 60, false},
                          {"/s", 1, true},           {"req/s", 1, false}};
constexpr Unit kBytes[] = {{"B", 1, true},
                           {"kB", 1e3, true},
                           {"KiB", 1024, false},
                           {"MB", 1e6, true},
                           {"MiB", 1048576, false},
                           {"GB", 1e9, true},
                           {"GiB", 1073741824, false},
                           {"TB", 1e12, true},
                           {"TiB", 1099511627776, false}};
constexpr Unit kBandwidth[] = {
    {"B/s", 1, true},          {"kB/s", 1e3, true}, {"Mbit/s", 1.25e5, false}, {"MB/s", 1e6, true},
    {"Gbit/s", 1.25e8, false}, {"GB/s", 1e9, true}, {"TB/s", 1e12, true}};
constexpr Unit kFlops[] = {
    {"FLOP/s", 1, true}, {"GFLOP/s", 1e9, true}, {"TFLOP/s", 1e12, true}, {"PFLOP/s", 1e15, true}};
constexpr Unit kPower[] = {{"W", 1, true}, {"kW", 1e3, true}};
constexpr Unit kMoney[] = {{"USD/month", 1.0 / (730 * 3600.0), false},
                           {"USD/d", 1.0 / 86400, false},
                           {"USD/h", 1.0 / 3600, true}};

std::span<const Unit> units_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::count:
      return kCount;
    case Dimension::fraction:
      return kFraction;
    case Dimension::time:
      return kTime;
    case Dimension::rate:
      return kRate;
    case Dimension::bytes:
      return kBytes;
    case Dimension::bytes_per_second:
      return kBandwidth;
    case Dimension::flops:
      return kFlops;
    case Dimension::power:
      return kPower;
    case Dimension::money_per_time:
      return kMoney;
  }
  return kCount;
}

const char* example_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::count:
      return "a plain number such as 4 or 1e6";
    case Dimension::fraction:
      return "a fraction such as 0.35 or 35 %";
    case Dimension::time:
      return "a time such as 500 ms";
    case Dimension::rate:
      return "a rate such as 20 /s";
    case Dimension::bytes:
      return "a size such as 80 GB";
    case Dimension::bytes_per_second:
      return "a bandwidth such as 3.35 TB/s";
    case Dimension::flops:
      return "an arithmetic rate such as 989 TFLOP/s";
    case Dimension::power:
      return "a power such as 700 W";
    case Dimension::money_per_time:
      return "a price such as 2.99 USD/h";
  }
  return "a quantity";
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The text in quotes, short enough and clean enough to stand in a message.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string shown = "\"";
  for (char c : text.substr(0, kLongest)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  if (text.size() > kLongest) shown += "…";
  return shown + "\"";
}

std::string expected(Dimension dimension) {
  std::string text = fmt::format("expected {}", example_of(dimension));
  const std::vector<std::string> names = unit_names(dimension);
  if (!names.empty()) text += fmt::format(" (units: {})", fmt::join(names, ", "));
  return text;
}

[[noreturn]] void fail(std::string_view text, std::string_view what, Dimension dimension) {
  throw UnitError(fmt::format("{} {}; {}", quoted(text), what, expected(dimension)));
}

/// Length of the decimal number that `text` starts with: -?(D+(.D+)?|.D+)([eE][+-]?D+)?; 0 if none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && digit(text[at])) ++at;
    return at - from;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const std::size_t whole = digits();
  if (at + 1 < text.size() && text[at] == '.' && digit(text[at + 1])) {
    ++at;
    digits();
  } else if (whole == 0) {
    return 0;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t mantissa_end = at++;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) at = mantissa_end;
  }
  return at;
}

double number_of(std::string_view number, std::string_view text, Dimension dimension) {
  const std::string_view magnitude = number.substr(number.front() == '-' ? 1 : 0);
  if (magnitude.size() > 1 && magnitude[0] == '0' && digit(magnitude[1])) {
    fail(text, "starts with 0 and may be meant as octal or decimal; leave out the leading zeros",
         dimension);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(value)) {
    fail(text, "is beyond the range of numbers", dimension);
  }
  return value;
}

/// Three significant digits or, from 100 on, whole numbers; no trailing zeros.
std::string people_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value) || size >= 1e15) return fmt::format("{:.4g}", value);
  const int decimals =
      size >= 100 || size == 0 ? 0 : 2 - static_cast<int>(std::floor(std::log10(size)));
  std::string text = fmt::format("{:.{}f}", value, std::min(decimals, 30));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

double parse_quantity(std::string_view text, Dimension dimension) {
  const std::string_view body = trimmed(text);
  if (body.empty()) fail(text, "is empty", dimension);
  const std::size_t length = number_length(body);
  if (length == 0) fail(text, "is not a number", dimension);
  const std::string_view unit = trimmed(body.substr(length));
  const double value = number_of(body.substr(0, length), text, dimension);
  for (const Unit& known : units_of(dimension)) {
    if (known.name != unit) continue;
    // Multiplying by 60 or dividing by 60 rounds less than multiplying by an inexact 1/60.
    const double result =
        known.factor < 1 ? value / std::round(1 / known.factor) : value * known.factor;
    if (!std::isfinite(result)) fail(text, "is beyond the range of numbers", dimension);
    return result;
  }
  if (unit.empty()) {
    if (value == 0) return value;
    fail(text, "has no unit", dimension);
  }
  if (dimension == Dimension::count) {
    fail(text, fmt::format("has something after the number ({})", quoted(unit)), dimension);
  }
  const std::string near = nearest_word(unit, unit_names(dimension));
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near);
  throw UnitError(fmt::format("{} has the unknown unit {}; {}{}", quoted(text), quoted(unit),
                              expected(dimension), hint));
}

std::string format_quantity(double value, Dimension dimension) {
  const std::span<const Unit> units = units_of(dimension);
  const Unit* best = nullptr;
  for (const Unit& unit : units) {
    if (!unit.for_output) continue;
    // 0.9995 shows as 1.00: from there on the larger unit reads better.
    if (best == nullptr || std::abs(value) / unit.factor >= 0.9995) best = &unit;
  }
  if (value == 0) {
    for (const Unit& unit : units) {
      if (unit.for_output && unit.factor == 1) best = &unit;
    }
  }
  const std::string number = people_number(value / best->factor);
  return best->name.empty() ? number : fmt::format("{} {}", number, best->name);
}

std::vector<std::string> unit_names(Dimension dimension) {
  std::vector<std::string> names;
  for (const Unit& unit : units_of(dimension)) {
    if (!unit.name.empty()) names.emplace_back(unit.name);
  }
  return names;
}

Picoseconds to_picoseconds(double seconds) {
  constexpr double kLongestSeconds = 106 * 86400.0;
  if (std::isnan(seconds)) throw UnitError("a time is not a number (NaN)");
  if (seconds < 0) throw UnitError(fmt::format("a time of {:g} s is negative", seconds));
  if (seconds > kLongestSeconds) {
    throw UnitError(fmt::format("a time of {} is over 106 days, the longest there is",
                                format_quantity(seconds, Dimension::time)));
  }
  return std::llround(seconds * kPicosecondsPerSecond);
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 64;
  if (word.empty() || word.size() > kLongest) return "";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::string best;
  double best_share = 0.4;
  bool found = false;
  for (const std::string& candidate : words) {
    if (candidate.empty() || candidate.size() > kLongest) continue;
    // Optimal string alignment: insertion, deletion, substitution, swap of neighbours.
    std::vector<std::size_t> before, last(candidate.size() + 1), row(candidate.size() + 1);
    for (std::size_t j = 0; j <= candidate.size(); ++j) last[j] = j;
    before = last;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const bool same = lower(word[i - 1]) == lower(candidate[j - 1]);
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
        if (i > 1 && j > 1 && lower(word[i - 1]) == lower(candidate[j - 2]) &&
            lower(word[i - 2]) == lower(candidate[j - 1])) {
          row[j] = std::min(row[j], before[j - 2] + 1);
        }
      }
      before = last;
      last = row;
    }
    const double share = static_cast<double>(last[candidate.size()]) /
                         static_cast<double>(std::max(word.size(), candidate.size()));
    if (share <= best_share && (!found || share < best_share)) {
      best = candidate;
      best_share = share;
      found = true;
    }
  }
  return best;
}

}  // namespace headway
