#include "sim/validation/bench_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/catalog.hpp"
#include "models/units.hpp"
#include "sim/scenario/input_error.hpp"
#include "sim/validation/catalogue_match.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uintmax_t kMostBytes = 512u << 20;  // detailed results of millions of requests
constexpr double kMostTokens = 1e12, kMostMilliseconds = 1e9;
constexpr std::int64_t kMostRequests = 10'000'000;

std::string read_text(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(path + ": a folder; expected a result of vllm bench serve");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  if (fs::file_size(path, error) > kMostBytes && !error)
    throw InputError(path + ": over 512 MiB; expected a result of vllm bench serve");
  return {std::istreambuf_iterator<char>(file), {}};
}

Json parse(const std::string& path, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const std::size_t start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    throw InputError(
        fmt::format("{}:{}:{}: no JSON; expected one result of vllm bench serve "
                    "--save-result",
                    path, line + 1, at - (start == std::string::npos ? 0 : start + 1) + 1));
  } catch (const Json::exception&) {
    throw InputError(path + ": a number is too large; expected figures of a result");
  }
}

/// The file's object, read by key.
class Result {
 public:
  explicit Result(const std::string& path) : path_(path), json_(parse(path, read_text(path))) {
    if (!json_.is_object())
      throw InputError(path + ":1:1: no object; expected one result of vllm bench serve");
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", path_, key, what));
  }

  /// Absent or null.
  bool lacks(const char* key) const {
    const auto found = json_.find(key);
    return found == json_.end() || found->is_null();
  }

  double number(const char* key, double low, double high) const {
    const Json& value = require(key);
    if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high))
      fail(key, fmt::format("is {}; expected a number from {} to {}", shown(value), low, high));
    return value.get<double>();
  }

  std::int64_t whole(const char* key, std::int64_t low, std::int64_t high) const {
    const double value = number(key, static_cast<double>(low), static_cast<double>(high));
    if (value != std::floor(value))
      fail(key, fmt::format("is {}; expected a whole number", shown(json_[key])));
    return static_cast<std::int64_t>(value);
  }

  std::string text(const char* key) const {
    const Json& value = require(key);
    if (!value.is_string()) fail(key, fmt::format("is {}; expected a text", shown(value)));
    return value.get<std::string>();
  }

  /// Requests per second; nothing for "inf", which vLLM writes as a text, and for null.
  std::optional<double> rate() const {
    constexpr const char* kKey = "request_rate";
    if (!json_.contains(kKey)) require(kKey);
    const Json& value = json_[kKey];
    if (value.is_null() || (value.is_string() && value.get<std::string>() == "inf"))
      return std::nullopt;
    if (!value.is_number() || !(value.get<double>() >= 1e-6 && value.get<double>() <= 1e6))
      fail(kKey, fmt::format("is {}; expected requests per second, or \"inf\"", shown(value)));
    return value.get<double>();
  }

  /// Token counts of every request; empty where the file has none.
  std::vector<std::int32_t> lengths(const char* key, std::int64_t requests) const {
    std::vector<std::int32_t> all;
    if (lacks(key)) return all;
    const Json& list = json_[key];
    if (!list.is_array() || static_cast<std::int64_t>(list.size()) != requests)
      fail(key, fmt::format("has {} entries; expected {}, one a request",
                            list.is_array() ? list.size() : 0, requests));
    for (const Json& one : list) {
      if (!one.is_number_integer() || one.get<double>() < 1 || one.get<double>() > 1e7)
        fail(key,
             fmt::format("holds {}; expected numbers of tokens from 1 to 10000000", shown(one)));
      all.push_back(one.get<std::int32_t>());
    }
    return all;
  }

 private:
  const Json& require(const char* key) const {
    if (!lacks(key)) return json_[key];
    std::vector<std::string> keys;
    for (const auto& [name, value] : json_.items()) keys.push_back(name);
    const std::string near = nearest_word(key, keys);
    fail(key,
         fmt::format("is missing; expected a result of vllm bench serve --save-result{}",
                     near.empty() ? "" : fmt::format("; is {} meant?", headway::quoted(near))));
  }

  static std::string shown(const Json& value) {
    return headway::quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  std::string path_;
  Json json_;
};

/// The file's name without its ending, of the letters that a row's id may have.
std::string id_of(const std::string& path) {
  std::string id = fs::path(path).stem().string().substr(0, 100);
  for (char& c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '-' && c != '_' && c != '.') c = '-';
  }
  return id.empty() || id.front() == '.' ? "result" + id : id;
}

void take_setup(const std::string& path, const Result& result, const BenchSetup& setup,
                MeasuredRow& row) {
  const auto need = [&](const std::string& given, const char* option) {
    if (given.empty())
      throw InputError(
          fmt::format("{}: a result of vllm bench serve does not say all of the run; "
                      "expected {}",
                      path, option));
  };
  need(setup.engine, "--engine");
  need(setup.gpu, "--gpu");
  row.engine = "vllm";
  row.engine_entry = setup.engine;
  row.gpu = setup.gpu;
  row.precision = setup.precision;
  row.tensor = setup.tensor;
  row.max_num_seqs = setup.max_num_seqs;
  row.max_num_batched_tokens = setup.max_num_batched_tokens;
  row.model = setup.model;
  if (row.model.empty()) {
    const std::string id = result.text("model_id");
    row.model = id.substr(id.find_last_of('/') + 1);
    if (catalogue_model(row.model).empty())
      result.fail("model_id",
                  fmt::format("the catalogue has no model {}; expected --model with one "
                              "that it has, or a path to a config.json",
                              headway::quoted(id)));
  }
}

void take_load(const Result& result, bool repeated, MeasuredRow& row) {
  const std::int64_t failed = row.requests - result.whole("completed", 0, kMostRequests);
  if (failed != 0)
    result.fail("completed", fmt::format("{} of {} requests failed; expected a run that answered "
                                         "all of them",
                                         failed, row.requests));
  if (!result.lacks("ramp_up_strategy"))
    result.fail("ramp_up_strategy", "the rate changed; expected a run at one rate");
  const auto rate = result.rate();
  const std::int64_t cap =
      result.lacks("max_concurrency") ? 0 : result.whole("max_concurrency", 1, 1'000'000);
  row.concurrency = cap;
  if (rate) {
    row.loop = Loop::open_constant;
    row.rate = *rate;
    const double burstiness =
        result.lacks("burstiness") ? 1 : result.number("burstiness", 1e-3, 1e9);
    row.interval_cv = 1 / std::sqrt(burstiness);
  } else {
    row.loop = cap > 0 ? Loop::closed : Loop::all_at_once;
  }
  row.repeated = repeated;
  if (repeated && !rate)
    result.fail("request_rate", "no rate; expected one of a result of repeated prompts");
}

void take_figures(const Result& result, MeasuredRow& row) {
  using enum Measure;
  const auto latency = [&](Measure measure, const char* key) {
    if (!result.lacks(key) && result.number(key, 0, kMostMilliseconds) > 0)
      row.measured[measure] = result.number(key, 0, kMostMilliseconds);
  };
  row.measured[ttft_mean] = result.number("mean_ttft_ms", 1e-6, kMostMilliseconds);
  latency(ttft_p50, "median_ttft_ms");
  latency(ttft_p90, "p90_ttft_ms");
  latency(ttft_p99, "p99_ttft_ms");
  if (row.output_tokens > 1)
    row.measured[tpot_mean] = result.number("mean_tpot_ms", 1e-6, kMostMilliseconds);
  latency(e2e_mean, "mean_e2el_ms");
  latency(e2e_p50, "median_e2el_ms");
  latency(e2e_p90, "p90_e2el_ms");
  latency(e2e_p99, "p99_e2el_ms");
  const double seconds = result.number("duration", 1e-6, 1e9);
  const auto count = static_cast<double>(row.requests);
  row.measured[Measure::requests] = count / seconds;
  row.measured[Measure::output_tokens] = count * row.output_tokens / seconds;
  row.measured[total_tokens] = count * (row.input_tokens + row.output_tokens) / seconds;
}

}  // namespace

MeasuredRow read_bench_json(const std::string& path, const BenchSetup& setup) {
  const Result result(path);
  MeasuredRow row;
  row.where = path;
  row.id = id_of(path);
  row.group = "vllm-bench";
  row.source = fmt::format("vllm bench serve, {}", fs::path(path).filename().string());
  take_setup(path, result, setup, row);
  row.requests = result.whole("num_prompts", 1, kMostRequests);
  take_load(result, setup.repeated, row);
  const auto requests = static_cast<double>(row.requests);
  row.input_tokens = result.number("total_input_tokens", requests, kMostTokens) / requests;
  row.output_tokens = result.number("total_output_tokens", requests, kMostTokens) / requests;
  row.input_lengths = result.lengths("input_lens", row.requests);
  row.output_lengths = result.lengths("output_lens", row.requests);
  take_figures(result, row);
  return row;
}

}  // namespace headway
