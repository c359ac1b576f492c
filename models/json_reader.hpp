// Reads a JSON text (RFC 8259) in order, value by value, without building a tree of it: for files
// of many numbers of which few are wanted.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace headway {

/// The text is not JSON, says a key twice, or has another value than the one that was asked for.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The keys of one object so far, as they are written. Does not own their texts.
class JsonKeys {
 public:
  /// Throws JsonError for one that was added before.
  void add(std::string_view key);

 private:
  static constexpr std::size_t kFew = 16;  // are compared one by one

  std::array<std::string_view, kFew> few_;
  std::size_t count_ = 0;
  std::set<std::string_view> more_;  // beyond the few
};

/// A place in a text. Every call reads the value that comes next, and throws JsonError where none
/// of that kind comes. Does not own the text.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

  enum class Kind { object, array, text, number, word, nothing };
  Kind next();

  /// Calls member(key) for each member; member has to read the value. A key with escapes is given
  /// as it is written. Throws JsonError for a second key of the same name.
  template <class Member>
  void object(Member member) {
    open('{');
    JsonKeys keys;
    for (bool first = true; more('}', first); first = false) {
      const std::string_view key = raw_text();
      keys.add(key);
      take(':');
      member(key);
    }
  }
  /// Calls element() for each element; it has to read the value.
  template <class Element>
  void array(Element element) {
    open('[');
    for (bool first = true; more(']', first); first = false) element();
  }
  double number() {
    space();
    // What most files hold: a few digits, and a few behind the point.
    const char* p = at_;
    std::int64_t digits = 0;
    const char* point = nullptr;
    for (; p < end_ && p - at_ < kShortNumber; ++p) {
      if (*p >= '0' && *p <= '9') {
        digits = digits * 10 + (*p - '0');
      } else if (*p == '.' && point == nullptr && p > at_) {
        point = p;
      } else {
        break;
      }
    }
    const bool ends = p < end_ && (*p == ',' || *p == ']' || *p == '}');
    if (!ends || p == at_ || p - 1 == point || (*at_ == '0' && p - at_ > 1 && point != at_ + 1)) {
      return long_number();
    }
    at_ = p;
    const auto value = static_cast<double>(digits);
    return point == nullptr ? value : value / kPowersOfTen[p - point - 1];
  }
  std::string text();
  /// Takes null where it comes next.
  bool null();
  /// Leaves a value out, and returns its text. Of what it holds only brackets and quotes are looked
  /// at, not even keys; it is nested 64 deep at most.
  std::string_view skip();
  /// Nothing may come any more.
  void finish();

 private:
  static constexpr int kShortNumber = 15;  // characters: their digits are exact in a double
  static constexpr double kPowersOfTen[kShortNumber] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

  void space() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  void take(char wanted) {
    space();
    if (at_ == end_ || *at_ != wanted) fail(wanted);
    ++at_;
  }
  void open(char bracket) { take(bracket); }
  /// Whether another member comes: past the comma, or past the closing bracket.
  bool more(char close, bool first) {
    space();
    if (at_ < end_ && *at_ == close) {
      ++at_;
      return false;
    }
    if (!first) take(',');
    return true;
  }
  [[noreturn]] void fail(char wanted) const;
  std::string_view raw_text();
  double long_number();
  void skip_nested();
  const char* numbers_end(const char* open) const;

  const char* at_;
  const char* end_;
};

}  // namespace headway
