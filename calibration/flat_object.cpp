#include "calibration/flat_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/calibration_error.hpp"
#include "models/units.hpp"

namespace headway {

namespace {

using Members = std::vector<std::pair<std::string, FlatObject::Value>>;

// Collects the members; the first thing that is not flat ends the reading.
class Collector : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Collector(Members& members) : members_(members) {}

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(INT64_MAX)) return refuse("a number over 2^63");
    return add(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_object(std::size_t) override {
    if (open_) return refuse("an object");
    open_ = true;
    return true;
  }
  bool key(string_t& value) override {
    key_ = std::move(value);
    for (const auto& [name, unused] : members_)
      if (name == key_) {
        fault = "is there twice; expected each key once";
        return false;
      }
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("a list"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }

  const std::string& current_key() const { return key_; }
  std::size_t position = 0;  // of what is no JSON, from 1
  std::string fault;

 private:
  bool add(FlatObject::Value value) {
    if (!open_) return refuse("a bare value");
    members_.emplace_back(key_, std::move(value));
    return true;
  }
  bool refuse(const std::string& what) {
    fault = fmt::format("has the wrong type ({}); expected a text or a number", what);
    return false;
  }

  Members& members_;
  std::string key_;
  bool open_ = false;
};

}  // namespace

FlatObject::FlatObject(std::string_view line, std::string where, std::int64_t number)
    : line_(line), where_(std::move(where)), number_(number) {
  Collector collector(members_);
  if (nlohmann::json::sax_parse(line.begin(), line.end(), &collector)) return;
  if (!collector.fault.empty() && collector.current_key().empty())
    fail("", "no JSON object; expected one object a line");
  if (!collector.fault.empty())
    fail(collector.current_key(), fmt::format("{} {}", collector.current_key(), collector.fault));
  throw SampleError(fmt::format("{}:{}:{}: no JSON; expected one object a line", where_, number_,
                                std::max<std::size_t>(1, collector.position)));
}

void FlatObject::fail(const std::string& key, const std::string& text) const {
  std::size_t column = 1;
  if (!key.empty()) {
    const std::size_t found = line_.find("\"" + key + "\"");
    if (found != std::string_view::npos) column = found + 1;
  }
  throw SampleError(fmt::format("{}:{}:{}: {}", where_, number_, column, text));
}

const FlatObject::Value* FlatObject::find(const std::string& key) {
  known_.push_back(key);
  for (const auto& [name, value] : members_)
    if (name == key) return &value;
  return nullptr;
}

bool FlatObject::has(const std::string& key) const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const auto& member) { return member.first == key; });
}

std::string FlatObject::get_text(const std::string& key) {
  const Value* value = find(key);
  if (value == nullptr) return "";
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  fail(key, fmt::format("{} is no text; expected one in quotes", key));
}

std::int64_t FlatObject::get_integer(const std::string& key) {
  const Value* value = find(key);
  if (value == nullptr) return 0;
  const auto* number = std::get_if<std::int64_t>(value);
  if (number == nullptr) fail(key, fmt::format("{} is no whole number; expected one", key));
  if (*number < 0) fail(key, fmt::format("{} is negative ({}); expected 0 or more", key, *number));
  return *number;
}

double FlatObject::get_number(const std::string& key) {
  const Value* value = find(key);
  if (value == nullptr) return 0;
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(value))
    number = static_cast<double>(*whole);
  else if (const auto* real = std::get_if<double>(value))
    number = *real;
  else
    fail(key, fmt::format("{} is no number; expected one", key));
  if (!std::isfinite(number) || number < 0)
    fail(key, fmt::format("{} is out of range ({}); expected 0 or more", key, number));
  return number;
}

void FlatObject::finish() const {
  for (const auto& [name, unused] : members_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string nearest = nearest_word(name, known_);
    fail(name, fmt::format("unknown key \"{}\"{}", name,
                           nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
  }
}

}  // namespace headway
