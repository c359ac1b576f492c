#include "sim/validation/engine_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "sim/validation/csv_table.hpp"
#include "sim/workload/trace_field.hpp"

namespace headway {
namespace {

constexpr double kMostSeconds = 1e12, kMostTokens = 1e8;

double number_of(const LineReader& lines, const nlohmann::json& object, const char* key,
                 double most) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number())
    fail_at(lines, 1, fmt::format("no number {}; expected one request a line with it", key));
  const double value = found->get<double>();
  if (!(value >= 0 && value <= most))
    fail_at(lines, 1, fmt::format("{} is {}; expected 0 to {}", key, value, most));
  return value;
}

/// "bench-17" is number 17.
std::int64_t number_in_name(const LineReader& lines, const nlohmann::json& object) {
  const auto found = object.find("request_id");
  const std::string name =
      found != object.end() && found->is_string() ? found->get<std::string>() : "";
  std::size_t start = name.size();
  while (start > 0 && std::isdigit(static_cast<unsigned char>(name[start - 1])) != 0) --start;
  if (start == name.size() || name.size() - start > 9)
    fail_at(lines, 1,
            fmt::format("request_id is {}; expected a name that ends with its number",
                        headway::quoted(name)));
  return std::atoll(name.c_str() + start);
}

LoggedRequest request_of(const LineReader& lines, std::string_view line) {
  const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_object()) fail_at(lines, 1, "no JSON object; expected one request a line");
  LoggedRequest request;
  request.number = number_in_name(lines, object);
  request.input_tokens = std::llround(number_of(lines, object, "input_toks", kMostTokens));
  request.output_tokens = std::llround(number_of(lines, object, "output_toks", kMostTokens));
  request.queued = number_of(lines, object, "queued_ts", kMostSeconds);
  request.scheduled = number_of(lines, object, "scheduled_ts", kMostSeconds);
  request.first_token = number_of(lines, object, "first_token_ts", kMostSeconds);
  request.last_token = number_of(lines, object, "last_token_ts", kMostSeconds);
  if (!(request.queued <= request.scheduled && request.scheduled <= request.first_token &&
        request.first_token <= request.last_token))
    fail_at(lines, 1,
            "stamps out of order; expected queued_ts ≤ scheduled_ts ≤ first_token_ts ≤ "
            "last_token_ts");
  return request;
}

}  // namespace

std::vector<LoggedRequest> read_request_log(const std::string& path) {
  LineReader lines(path, "an engine's log of requests (JSON lines)");
  std::vector<LoggedRequest> requests;
  std::string_view line;
  while (lines.next(line))
    if (!line.empty()) requests.push_back(request_of(lines, line));
  std::sort(requests.begin(), requests.end(),
            [](const LoggedRequest& a, const LoggedRequest& b) { return a.number < b.number; });
  for (std::size_t i = 0; i < requests.size(); ++i)
    if (requests[i].number != static_cast<std::int64_t>(i))
      fail_at(lines, 1, fmt::format("request number {} is missing or stands twice", i));
  return requests;
}

std::vector<LoggedState> read_state_log(const std::string& path) {
  CsvTable table(path, "an engine's log of its state (CSV)",
                 {"t", "prompt_throughput", "gen_throughput", "running", "waiting", "kv_cache_pct"},
                 {"t", "running", "waiting", "kv_cache_pct"});
  constexpr double kPerCent = 100;
  std::vector<LoggedState> states;
  while (table.next()) {
    LoggedState& state = states.emplace_back();
    state.seconds = table.number("t", 0, kMostSeconds).value_or(0);
    state.running = table.number("running", 0, kMostTokens).value_or(0);
    state.waiting = table.number("waiting", 0, kMostTokens).value_or(0);
    state.kv_share = table.number("kv_cache_pct", 0, kPerCent).value_or(0) / kPerCent;
  }
  return states;
}

double first_arrival_seconds(const std::string& path) {
  CsvTable table(path, "a request log (CSV)", {"input_toks", "output_toks", "arrival_time_ns"},
                 {"arrival_time_ns"});
  constexpr double kNanosecond = 1e-9, kMostNanoseconds = 1e19;
  if (!table.next()) table.fail("arrival_time_ns", "no request; expected at least one");
  return kNanosecond * table.number("arrival_time_ns", 0, kMostNanoseconds).value_or(0);
}

}  // namespace headway
