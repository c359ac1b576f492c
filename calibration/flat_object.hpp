// One line of a samples file: a JSON object of texts and numbers, without objects inside.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headway {

/// The keys and values of a line in their order. Each get_… marks its key as known; finish() then
/// refuses what nobody asked for.
class FlatObject {
 public:
  using Value = std::variant<std::string, std::int64_t, double>;

  /// Throws SampleError "where:number:column: …" for text that is not one JSON object of texts and
  /// numbers, or that has a key twice.
  FlatObject(std::string_view line, std::string where, std::int64_t number);

  /// The text of that key, or "" if it is not there. Throws SampleError if it is no text.
  std::string get_text(const std::string& key);
  /// The number, or 0 if it is not there. Throws SampleError if it is no number, not whole where it
  /// must be, or negative.
  std::int64_t get_integer(const std::string& key);
  double get_number(const std::string& key);
  bool has(const std::string& key) const;

  /// Throws SampleError for the first key that was not asked for, with the nearest of those that
  /// were.
  void finish() const;

  /// Throws SampleError at the key's position in the line; at the line's start where it has none.
  [[noreturn]] void fail(const std::string& key, const std::string& text) const;

 private:
  const Value* find(const std::string& key);

  std::string_view line_;
  std::string where_;
  std::int64_t number_;
  std::vector<std::pair<std::string, Value>> members_;
  std::vector<std::string> known_;
};

}  // namespace headway
