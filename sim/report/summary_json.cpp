#include "sim/report/summary_json.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/report/summary_fields.hpp"
#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

using Json = nlohmann::ordered_json;

template <typename T>
concept Plain = std::is_arithmetic_v<T> || std::is_same_v<T, std::string>;

class Writer {
 public:
  explicit Writer(Json& object) : object_(object) {}

  template <Plain T>
  void operator()(const char* key, T& value) {
    if constexpr (std::is_floating_point_v<T>)
      object_[key] = std::isfinite(value) ? Json(value) : Json(nullptr);
    else
      object_[key] = value;
  }
  void operator()(const char* key, std::optional<double>& value) {
    object_[key] = value ? Json(*value) : Json(nullptr);
  }
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    object_[key] = nullptr;
    if (value) (*this)(key, *value);
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& list) {
    Json array = Json::array();
    for (T& item : list) {
      if constexpr (Plain<T>) {
        array.push_back(item);
      } else {
        Json object = Json::object();
        Writer writer(object);
        fields(writer, item);
        array.push_back(std::move(object));
      }
    }
    object_[key] = std::move(array);
  }
  template <typename T>
  requires(!Plain<T>) void operator()(const char* key, T& value) {
    Json object = Json::object();
    Writer writer(object);
    fields(writer, value);
    object_[key] = std::move(object);
  }
  template <typename Enum>
  void word(const char* key, Enum& value, const char* (*name)(Enum), std::initializer_list<Enum>) {
    object_[key] = name(value);
  }

 private:
  Json& object_;
};

class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) {}

  template <Plain T>
  void operator()(const char* key, T& value) {
    const Json& found = object_.at(key);
    if constexpr (std::is_same_v<T, bool>) {
      value = found.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      if (!found.is_number_integer())
        throw std::runtime_error(std::string(key) + " is not a whole number");
      value = found.get<T>();
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!found.is_number()) throw std::runtime_error(std::string(key) + " is not a number");
      value = found.get<T>();
    } else {
      value = found.get<T>();
    }
  }
  void operator()(const char* key, std::optional<double>& value) {
    const Json& found = object_.at(key);
    if (!found.is_null()) value = found.get<double>();
  }
  /// A block that a result may lack: null, or not there.
  template <typename T>
  void operator()(const char* key, std::optional<T>& value) {
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) (*this)(key, value.emplace());
  }
  template <typename T>
  void operator()(const char* key, std::vector<T>& list) {
    for (const Json& item : object_.at(key)) {
      T value{};
      if constexpr (Plain<T>) {
        value = item.get<T>();
      } else {
        Reader reader(item);
        fields(reader, value);
      }
      list.push_back(std::move(value));
    }
  }
  template <typename T>
  requires(!Plain<T>) void operator()(const char* key, T& value) {
    Reader reader(object_.at(key));
    fields(reader, value);
  }
  template <typename Enum>
  void word(const char* key, Enum& value, const char* (*name)(Enum),
            std::initializer_list<Enum> all) {
    const auto text = object_.at(key).get<std::string>();
    for (const Enum one : all) {
      if (text != name(one)) continue;
      value = one;
      return;
    }
    throw std::runtime_error("unknown " + std::string(key) + " \"" + text + "\"");
  }

 private:
  const Json& object_;
};

double per_second(std::int64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

double hit_rate(const Counts& counts) {
  return counts.input_tokens > 0 ? static_cast<double>(counts.prefix_hit_tokens) /
                                       static_cast<double>(counts.input_tokens)
                                 : 0;
}

void put_latency(Json& json, const std::string& name, const Figures& figures) {
  const bool shown = figures.count > 0 && !figures.unstable;
  const auto milliseconds = [&](const Figure& figure) {
    return shown ? Json(figure.value * 1e3) : Json(nullptr);
  };
  json["mean_" + name + "_ms"] = milliseconds(figures.mean);
  json["median_" + name + "_ms"] = milliseconds(figures.p50);
  json["p90_" + name + "_ms"] = milliseconds(figures.p90);
  json["p95_" + name + "_ms"] = milliseconds(figures.p95);
  json["p99_" + name + "_ms"] = milliseconds(figures.p99);
}

// The keys of `vllm bench serve --save-result`.
void put_load_generator_keys(Json& json, const Summary& summary) {
  const double duration = summary.makespan_seconds;
  const Counts& counts = summary.counts;
  json["duration"] = duration;
  json["completed"] = counts.completed;
  json["total_input_tokens"] = counts.input_tokens;
  json["total_output_tokens"] = counts.output_tokens;
  json["prefix_cache_hit_rate"] = hit_rate(counts);
  json["request_throughput"] = per_second(counts.completed, duration);
  if (summary.slo_given) json["request_goodput"] = summary.goodput_per_second;
  json["output_throughput"] = per_second(counts.output_tokens, duration);
  json["total_token_throughput"] = per_second(counts.input_tokens + counts.output_tokens, duration);
  put_latency(json, "ttft", summary.latencies.ttft_from_sent);
  put_latency(json, "tpot", summary.latencies.tpot);
  put_latency(json, "itl", summary.itl);
  put_latency(json, "e2el", summary.latencies.e2e_from_sent);
}

/// The member of an object, or null. Not copied: copies of values that nest deeply take up the
/// stack.
const Json& member(const Json& json, const char* key) {
  static const Json none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

}  // namespace

std::string summary_json(const Report& report) {
  Json json = Json::object();
  json["format"] = kSummaryFormat;
  json["version"] = kSummaryVersion;
  put_load_generator_keys(json, report.summary);
  Report copy = report;  // the description of the fields is one for reading and writing
  Writer writer(json);
  fields(writer, copy);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Report parse_summary(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (member(json, "format") != kSummaryFormat)
    throw InputError(where + ": not a result of headway; expected JSON with \"format\": \"" +
                     kSummaryFormat + "\"");
  const Json& version = member(json, "version");
  if (version != kSummaryVersion)
    throw InputError(where + ": a " + kSummaryFormat + " of version " +
                     (version.is_number() ? version.dump() : "unknown") +
                     "; this headway reads version " + std::to_string(kSummaryVersion));
  Report report;
  try {
    Reader reader(json);
    fields(reader, report);
  } catch (const std::exception& error) {
    throw InputError(where + ": a damaged " + kSummaryFormat + ": " + error.what());
  }
  return report;
}

Report read_summary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw InputError(path + ": cannot be read");
  return parse_summary(text.str(), path);
}

}  // namespace headway
