#include "sim/scenario/text_scan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/document.hpp"

namespace headway {
namespace {

/// Length of the UTF-8 character that starts at `at`, 0 when there is no valid one there (RFC 3629:
/// no overlong forms, no surrogates, nothing over U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

std::optional<TextFault> scan_bytes(std::string_view text) {
  std::size_t line_start = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t' && byte != '\r') || byte == 0x7F)
      return TextFault{i, fmt::format("byte 0x{:02x} is no text; expected a YAML file", byte)};
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      return TextFault{i, fmt::format("byte 0x{:02x} is not UTF-8; expected a YAML file", byte)};
    i += length;
    if (byte == '\n') line_start = i;
    if (i - line_start > kMaxLineBytes) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      return TextFault{line_start, fmt::format("a line of {} bytes; expected at most {}",
                                               end - line_start, kMaxLineBytes)};
    }
  }
  return {};
}

/// Walks the tokens of a text just far enough to know where values start.
class TokenScan {
 public:
  explicit TokenScan(std::string_view text) : text_(text) {}

  std::optional<TextFault> run() {
    while (!fault_ && at_ < text_.size()) step();
    return fault_;
  }

 private:
  char look(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  void refuse(std::string message) { fault_ = TextFault{at_, std::move(message)}; }

  void step() {
    if (line_begins_) return begin_line();
    const char c = look();
    if (c == '\n') {
      line_begins_ = value_begins_ = true;
      ++at_;
    } else if (c == '#' && (at_ == 0 || blank(text_[at_ - 1]))) {
      while (at_ < text_.size() && look() != '\n') ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
    } else if (value_begins_) {
      begin_value(c);
    } else {
      inside_plain(c);
    }
  }

  void begin_line() {
    line_begins_ = false;
    const std::size_t stop = std::min(text_.find_first_not_of(" \t\r", at_), text_.size());
    const std::size_t tab = text_.substr(at_, stop - at_).find('\t');
    const bool empty = stop == text_.size() || text_[stop] == '\n' || text_[stop] == '#';
    if (tab != std::string_view::npos && !empty && flow_depth_ == 0) {
      at_ += tab;
      return refuse("a tab as indentation; expected spaces");
    }
    if (look() == '%') return refuse("a YAML directive; expected 'headway: 1'");
    at_ = stop;
  }

  void begin_value(char c) {
    if (c == '&' || c == '*')
      return refuse(
          fmt::format("'{}' starts a YAML {}, which scenarios do not have; expected the "
                      "value itself, or the text in quotes",
                      c, c == '&' ? "anchor" : "alias"));
    if (c == '!')
      return refuse(
          "'!' starts a YAML tag, which scenarios do not have; expected a plain value, or the text "
          "in quotes");
    if (c == '|' || c == '>')
      return refuse(
          fmt::format("'{}' starts a text of several lines; expected the value on one line", c));
    if (c == '"' || c == '\'') return quoted(c);
    if (c == '[' || c == '{') return open();
    if (c == ']' || c == '}') return close();
    ++at_;
    if (c == ',' && flow_depth_ > 0) return;
    const bool marks = c == '-' || c == '?' || c == ':';
    if (!(marks && blank(look()))) value_begins_ = false;
  }

  void inside_plain(char c) {
    if (c == ':' && (blank(look(1)) || flow_depth_ > 0)) {
      // In a flow map a ':' may stand against its value: {"a":1}. A '/' follows in "5:/s" at most.
      value_begins_ = blank(look(1)) || look(1) == '&' || look(1) == '*' || look(1) == '!' ||
                      look(1) == '[' || look(1) == '{' || look(1) == '"';
      ++at_;
    } else if (flow_depth_ > 0 && c == ',') {
      value_begins_ = true;
      ++at_;
    } else if (flow_depth_ > 0 && (c == '[' || c == '{')) {
      open();
    } else if (flow_depth_ > 0 && (c == ']' || c == '}')) {
      close();
    } else {
      ++at_;
    }
  }

  void open() {
    if (++flow_depth_ > kMaxNesting)
      return refuse(fmt::format("nested more than {} deep", kMaxNesting));
    value_begins_ = true;
    ++at_;
  }

  void close() {
    if (flow_depth_ > 0) --flow_depth_;
    value_begins_ = false;
    ++at_;
  }

  void quoted(char quote) {
    const std::size_t start = at_;
    for (++at_; at_ < text_.size() && look() != '\n'; ++at_) {
      if (quote == '"' && look() == '\\') {
        ++at_;
      } else if (look() == quote) {
        if (quote == '"' || look(1) != quote) {
          ++at_;
          value_begins_ = false;
          return;
        }
        ++at_;
      }
    }
    at_ = start;
    refuse("the quote is not closed on its line");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int flow_depth_ = 0;
  bool line_begins_ = true;
  bool value_begins_ = true;
  std::optional<TextFault> fault_;
};

}  // namespace

std::optional<TextFault> scan_text(std::string_view text) {
  if (auto fault = scan_bytes(text)) return fault;
  return TokenScan(text).run();
}

}  // namespace headway
