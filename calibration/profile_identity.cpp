#include "calibration/profile_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "calibration/calibration_error.hpp"
#include "models/catalog.hpp"
#include "models/profile.hpp"

namespace headway {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_of_name(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '+' || c == '-';
}

bool is_engine(const std::string& text) {
  const std::size_t dash = text.rfind('-');
  return dash != std::string::npos && dash + 1 < text.size() && is_letter(text.front()) &&
         is_digit(text[dash + 1]) && std::all_of(text.begin(), text.end(), is_of_name);
}

bool is_day(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == '0' ? !is_digit(text[i]) : text[i] != kForm[i]) return false;
  const auto part = [&text](std::size_t at, std::size_t size) {
    return std::atoi(text.substr(at, size).c_str());
  };
  return std::chrono::year_month_day(std::chrono::year(part(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(part(8, 2))))
      .ok();
}

/// The catalogue's name of a GPU that an option gives.
std::string catalogue_name(const std::string& asked) {
  try {
    return load_gpu(asked).name;
  } catch (const CatalogError& error) {
    throw CatalogError(fmt::format("--gpu: {}", error.what()));
  }
}

}  // namespace

std::string measured_gpu(const std::vector<std::string>& paths,
                         const std::vector<SampleFile>& files) {
  const std::string& gpu = files.front().header.gpu;
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].header.gpu != gpu)
      throw SampleError(fmt::format("{} is of {}, {} of {}; expected samples of one GPU",
                                    paths.front(), gpu, paths[i], files[i].header.gpu));
  return gpu;
}

std::string profile_gpu(const std::string& asked, const std::string& measured) {
  if (asked == measured) return asked;
  if (asked != "cpu") {
    const std::string name = catalogue_name(asked);
    if (profile_is_for(asked, measured)) return asked;
    if (name == measured) return name;
  }
  throw SampleError(
      fmt::format("--gpu {}: the samples are of {}; expected that, or what its name starts with",
                  asked, measured));
}

std::string profile_engine(const std::string& asked) {
  std::string engine = asked;
  if (const std::size_t space = engine.rfind(' '); space != std::string::npos) engine[space] = '-';
  if (!is_engine(engine))
    throw SampleError(fmt::format(
        "--engine {}: no engine with its version; expected NAME-VERSION such as vllm-0.19.0",
        asked));
  return engine;
}

std::string profile_date(const std::string& asked) {
  if (!asked.empty() && !is_day(asked))
    throw SampleError(
        fmt::format("--date {}: no day of the calendar; expected one such as 2026-11-30", asked));
  return asked;
}

}  // namespace headway
