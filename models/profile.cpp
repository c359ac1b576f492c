#include "models/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "models/model_error.hpp"

namespace headway {
namespace {

using Json = nlohmann::ordered_json;  // axes in the order of the file

constexpr double kMicroseconds = 1e-6;
constexpr std::int64_t kLargestSize = 1'000'000'000'000;

/// Reads fields of one object; every error names the file and the place.
class Fields {
 public:
  Fields(const Json& json, const std::string& where) : json_(json), where_(where) {
    if (!json.is_object()) fail("an object");
  }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("a key \"{}\"", key));
    return *found;
  }
  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) fail(fmt::format("a text as \"{}\"", key));
    return value.get<std::string>();
  }
  double number(const char* key, double least, double most) const {
    const Json& value = at(key);
    const double number = value.is_number() ? value.get<double>() : least - 1;
    if (!(number >= least && number <= most)) {
      fail(fmt::format("a number from {} to {} as \"{}\"", least, most, key));
    }
    return number;
  }
  const Json& list(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) fail(fmt::format("a list as \"{}\"", key));
    return value;
  }
  const Json& object(const char* key) const {
    const Json& value = at(key);
    if (!value.is_object()) fail(fmt::format("an object as \"{}\"", key));
    return value;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw CatalogError(fmt::format("{}: expected {}", where_, expected));
  }

 private:
  const Json& json_;
  const std::string& where_;
};

/// What a family of an operator has: its axes in order, and the sizes of a row.
struct FamilyForm {
  const char* op;
  std::vector<std::string> axes, sizes;
};

const FamilyForm* form_of(const std::string& op) {
  const std::vector<std::string> heads = {"heads", "kv_heads", "head_dim", "window"};
  const std::vector<std::string> experts = {"hidden", "inner", "experts", "topk",
                                            "expert_parallel"};
  static const std::vector<FamilyForm> kForms = {
      {"gemm", {"m"}, {"n", "k"}},
      {"attention_prefill", {"batch", "length"}, heads},
      {"attention_chunk", {"chunk", "prefix"}, heads},
      {"attention_decode", {"batch", "context"}, heads},
      {"attention_mixed", {"chunk", "batch", "context"}, heads},
      {"norm", {"bytes"}, {}},
      {"activation", {"bytes"}, {}},
      {"rotary", {"bytes"}, {}},
      {"embedding", {"bytes"}, {}},
      {"sampler", {"batch"}, {"width"}},
      {"moe", {"tokens"}, experts},
      {"moe_as_measured", {"tokens"}, experts},
      {"mla_prefill", {"batch", "length"}, {"heads"}},
      {"mla_decode", {"batch", "context"}, {"heads"}},
      {"all_reduce", {"bytes"}, {"gpus"}},
      {"all_gather", {"bytes"}, {"gpus"}},
      {"reduce_scatter", {"bytes"}, {"gpus"}},
      {"all_to_all", {"bytes"}, {"gpus"}},
      {"copy", {"bytes"}, {}}};
  for (const FamilyForm& form : kForms) {
    if (op == form.op) return &form;
  }
  return nullptr;
}

ProfileRow read_row(const Json& json, std::size_t points, const std::string& where) {
  const Fields fields(json, where);
  ProfileRow row;
  for (const auto& [key, value] : json.items()) {
    if (key == "us") continue;
    if (!value.is_number_integer()) fields.fail(fmt::format("a whole number as \"{}\"", key));
    row.shape[key] = value.get<std::int64_t>();
  }
  const Json& times = fields.list("us");
  if (times.size() != points) fields.fail(fmt::format("{} times, not {}", points, times.size()));
  row.seconds.reserve(points);
  for (const Json& time : times) {
    if (time.is_null()) {
      row.seconds.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double us = time.is_number() ? time.get<double>() : 0;
    if (!(us > 0 && us < 1e12)) fields.fail("times above 0 us and below 10^12 us, or null");
    row.seconds.push_back(us * kMicroseconds);
  }
  return row;
}

ProfileFamily read_family(const Json& json, const std::string& file) {
  std::string where = file;
  const Fields named(json, where);
  ProfileFamily family;
  family.op = named.text("op");
  where = fmt::format("{}: family {}", file, family.op.substr(0, 40));
  const Fields fields(json, where);
  std::size_t points = 1;
  for (const auto& [name, values] : fields.object("axes").items()) {
    family.axis_names.push_back(name);
    std::vector<double> axis;
    if (!values.is_array() || values.empty()) fields.fail("a list of numbers an axis");
    for (const Json& value : values) {
      if (!value.is_number()) fields.fail("a list of numbers an axis");
      axis.push_back(value.get<double>());
    }
    points *= axis.size();
    if (!(axis.front() >= 0) || !std::isfinite(axis.back()) ||
        std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) != axis.end()) {
      fields.fail("axes that ascend from 0 or more");
    }
    family.axes.push_back(std::move(axis));
  }
  const FamilyForm* form = form_of(family.op);
  if (form == nullptr) fields.fail("an operator that profiles have");
  if (family.axis_names != form->axes) {
    fields.fail(fmt::format("axes {}", fmt::join(form->axes, ", ")));
  }
  if (points > kLargestProfileBytes) fields.fail("a small grid");
  if (family.grid_of_powers() && (family.axes[0].front() <= 0)) {
    fields.fail("axes above 0");
  }
  for (const Json& row : fields.list("rows")) {
    family.rows.push_back(read_row(row, points, where));
    for (const std::string& size : form->sizes) {
      const OperatorShape& shape = family.rows.back().shape;
      const auto found = shape.find(size);
      const std::int64_t least = size == "window" ? 0 : 1;
      if (found == shape.end() || found->second < least || found->second > kLargestSize) {
        fields.fail(fmt::format("a \"{}\" of at least {} in every row", size, least));
      }
    }
    const std::vector<double>& seconds = family.rows.back().seconds;
    if (std::all_of(seconds.begin(), seconds.end(), [](double t) { return std::isnan(t); })) {
      fields.fail("a measured time in every row");
    }
  }
  return family;
}

std::string micros(double seconds) {
  if (std::isnan(seconds)) return "null";
  const double us = seconds / kMicroseconds;
  return us >= 1000 ? fmt::format("{:.0f}", us) : fmt::format("{:.3g}", us);
}

}  // namespace

TimeGrid ProfileFamily::grid(const std::vector<double>& seconds) const {
  std::vector<Joining> joining(axes.size(), Joining::linear);
  // Work grows with the square of a prompt's length: between lengths by powers.
  if (grid_of_powers()) joining.front() = Joining::power;
  if (op == "attention_prefill" || op == "mla_prefill") joining.back() = Joining::power;
  return TimeGrid(axes, seconds, joining);
}

bool ProfileFamily::grid_of_powers() const {
  return op == "attention_prefill" || op == "mla_prefill" || op == "attention_chunk";
}

const ProfileFamily* Profile::find(std::string_view op) const {
  const auto found = std::find_if(families.begin(), families.end(),
                                  [op](const ProfileFamily& family) { return family.op == op; });
  return found == families.end() ? nullptr : &*found;
}

Profile read_profile(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw CatalogError(fmt::format("{}: cannot be read: {}", path, error.message()));
  if (size > kLargestProfileBytes) {
    throw CatalogError(fmt::format("{}: has {} bytes; expected a profile of at most {}", path, size,
                                   kLargestProfileBytes));
  }
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_profile(text, path);
}

Profile parse_profile(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw CatalogError(where + ": is not JSON; expected a profile");
  const Fields fields(json, where);
  fields.number("headway_profile", 1, 1);
  Profile profile;
  profile.gpu = fields.text("gpu");
  profile.engine = fields.text("engine");
  profile.format = fields.text("format");
  profile.source = fields.text("source");
  profile.date = fields.text("date");
  profile.skew = fields.number("skew", 0, 1);
  for (const Json& entry : fields.list("held_out")) {
    const Fields held(entry, where);
    profile.held_out.push_back({held.text("op"),
                                static_cast<std::int64_t>(held.number("count", 0, 1e9)),
                                held.number("mean", 0, 1e6), held.number("median", 0, 1e6)});
  }
  for (const Json& family : fields.list("families")) {
    profile.families.push_back(read_family(family, where));
  }
  return profile;
}

std::string write_profile(const Profile& profile) {
  const auto quoted = [](const std::string& text) { return Json(text).dump(); };
  std::string out = fmt::format(
      "{{\"headway_profile\": 1,\n\"gpu\": {},\n\"engine\": {},\n\"format\": {},\n\"source\": {},\n"
      "\"date\": {},\n\"skew\": {},\n\"held_out\": [",
      quoted(profile.gpu), quoted(profile.engine), quoted(profile.format), quoted(profile.source),
      quoted(profile.date), profile.skew);
  const char* separator = "\n";
  for (const HeldOutError& error : profile.held_out) {
    out += fmt::format("{}{{\"op\": {}, \"count\": {}, \"mean\": {:.4f}, \"median\": {:.4f}}}",
                       separator, quoted(error.op), error.count, error.mean, error.median);
    separator = ",\n";
  }
  out += "],\n\"families\": [";
  separator = "\n";
  for (const ProfileFamily& family : profile.families) {
    out += fmt::format("{}{{\"op\": {}, \"axes\": {{", separator, quoted(family.op));
    for (std::size_t i = 0; i < family.axes.size(); ++i) {
      out += fmt::format("{}{}: [{}]", i > 0 ? ", " : "", quoted(family.axis_names[i]),
                         fmt::join(family.axes[i], ","));
    }
    out += "}, \"rows\": [";
    const char* row_separator = "\n";
    for (const ProfileRow& row : family.rows) {
      out += row_separator;
      out += "{";
      for (const auto& [name, value] : row.shape) out += fmt::format("{}:{},", quoted(name), value);
      out += "\"us\":[";
      for (std::size_t i = 0; i < row.seconds.size(); ++i) {
        if (i > 0) out += ",";
        out += micros(row.seconds[i]);
      }
      out += "]}";
      row_separator = ",\n";
    }
    out += "]}";
    separator = ",\n";
  }
  out += "]}\n";
  if (out.size() > kLargestProfileBytes) {
    throw ModelError(fmt::format("the profile has {} bytes; expected at most {}", out.size(),
                                 kLargestProfileBytes));
  }
  return out;
}

}  // namespace headway
