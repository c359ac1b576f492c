// Mooncake's JSONL: one JSON object a line.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "sim/workload/trace_reader.hpp"

namespace headway {
namespace {

/// Walks one JSON object. Checks what it needs to find the values and the object's end; values that
/// nobody asks for are skipped by their brackets and quotes.
class ObjectScanner {
 public:
  ObjectScanner(const LineReader& lines, std::string_view line) : lines_(lines), line_(line) {
    if (peek() != '{') fail("expected a JSON object");
    ++at_;
  }

  /// The next member, or false past the last one.
  bool next(std::string_view& key, TraceField& value) {
    if (peek() == '}') {
      ++at_;
      if (peek() != '\0') fail("expected the line to end after its object");
      return false;
    }
    if (members_++ > 0) expect(',');
    peek();
    const std::size_t start = at_;
    skip_string();
    key = line_.substr(start + 1, at_ - start - 2);
    expect(':');
    peek();
    value.column = static_cast<std::int64_t>(at_) + 1;
    value.text = skip_value();
    return true;
  }

 private:
  [[noreturn]] void fail(const char* expected) const {
    if (at_ >= line_.size())
      fail_at(lines_, static_cast<std::int64_t>(line_.size()) + 1,
              fmt::format("the line ends too early (is the file cut off?); {}", expected));
    fail_at(lines_, static_cast<std::int64_t>(at_) + 1,
            fmt::format("found {}; {}", quoted(line_.substr(at_)), expected));
  }

  char peek() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    return at_ < line_.size() ? line_[at_] : '\0';
  }

  void expect(char c) {
    if (peek() != c) fail(c == ',' ? "expected ',' or '}'" : "expected ':'");
    ++at_;
  }

  void skip_string() {
    if (at_ >= line_.size() || line_[at_] != '"') fail("expected a name in double quotes");
    for (++at_; at_ < line_.size() && line_[at_] != '"'; ++at_)
      if (line_[at_] == '\\') ++at_;
    if (at_ >= line_.size()) fail("expected a closing double quote");
    ++at_;
  }

  std::string_view skip_value() {
    const std::size_t start = at_;
    std::size_t depth = 0;
    std::array<char, 32> closing{};  // brackets to come, innermost last
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
      } else if (c == '[' || c == '{') {
        if (depth == closing.size()) fail("expected at most 32 nested brackets");
        closing[depth++] = c == '[' ? ']' : '}';
        ++at_;
      } else if (depth > 0 && c == closing[depth - 1]) {
        --depth;
        ++at_;
      } else if (depth > 0 && (c == ',' || c == ':')) {
        ++at_;
      } else {
        skip_word();
      }
    } while (depth > 0);
    return line_.substr(start, at_ - start);
  }

  void skip_word() {
    const std::size_t start = at_;
    at_ = std::min(line_.find_first_of(",:{}[]\" \t", at_), line_.size());
    if (at_ == start) fail("expected a value");
  }

  const LineReader& lines_;
  std::string_view line_;
  std::size_t at_ = 0;
  int members_ = 0;
};

class MooncakeTrace : public TraceReader {
 public:
  explicit MooncakeTrace(const std::string& path) : TraceReader(path) {}

 private:
  void parse(std::string_view line, TraceRow& row) override {
    if (lines_.number() == 1 && line[0] != '{')
      fail_at(lines_, 1,
              fmt::format("{} is no JSON object; expected {{\"timestamp\": 0, \"input_length\": 1, "
                          "\"output_length\": 1}}{}",
                          quoted(line), format_hint(line, Arrivals::TraceFormat::mooncake)));
    TraceField stamp, input, output, blocks, value;
    std::string_view key;
    for (ObjectScanner object(lines_, line); object.next(key, value);) {
      TraceField* wanted = key == "timestamp"       ? &stamp
                           : key == "input_length"  ? &input
                           : key == "output_length" ? &output
                           : key == "hash_ids"      ? &blocks
                                                    : nullptr;
      if (!wanted) continue;
      if (wanted->text.data())
        fail_at(lines_, value.column,
                fmt::format("{} is given twice; expected it once", quoted(key)));
      *wanted = value;
    }
    require(stamp, "timestamp");
    require(input, "input_length");
    require(output, "output_length");
    row.stamp_field = stamp;
    row.stamp = parse_stamp(lines_, stamp, StampKind::milliseconds);
    row.input_tokens = parse_tokens(lines_, input, "input", 1);
    row.output_tokens = parse_tokens(lines_, output, "output", 1);
    row.block_ids.clear();
    if (blocks.text.data()) parse_blocks(blocks, row);
  }

  /// A list of whole numbers, one for each block that the prompt begins; without those at its end,
  /// what stands there is the request's alone.
  void parse_blocks(const TraceField& field, TraceRow& row) const {
    const char* at = field.text.data();
    const char* const end = at + field.text.size();
    const auto expect = [&](bool right, const char* expected) {
      if (right) return;
      fail_at(lines_, field.column + (at - field.text.data()),
              fmt::format("found {} in hash_ids; expected {}",
                          quoted({at, static_cast<std::size_t>(end - at)}), expected));
    };
    const auto skip_space = [&] {
      while (at < end && (*at == ' ' || *at == '\t')) ++at;
    };
    expect(at < end && *at == '[', "a list of whole numbers such as [0, 1]");
    for (++at, skip_space(); at < end && *at != ']'; skip_space()) {
      std::uint64_t id = 0;
      const auto [next, error] = std::from_chars(at, end, id);
      expect(error == std::errc(), "a whole number from 0, below 2^64");
      row.block_ids.push_back(id);
      at = next;
      skip_space();
      expect(at < end && (*at == ',' || *at == ']'), "',' or ']'");
      if (*at == ']') break;
      ++at;
    }
    const std::int64_t most =
        (std::int64_t{row.input_tokens} + kTraceBlockTokens - 1) / kTraceBlockTokens;
    if (static_cast<std::int64_t>(row.block_ids.size()) > most)
      fail_at(lines_, field.column,
              fmt::format("hash_ids has {} ids; expected at most {}, one for each {} tokens of the "
                          "input",
                          row.block_ids.size(), most, kTraceBlockTokens));
  }

  void require(const TraceField& field, const char* key) const {
    if (!field.text.data())
      fail_at(lines_, 1,
              fmt::format("the object has no '{}'; expected timestamp, input_length and "
                          "output_length",
                          key));
  }
};

}  // namespace

std::unique_ptr<TraceReader> open_mooncake_trace(const std::string& path) {
  return std::make_unique<MooncakeTrace>(path);
}

}  // namespace headway
