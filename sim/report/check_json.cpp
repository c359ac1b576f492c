#include "sim/report/check_json.hpp"

#include <nlohmann/json.hpp>

#include "sim/scenario/input_error.hpp"

namespace headway {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string check_json(const CheckReport& report) {
  Json json = {{"format", kCheckFormat}, {"version", kCheckVersion}, {"scenario", report.scenario}};
  json["offered_requests_per_second"] =
      report.offered_per_second ? Json(*report.offered_per_second) : Json(nullptr);
  json["bound_requests_per_second"] = report.bound_per_second;
  json["pools"] = Json::array();
  for (const CheckReport::PoolBound& pool : report.pools)
    json["pools"].push_back({{"name", pool.name},
                             {"bound_requests_per_second", pool.requests_per_second},
                             {"limited_by", pool.limited_by},
                             {"replicas_least", pool.replicas_least},
                             {"replicas_most", pool.replicas_most}});
  json["warnings"] = report.warnings;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

CheckReport parse_check(std::string_view text, const std::string& where) {
  CheckReport report;
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<std::string>() != kCheckFormat)
      throw std::runtime_error("another format");
    if (json.at("version").get<int>() != kCheckVersion)
      throw std::runtime_error("version " + json.at("version").dump());
    report.scenario = json.at("scenario").get<std::string>();
    if (const Json& offered = json.at("offered_requests_per_second"); !offered.is_null())
      report.offered_per_second = offered.get<double>();
    report.bound_per_second = json.at("bound_requests_per_second").get<double>();
    for (const Json& pool : json.at("pools"))
      report.pools.push_back(
          {pool.at("name").get<std::string>(), pool.at("bound_requests_per_second").get<double>(),
           pool.at("limited_by").get<std::string>(), pool.at("replicas_least").get<std::int32_t>(),
           pool.at("replicas_most").get<std::int32_t>()});
    report.warnings = json.at("warnings").get<std::vector<std::string>>();
  } catch (const std::exception& error) {
    throw InputError(where + ": not what this headway's check --json prints: " + error.what() +
                     "; expected " + kCheckFormat + " version " + std::to_string(kCheckVersion));
  }
  return report;
}

}  // namespace headway
