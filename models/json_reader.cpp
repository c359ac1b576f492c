#include "models/json_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

namespace headway {
namespace {

bool is_digit(const char* p, const char* end) {
  return p < end && *p >= '0' && *p <= '9';
}

const char* find(const char* from, const char* end, char wanted) {
  return static_cast<const char*>(std::memchr(from, wanted, static_cast<std::size_t>(end - from)));
}

}  // namespace

void JsonKeys::add(std::string_view key) {
  const auto end = few_.begin() + static_cast<std::ptrdiff_t>(count_);
  bool fresh = std::find(few_.begin(), end, key) == end;
  if (fresh && count_ < few_.size()) {
    few_[count_++] = key;
  } else if (fresh) {
    fresh = more_.insert(key).second;
  }
  if (!fresh) throw JsonError("a second key \"" + std::string(key.substr(0, 40)) + "\"");
}

void JsonReader::fail(char wanted) const {
  throw JsonError(std::string("no ") + wanted + " where one has to stand");
}

JsonReader::Kind JsonReader::next() {
  space();
  if (at_ == end_) return Kind::nothing;
  switch (*at_) {
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case '"':
      return Kind::text;
    case 't':
    case 'f':
    case 'n':
      return Kind::word;
    default:
      return *at_ == '-' || is_digit(at_, end_) ? Kind::number : Kind::nothing;
  }
}

std::string_view JsonReader::raw_text() {
  take('"');
  const char* const start = at_;
  while (at_ < end_ && *at_ != '"') {
    if (*at_ == '\\') ++at_;
    ++at_;
  }
  if (at_ >= end_) fail('"');
  return {start, static_cast<std::size_t>(at_++ - start)};
}

std::string JsonReader::text() {
  space();
  const char* const start = at_;
  const std::string_view raw = raw_text();
  if (raw.find('\\') == std::string_view::npos) return std::string(raw);
  const auto json = nlohmann::json::parse(start, at_, nullptr, false);
  if (!json.is_string()) throw JsonError("a text with wrong escapes");
  return json.get<std::string>();
}

bool JsonReader::null() {
  space();
  if (end_ - at_ < 4 || std::memcmp(at_, "null", 4) != 0) return false;
  at_ += 4;
  return true;
}

double JsonReader::long_number() {
  const char* p = at_;
  if (p < end_ && *p == '-') ++p;
  const char* const first = p;
  while (is_digit(p, end_)) ++p;
  bool good = p > first && (*first != '0' || p == first + 1);
  if (p < end_ && *p == '.') {
    good = good && is_digit(++p, end_);
    while (is_digit(p, end_)) ++p;
  }
  if (p < end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p < end_ && (*p == '+' || *p == '-')) ++p;
    good = good && is_digit(p, end_);
    while (is_digit(p, end_)) ++p;
  }
  double value = 0;
  if (!good || std::from_chars(at_, p, value).ec != std::errc()) {
    throw JsonError("no number where one has to stand");
  }
  at_ = p;
  return value;
}

std::string_view JsonReader::skip() {
  const Kind kind = next();
  const char* const start = at_;
  switch (kind) {
    case Kind::object:
    case Kind::array:
      skip_nested();
      break;
    case Kind::text:
      raw_text();
      break;
    case Kind::number:
      number();
      break;
    case Kind::word:
      for (const std::string_view word : {"true", "false", "null"}) {
        if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) {
          at_ += word.size();
          return {start, word.size()};
        }
      }
      [[fallthrough]];
    case Kind::nothing:
      throw JsonError("no value where one has to stand");
  }
  return {start, static_cast<std::size_t>(at_ - start)};
}

/// Behind a list that holds no brackets and no quotes; null for another.
const char* JsonReader::numbers_end(const char* open) const {
  const char* const close = find(open + 1, end_, ']');
  if (close == nullptr) return nullptr;
  for (const char other : {'{', '"', '['}) {
    if (find(open + 1, close, other) != nullptr) return nullptr;
  }
  return close + 1;
}

void JsonReader::skip_nested() {
  std::array<char, 64> closing;
  std::size_t depth = 0;
  do {
    if (at_ >= end_) fail(closing[depth - 1]);
    switch (*at_) {
      case '[':
        if (const char* const end = numbers_end(at_)) {
          at_ = end;
          continue;
        }
        [[fallthrough]];
      case '{':
        if (depth == closing.size()) throw JsonError("more than 64 brackets in each other");
        closing[depth++] = *at_ == '[' ? ']' : '}';
        break;
      case ']':
      case '}':
        if (*at_ != closing[--depth]) fail(closing[depth]);
        break;
      case '"':
        raw_text();
        continue;
      default:
        break;
    }
    ++at_;
  } while (depth > 0);
}

void JsonReader::finish() {
  space();
  if (at_ != end_) throw JsonError("more after the end");
}

}  // namespace headway
