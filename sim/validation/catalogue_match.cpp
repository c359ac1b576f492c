#include "sim/validation/catalogue_match.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "models/catalog.hpp"

namespace headway {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Names in lower case that differ from the catalogue's by more than a suffix. Qwen2 and Qwen2.5 of
/// 7B, and Llama 3 and 3.1 of 8B, have the same shapes, as have versions of Mistral 7B.
constexpr std::pair<const char*, const char*> kModels[] = {
    {"llama v3.1 8b", "llama-3.1-8b"},    {"meta-llama-3-8b", "llama-3.1-8b"},
    {"mistral 7b", "mistral-7b-v0.3"},    {"mistral-7b-v0.1", "mistral-7b-v0.3"},
    {"llama2-70b", "llama-2-70b"},        {"qwen2-7b", "qwen2.5-7b"},
    {"mixtral-8x7b-v0.1", "mixtral-8x7b"}};

constexpr std::pair<const char*, const char*> kGpus[] = {{"rtxpro6000", "rtx-pro-6000-96gb"},
                                                         {"h200-141gb", "h200-sxm-141gb"},
                                                         {"h200-sxm", "h200-sxm-141gb"},
                                                         {"h100-80gb", "h100-sxm-80gb"},
                                                         {"h100-sxm", "h100-sxm-80gb"},
                                                         {"b200-sxm", "b200-sxm-180gb"},
                                                         {"l40s", "l40s-48gb"},
                                                         {"a100-sxm4-80gb", "a100-sxm-80gb"},
                                                         {"a100-80gb", "a100-sxm-80gb"}};

/// "0.15.1" as 15.1 steps of minor versions: major · 1000 + minor + patch / 1000.
std::optional<double> version_number(std::string_view text) {
  double value = 0;
  for (const double scale : {1000., 1., 0.001}) {
    int part = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), part);
    if (error != std::errc() || part < 0 || part > 999) {
      if (scale == 1000.) return std::nullopt;
      break;
    }
    value += part * scale;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty() || text.front() != '.') break;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

std::string catalogue_model(const std::string& name) {
  if (name.ends_with(".json")) return name;
  std::string known = lower(name);
  for (const auto& [written, entry] : kModels)
    if (known == written) return entry;
  for (const char* suffix : {"-hf", "-instruct"})
    if (known.ends_with(suffix)) known.resize(known.size() - std::string_view(suffix).size());
  return contains(model_names(), known) ? known : "";
}

std::string catalogue_gpu(const std::string& name) {
  const std::string known = lower(name);
  for (const auto& [written, entry] : kGpus)
    if (known == written) return entry;
  try {
    return load_gpu(known).name;
  } catch (const CatalogError&) {
    return "";
  }
}

std::string nearest_engine(const std::string& engine, const std::string& version,
                           const std::vector<std::string>& entries) {
  const std::optional<double> wanted = version_number(version);
  std::string best;
  double best_distance = 0, best_version = 0;
  for (const std::string& entry : entries) {
    const std::string start = engine + "-";
    if (!entry.starts_with(start)) continue;
    const std::optional<double> has = version_number(std::string_view(entry).substr(start.size()));
    if (!has) continue;
    const double distance = wanted ? std::fabs(*has - *wanted) : *has;
    if (best.empty() || distance < best_distance ||
        (distance == best_distance && *has > best_version)) {
      best = entry;
      best_distance = distance;
      best_version = *has;
    }
  }
  return best;
}

std::optional<NumberFormat> weight_format(const std::string& precision, const std::string& model) {
  const std::string name = lower(precision);
  if (name == "fp4" && model.starts_with("gpt-oss")) return NumberFormat::mxfp4;
  return parse_number_format(name);
}

}  // namespace headway
