#include "sim/report/run_protocol.hpp"

#include <nlohmann/json.hpp>

namespace headway {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "headway.run";
constexpr int kVersion = 1;

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string hello_line() {
  return line_of({{"format", kFormat}, {"version", kVersion}});
}

std::string progress_line(const ChildProgress& progress) {
  return line_of({{"progress", progress.fraction},
                  {"simulated_seconds", progress.simulated_seconds},
                  {"offered", progress.offered},
                  {"done", progress.departed}});
}

std::string result_line(const std::string& summary_json) {
  return line_of({{"result", summary_json}});
}

std::string error_line(const std::string& text, bool wrong_input) {
  return line_of({{"error", text}, {"exit_code", wrong_input ? 2 : 3}});
}

RunMessage parse_run_line(std::string_view line) {
  RunMessage message;
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return message;
  try {
    if (json.contains("format")) {
      if (json.at("format") == kFormat) message.version = json.at("version").get<int>();
    } else if (json.contains("progress")) {
      message.progress = ChildProgress{
          json.at("progress").get<double>(), json.at("simulated_seconds").get<double>(),
          json.at("offered").get<std::int64_t>(), json.at("done").get<std::int64_t>()};
    } else if (json.contains("result")) {
      message.result = json.at("result").get<std::string>();
    } else if (json.contains("error")) {
      message.error = {json.at("error").get<std::string>(), json.at("exit_code") == 2};
    }
  } catch (const Json::exception&) {
    return {};
  }
  return message;
}

}  // namespace headway
