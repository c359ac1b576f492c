#include "sim/report/table_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace headway {

namespace {

struct TimeUnit {
  const char* name;
  double seconds;
};
constexpr TimeUnit kUnits[] = {{"d", 86400}, {"h", 3600},  {"min", 60}, {"s", 1},
                               {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};

const TimeUnit& unit_of(double seconds) {
  for (const TimeUnit& unit : kUnits) {
    // People understand seconds up to two minutes and hours up to two days.
    const bool late = unit.seconds == 60 || unit.seconds == 86400;
    const double from = late ? 2 * unit.seconds : unit.seconds;
    if (seconds >= from * 0.99995) return unit;
  }
  return seconds > 0 ? kUnits[6] : kUnits[3];
}

// The value with this many significant digits, none of them in an exponent.
std::string digits(double value, int significant) {
  if (value == 0) return "0";
  const std::string rounded = fmt::format("{:.{}e}", value, significant - 1);
  const int exponent = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  return fmt::format("{:.{}f}", value, std::clamp(significant - 1 - exponent, 0, 12));
}

}  // namespace

TableStyle style_for(int descriptor) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  TableStyle style;
  if (::isatty(descriptor) == 0) return style;
  style.colour = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  std::string_view locale = variable("LC_ALL");
  if (locale.empty()) locale = variable("LC_CTYPE");
  if (locale.empty()) locale = variable("LANG");
  for (const char* name : {"UTF-8", "utf-8", "UTF8", "utf8"})
    style.unicode = style.unicode || locale.find(name) != std::string_view::npos;
  return style;
}

std::string inked(const TableStyle& style, Ink ink, const std::string& text) {
  if (!style.colour || ink == Ink::plain || text.empty()) return text;
  const char* code = "0";
  switch (ink) {
    case Ink::plain:
      break;
    case Ink::bold:
      code = "1";
      break;
    case Ink::dim:
      code = "2";
      break;
    case Ink::red:
      code = "31";
      break;
    case Ink::green:
      code = "32";
      break;
    case Ink::yellow:
      code = "33";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const int first = text.starts_with('-') ? 1 : 0;
  for (int at = static_cast<int>(text.size()) - 3; at > first; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "-";
  const double size = std::fabs(value);
  if (size >= 1e15) return fmt::format("{:.3g}", value);
  if (size >= 1000) return grouped(std::llround(value));
  std::string text = digits(value, 4);
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string share_text(double share) {
  if (!std::isfinite(share)) return "-";
  const double percent = share * 100;
  if (percent > 99 && percent < 100)
    return fmt::format("{:.2f} %", std::floor(percent * 100) / 100);
  return percent == 0 || percent >= 9.95 ? fmt::format("{:.0f} %", percent)
                                         : fmt::format("{:.1f} %", percent);
}

std::string good_text(double share) {
  return number_text(std::floor(share * 1e4 + 1e-6) / 100) + " %";
}

std::string availability_text(const ExpectedAvailability& expected, std::int32_t replicas) {
  std::string text =
      good_text(expected.share) + " of its replicas up in the long run, by mean times";
  if (expected.counted)
    text += fmt::format("; all {} for {} of the time, {} or more for 99 %", grouped(replicas),
                        good_text(expected.all_up), grouped(expected.up_99));
  return text;
}

std::string seconds_text(double seconds, const std::optional<double>& half_width,
                         const TableStyle& style) {
  if (!std::isfinite(seconds)) return "-";
  const TimeUnit& unit = unit_of(std::fabs(seconds));
  const std::string value = digits(seconds / unit.seconds, 3);
  std::string text = value + " " + unit.name;
  if (half_width && std::isfinite(*half_width)) {
    // To the last place of the value, rounded up: never narrower than it is.
    const std::size_t point = value.find('.');
    const int places = point == std::string::npos ? 0 : static_cast<int>(value.size() - point - 1);
    const double last = std::pow(10.0, places);
    const double shown = std::max(0.0, std::ceil(*half_width / unit.seconds * last - 1e-9)) / last;
    text += fmt::format("{}{:.{}f}", style.unicode ? " \u00b1" : " +-", shown, places);
  }
  return text;
}

int text_columns(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      while (at < text.size() && text[at] != 'm') ++at;
    } else if ((static_cast<unsigned char>(text[at]) & 0xC0) != 0x80) {
      ++columns;
    }
  }
  return columns;
}

std::string right(const std::string& text, int width) {
  const int columns = text_columns(text);
  return columns >= width ? text
                          : std::string(static_cast<std::size_t>(width - columns), ' ') + text;
}

std::string left(const std::string& text, int width) {
  const int columns = text_columns(text);
  return columns >= width ? text
                          : text + std::string(static_cast<std::size_t>(width - columns), ' ');
}

std::string labelled(const std::string& label, const std::string& text, Ink label_ink,
                     const TableStyle& style, int label_columns) {
  std::string lines =
      inked(style, label.empty() ? Ink::plain : label_ink, left(label, label_columns));
  int column = std::max(label_columns, text_columns(label));
  const std::string indent(static_cast<std::size_t>(label_columns), ' ');
  bool line_start = text_columns(label) < label_columns;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    const int width = text_columns(word);
    if (!line_start && column + 1 + width > kTableColumns) {
      lines += "\n" + indent;
      column = label_columns;
      line_start = true;
    }
    if (!line_start) lines += ' ';
    lines += word;
    column += width + (line_start ? 0 : 1);
    line_start = false;
    at = end + 1;
    if (end < text.size() && text[end] == '\n') {
      lines += "\n" + indent;
      column = label_columns;
      line_start = true;
    }
  }
  while (lines.ends_with(' ')) lines.pop_back();
  return lines + "\n";
}

}  // namespace headway
