#include "models/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/model_error.hpp"

namespace headway {
namespace {

constexpr double kMicroseconds = 1e-6;

std::string micros(double seconds) {
  if (std::isnan(seconds)) return "null";
  const double us = seconds / kMicroseconds;
  return us >= 999.5 ? fmt::format("{:.0f}", us) : fmt::format("{:.3g}", us);
}

}  // namespace

TimeGrid ProfileFamily::grid(const std::vector<double>& seconds) const {
  std::vector<Joining> each;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) each.push_back(joining(axis));
  return TimeGrid(axes, seconds, each);
}

Joining ProfileFamily::joining(std::size_t axis) const {
  if (op == "gemm") return Joining::tiles;
  const bool prompts = op == "attention_prefill" || op == "mla_prefill";
  return prompts || (op == "attention_chunk" && axis == 0) ? Joining::power : Joining::linear;
}

bool profile_is_for(std::string_view profile_gpu, std::string_view gpu) {
  return gpu.starts_with(profile_gpu) &&
         (gpu.size() == profile_gpu.size() || gpu[profile_gpu.size()] == '-');
}

const ProfileFamily* Profile::find(std::string_view op) const {
  const auto found = std::find_if(families.begin(), families.end(),
                                  [op](const ProfileFamily& family) { return family.op == op; });
  return found == families.end() ? nullptr : &*found;
}

std::string write_profile(const Profile& profile) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::vector<std::string> operators;
  for (const ProfileFamily& family : profile.families) operators.push_back(quoted(family.op));
  std::string out = fmt::format(
      "{{\"headway_profile\": 1,\n\"gpu\": {},\n\"engine\": {},\n\"format\": {},\n\"source\": {},\n"
      "\"date\": {},\n\"skew\": {},\n{}\"operators\": [{}],\n\"held_out\": [",
      quoted(profile.gpu), quoted(profile.engine), quoted(profile.format), quoted(profile.source),
      quoted(profile.date), profile.skew,
      profile.unsplit > 0 ? fmt::format("\"unsplit\": {},\n", profile.unsplit) : "",
      fmt::join(operators, ", "));
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
