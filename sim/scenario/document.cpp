#include "sim/scenario/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "sim/scenario/text_scan.hpp"

namespace headway {
namespace {

/// Bytes of a text to lines and columns.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') starts_.push_back(i + 1);
  }

  Position position(std::size_t begin, std::size_t end) const {
    begin = std::min(begin, text_.size());
    const auto line = std::upper_bound(starts_.begin(), starts_.end(), begin) - 1;
    Position at{.begin = begin, .end = std::max(begin, std::min(end, text_.size()))};
    at.line = static_cast<int>(line - starts_.begin()) + 1;
    at.column = column(*line, begin);
    return at;
  }

 private:
  /// Characters from a line's start, from 1. Continues from the last answer where it can: a long
  /// line of many values is read once.
  int column(std::size_t line_start, std::size_t begin) const {
    if (last_line_ != line_start || last_begin_ > begin) {
      last_line_ = last_begin_ = line_start;
      last_column_ = 1;
    }
    for (; last_begin_ < begin; ++last_begin_)
      if ((static_cast<unsigned char>(text_[last_begin_]) & 0xC0U) != 0x80U) ++last_column_;
    return last_column_;
  }

  std::string_view text_;
  std::vector<std::size_t> starts_{0};
  mutable std::size_t last_line_ = 0, last_begin_ = 0;
  mutable int last_column_ = 1;
};

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const Lines& lines) : text_(text), lines_(lines) {}

  Node root;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "a second YAML document; expected one scenario a file");
  }
  void OnDocumentEnd() override {}
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse(mark, "a YAML alias"); }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    refuse(mark, "a YAML anchor");
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    const std::size_t at = byte(mark);
    const bool written =
        at < text_.size() && (text_[at] == '~' || text_[at] == 'n' || text_[at] == 'N');
    if (!written && !frames_.empty() && frames_.back().has_key) {
      node.at = frames_.back().key_at;
    } else {
      node.at = lines_.position(at, at);
    }
    if (expects_key()) refuse_at(node.at, "a key is missing before ':'");
    attach(std::move(node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    const std::size_t begin = byte(mark);
    const char first = begin < text_.size() ? text_[begin] : ' ';
    if (tag != "?" && first != '"' && first != '\'') refuse(mark, "a YAML tag or block scalar");
    Node node;
    node.kind = Node::Kind::scalar;
    node.text = value;
    node.quoted = tag != "?";
    node.at = lines_.position(begin, scalar_end(begin, value, node.quoted));
    if (!node.quoted && text_.substr(begin, value.size()) != value)
      refuse(mark, "a value of several lines; expected it on one line (is a '-' or ':' missing?)");
    if (expects_key()) return begin_entry(std::move(node));
    attach(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, Node::Kind::list);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, Node::Kind::map);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

 private:
  struct Frame {
    Node node;
    bool has_key = false;  // map: a key waits for its value
    std::string key;
    Position key_at;
    std::unordered_map<std::string, int> keys;  // seen, with their line
  };

  static std::size_t byte(const YAML::Mark& mark) {
    return static_cast<std::size_t>(std::max(mark.pos, 0));
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& message) const {
    throw TextFault{byte(mark), message};
  }
  [[noreturn]] static void refuse_at(const Position& at, const std::string& message) {
    throw TextFault{at.begin, message};
  }
  bool expects_key() const {
    return !frames_.empty() && frames_.back().node.kind == Node::Kind::map &&
           !frames_.back().has_key;
  }

  std::size_t scalar_end(std::size_t begin, const std::string& value, bool quoted) const {
    if (!quoted) return begin + value.size();
    const char quote = text_[begin];
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        const bool doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;
        if (!doubled) return i + 1;
        ++i;
      }
    }
    return text_.size();
  }

  void begin_entry(Node key) {
    Frame& frame = frames_.back();
    if (key.text == "<<" && !key.quoted)
      refuse_at(key.at, "'<<' is a YAML merge key, which scenarios do not have");
    const auto [seen, fresh] = frame.keys.emplace(key.text, key.at.line);
    if (!fresh)
      refuse_at(key.at, fmt::format("duplicate key '{}'; it stands on line {} already", key.text,
                                    seen->second));
    frame.has_key = true;
    frame.key = std::move(key.text);
    frame.key_at = key.at;
  }

  void begin(const YAML::Mark& mark, const std::string& tag, Node::Kind kind) {
    if (!tag.empty() && tag != "?") refuse(mark, "a YAML tag");
    if (expects_key()) refuse(mark, "a list or map as a key; expected a word");
    if (frames_.size() >= static_cast<std::size_t>(kMaxNesting))
      refuse(mark, fmt::format("nested more than {} deep", kMaxNesting));
    Frame frame;
    frame.node.kind = kind;
    frame.node.at = lines_.position(byte(mark), byte(mark));
    frames_.push_back(std::move(frame));
  }

  void end() {
    Node node = std::move(frames_.back().node);
    frames_.pop_back();
    node.at.end = collection_end(node);
    attach(std::move(node));
  }

  /// Past the last child, and past the closing bracket of a flow collection.
  std::size_t collection_end(const Node& node) const {
    std::size_t end = node.at.begin;
    if (!node.items.empty()) end = node.items.back().at.end;
    if (!node.entries.empty())
      end = std::max(node.entries.back().key_at.end, node.entries.back().value.at.end);
    const char open = node.at.begin < text_.size() ? text_[node.at.begin] : ' ';
    if (open != '{' && open != '[') return end;
    const char close = open == '{' ? '}' : ']';
    for (std::size_t at = end; at < text_.size(); ++at) {
      if (text_[at] == close) return at + 1;
      if (text_[at] == '#') at = std::min(text_.find('\n', at), text_.size() - 1);
    }
    return end;
  }

  void attach(Node node) {
    if (++nodes_ > kMaxNodes)
      refuse_at(node.at, fmt::format("more than {} values in a scenario", kMaxNodes));
    if (frames_.empty()) {
      root = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == Node::Kind::list) {
      frame.node.items.push_back(std::move(node));
    } else {
      frame.node.entries.push_back({std::move(frame.key), frame.key_at, std::move(node)});
      frame.has_key = false;
    }
  }

  std::string_view text_;
  const Lines& lines_;
  std::vector<Frame> frames_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

/// The tree of a text without byte order mark. Throws TextFault.
Node parse_tree(std::string_view text, const Lines& lines) {
  if (auto fault = scan_text(text)) throw TextFault(*fault);
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, lines);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw TextFault{static_cast<std::size_t>(std::max(error.mark.pos, 0)),
                    fmt::format("not valid YAML: {}", error.msg)};
  }
  return std::move(builder.root);
}

}  // namespace

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry ? &entry->value : nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(key));
}

std::string Document::place(const Position& at) const {
  if (at.override_index >= 0)
    return "--set " + overrides[static_cast<std::size_t>(at.override_index)];
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

void Document::fail(const Position& at, const std::string& message) const {
  throw InputError(place(at) + ": " + message);
}

std::string read_scenario_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw InputError(path + ": a folder; expected a scenario file");
  if (!std::filesystem::exists(path, error)) throw InputError(path + ": no such file");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(path + ": cannot be opened for reading");
  std::string text(kMaxFileBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw InputError(path + ": cannot be read");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

Document parse_document(std::string_view text, const std::string& file) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  const std::size_t skipped = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  text.remove_prefix(skipped);
  Document document{.file = file, .root = {}, .overrides = {}};
  const Lines lines(text);
  if (text.size() > kMaxFileBytes)
    throw InputError(
        fmt::format("{}: over {} bytes; a scenario is a small file", file, kMaxFileBytes));
  try {
    document.root = parse_tree(text, lines);
  } catch (const TextFault& fault) {
    document.fail(lines.position(fault.at, fault.at), fault.message);
  }
  if (document.root.kind == Node::Kind::null)
    throw InputError(file +
                     ":1:1: the file is empty; expected a scenario that starts with "
                     "'headway: 1'");
  if (document.root.kind != Node::Kind::map)
    document.fail(document.root.at, "expected keys with values, 'headway: 1' first");
  return document;
}

Node parse_value(std::string_view text, const std::string& where) {
  const Lines lines(text);
  try {
    return parse_tree(text, lines);
  } catch (const TextFault& fault) {
    throw InputError(where + ": " + fault.message);
  }
}

}  // namespace headway
