#include "models/quantization_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace headway {
namespace {

using Json = nlohmann::json;

/// The text under a key, at most 60 characters in lower case; empty where there is none.
std::string word(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_string()) return "";
  std::string text = found->get<std::string>().substr(0, 60);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The whole number under a key; 0 where there is none.
std::int64_t count(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number_integer()) return 0;
  return found->get<std::int64_t>();
}

/// AWQ and GPTQ: weights of few bits beside 16-bit activations.
void weight_only(const Json& config, CheckpointFormat& format) {
  std::int64_t bits = count(config, "bits");
  if (bits == 0) bits = count(config, "w_bit");
  if (bits != 4 && bits != 8) {
    format.unknown = fmt::format("{} of {} bits; expected 4 or 8", format.method, bits);
    return;
  }
  format.weights = bits == 4 ? NumberFormat::int4 : NumberFormat::int8;
  format.activations = NumberFormat::bf16;
}

/// One scheme of compressed-tensors: {"num_bits": 8, "type": "float", …}.
std::optional<NumberFormat> scheme(const Json& of) {
  const std::int64_t bits = count(of, "num_bits");
  const bool real = word(of, "type") == "float";
  if (bits == 8) return real ? NumberFormat::fp8 : NumberFormat::int8;
  if (bits == 4 && !real) return NumberFormat::int4;
  if (bits == 4) return count(of, "group_size") == 32 ? NumberFormat::mxfp4 : NumberFormat::fp4;
  return std::nullopt;
}

/// The first group of layers stands for all: others are the few that are kept finer.
void compressed_tensors(const Json& config, CheckpointFormat& format) {
  const auto sparse = config.find("sparsity_config");
  if (sparse != config.end() && word(*sparse, "sparsity_structure") == "2:4")
    format.sparsity = Sparsity::two_of_four;
  const auto groups = config.find("config_groups");
  const bool none = groups == config.end() || (groups->is_object() && groups->empty());
  if (none && format.sparsity != Sparsity::none) return;  // sparse, and not quantised
  if (groups == config.end() || !groups->is_object() || groups->empty() ||
      !groups->begin()->is_object() || !groups->begin()->contains("weights")) {
    format.unknown = "compressed-tensors without weights in its config_groups";
    return;
  }
  const Json& group = groups->begin().value();
  const auto weights = scheme(group["weights"]);
  if (!weights) {
    format.unknown = fmt::format("compressed-tensors with weights of {} bits; expected 4 or 8",
                                 count(group["weights"], "num_bits"));
    return;
  }
  format.weights = *weights;
  const auto inputs = group.find("input_activations");
  const bool quantised = inputs != group.end() && inputs->is_object();
  format.activations = quantised ? scheme(*inputs) : NumberFormat::bf16;
  const auto cache = config.find("kv_cache_scheme");
  if (cache != config.end() && cache->is_object() && count(*cache, "num_bits") == 8)
    format.kv = scheme(*cache);
}

void modelopt(const Json& config, CheckpointFormat& format) {
  const auto nested = config.find("quantization");
  const Json& given = nested != config.end() && nested->is_object() ? *nested : config;
  const std::string algorithm = word(given, "quant_algo");
  if (algorithm == "fp8" || algorithm == "fp8_pb_wo" || algorithm == "fp8_per_channel_per_token") {
    format.weights = NumberFormat::fp8;
  } else if (algorithm == "nvfp4") {
    format.weights = NumberFormat::fp4;
  } else if (algorithm == "w4a16_awq") {
    format.weights = NumberFormat::int4;
  } else {
    format.unknown =
        fmt::format("modelopt with quant_algo \"{}\"; expected FP8, NVFP4 or W4A16_AWQ", algorithm);
    return;
  }
  if (word(given, "kv_cache_quant_algo") == "fp8") format.kv = NumberFormat::fp8;
}

void eight_bits(const Json&, CheckpointFormat& format) {
  format.weights = NumberFormat::fp8;
}

void microscaled(const Json&, CheckpointFormat& format) {
  format.weights = NumberFormat::mxfp4;
}

constexpr struct {
  const char* name;
  void (*read)(const Json&, CheckpointFormat&);
} kMethods[] = {{"fp8", eight_bits},
                {"fbgemm_fp8", eight_bits},
                {"awq", weight_only},
                {"gptq", weight_only},
                {"compressed-tensors", compressed_tensors},
                {"mxfp4", microscaled},
                {"modelopt", modelopt}};

}  // namespace

const std::vector<std::string>& quantization_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& method : kMethods) all.emplace_back(method.name);
    return all;
  }();
  return names;
}

CheckpointFormat read_quantization_config(const Json& config) {
  CheckpointFormat format;
  format.method = word(config, "quant_method");
  for (const auto& method : kMethods) {
    if (format.method != method.name) continue;
    method.read(config, format);
    return format;
  }
  format.unknown = fmt::format("quant_method \"{}\"; expected one of {}", format.method,
                               fmt::join(quantization_methods(), ", "));
  return format;
}

}  // namespace headway
