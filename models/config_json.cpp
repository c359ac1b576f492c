// Reads the config.json files that models are published with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "models/architecture.hpp"

namespace headway {
namespace {

using Json = nlohmann::json;

/// What the families that are read have in common and where they differ.
struct Family {
  const char* name;
  bool qkv_bias, qk_norm, moe;
  /// Counts use_sliding_window only where this is set; otherwise sliding_window alone switches it
  /// on.
  bool window_has_switch;
};
constexpr Family kFamilies[] = {
    {"llama", false, false, false, false},  {"mistral", false, false, false, false},
    {"mixtral", false, false, true, false}, {"qwen2", true, false, false, true},
    {"qwen3", false, true, false, true},    {"qwen3_moe", false, true, true, true},
};

class Fields {
 public:
  Fields(const Json& json, const std::string& where) : json_(json), where_(where) {}

  /// The first of the names that is present and not null.
  std::optional<std::int64_t> find(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto at = json_.find(name);
      if (at == json_.end() || at->is_null()) continue;
      return whole(name, *at);
    }
    return std::nullopt;
  }

  std::int64_t require(std::initializer_list<const char*> names) const {
    if (const auto value = find(names)) return *value;
    throw ArchitectureError(fmt::format("{}: \"{}\" is missing; expected a whole number", where_,
                                        fmt::join(names, "\" or \"")));
  }

  bool flag(const char* name, bool otherwise) const {
    const auto at = json_.find(name);
    if (at == json_.end() || at->is_null()) return otherwise;
    if (!at->is_boolean()) {
      throw ArchitectureError(
          fmt::format("{}: \"{}\" is {}; expected true or false", where_, name, shown(*at)));
    }
    return at->get<bool>();
  }

 private:
  static std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "…";
    return text;
  }

  std::int64_t whole(const char* name, const Json& value) const {
    constexpr double kMost = 2'000'000'000;
    const bool fits = value.is_number() && std::isfinite(value.get<double>()) &&
                      std::abs(value.get<double>()) <= kMost &&
                      std::floor(value.get<double>()) == value.get<double>();
    if (!fits) {
      throw ArchitectureError(fmt::format("{}: \"{}\" is {}; expected a whole number up to {:g}",
                                          where_, name, shown(value), kMost));
    }
    return static_cast<std::int64_t>(value.get<double>());
  }

  const Json& json_;
  const std::string& where_;
};

std::int32_t narrow(std::int64_t value) {
  return static_cast<std::int32_t>(value);
}

const Family& family_of(const Json& json, const std::string& where) {
  const auto type = json.find("model_type");
  if (type == json.end() || !type->is_string()) {
    throw ArchitectureError(
        fmt::format("{}: \"model_type\" is missing; this is no config.json of a model", where));
  }
  const std::string name = type->get<std::string>();
  std::vector<std::string> known;
  for (const Family& family : kFamilies) {
    if (name == family.name) return family;
    known.emplace_back(family.name);
  }
  const bool latent = json.contains("kv_lora_rank");
  throw ArchitectureError(fmt::format(
      "{}: models of type \"{}\" are not supported{}; expected one of {}", where,
      name.substr(0, 60), latent ? " (multi-head latent attention)" : "", fmt::join(known, ", ")));
}

/// An attention window bounds the KV cache of a sequence, which this model of a transformer does
/// not describe: refused, unless the window is as long as the context and so never matters.
void refuse_window(const Family& family, const Fields& fields, std::int64_t max_positions,
                   const std::string& where) {
  if (family.window_has_switch && !fields.flag("use_sliding_window", false)) return;
  const auto window = fields.find({"sliding_window"});
  if (!window || *window >= max_positions) return;
  throw ArchitectureError(
      fmt::format("{}: a sliding window of {} tokens is not supported; expected full attention",
                  where, *window));
}

void read_experts(const Json& json, const Fields& fields, Architecture& a) {
  a.experts = narrow(fields.require({"num_local_experts", "num_experts"}));
  a.experts_per_token = narrow(fields.require({"num_experts_per_tok"}));
  a.moe_intermediate =
      narrow(fields.find({"moe_intermediate_size"}).value_or(std::int64_t{a.intermediate}));
  a.shared_intermediate = narrow(fields.find({"shared_expert_intermediate_size"}).value_or(0));
  // A layer is sparse unless listed in mlp_only_layers or skipped by decoder_sparse_step.
  const std::int64_t step = fields.find({"decoder_sparse_step"}).value_or(1);
  std::vector<bool> dense(static_cast<std::size_t>(std::max(a.layers, 0)), false);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    dense[i] = step <= 0 || (static_cast<std::int64_t>(i) + 1) % step != 0;
  }
  if (const auto only = json.find("mlp_only_layers"); only != json.end() && only->is_array()) {
    for (const Json& layer : *only) {
      if (!layer.is_number_unsigned()) continue;
      const auto index = layer.get<std::uint64_t>();
      if (index < dense.size()) dense[index] = true;
    }
  }
  a.dense_layers = narrow(std::count(dense.begin(), dense.end(), true));
}

}  // namespace

Architecture parse_config_json(std::string_view text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw ArchitectureError(
        fmt::format("{}: this is not a JSON object; expected a model's config.json", where));
  }
  const Family& family = family_of(json, where);
  const Fields fields(json, where);
  Architecture a;
  a.name = std::filesystem::path(where).stem().string();
  a.family = family.name;
  a.source = where;
  a.layers = narrow(fields.require({"num_hidden_layers"}));
  a.hidden = narrow(fields.require({"hidden_size"}));
  a.heads = narrow(fields.require({"num_attention_heads"}));
  if (a.layers < 1 || a.layers > 2000 || a.heads < 1) check_architecture(a, where);
  a.kv_heads = narrow(fields.find({"num_key_value_heads"}).value_or(std::int64_t{a.heads}));
  const auto head_dim = fields.find({"head_dim"});
  if (!head_dim && a.hidden % a.heads != 0) {
    throw ArchitectureError(
        fmt::format("{}: hidden_size {} is no multiple of the {} attention "
                    "heads; expected that, or a \"head_dim\"",
                    where, a.hidden, a.heads));
  }
  a.head_dim = narrow(head_dim.value_or(std::int64_t{a.hidden} / a.heads));
  a.intermediate = narrow(fields.require({"intermediate_size"}));
  a.vocab = narrow(fields.require({"vocab_size"}));
  a.max_positions = fields.require({"max_position_embeddings"});
  a.tied_embeddings = fields.flag("tie_word_embeddings", false);
  a.qkv_bias = fields.flag("attention_bias", family.qkv_bias) || family.qkv_bias;
  a.qk_norm = family.qk_norm;
  if (family.moe) read_experts(json, fields, a);
  refuse_window(family, fields, a.max_positions, where);
  check_architecture(a, where);
  return a;
}

Architecture read_config_json(const std::string& path) {
  constexpr std::size_t kLargest = 1'000'000;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw ArchitectureError(fmt::format("{}: there is no such file; expected a config.json", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    throw ArchitectureError(fmt::format("{}: the file cannot be read", path));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargest) {
    throw ArchitectureError(
        fmt::format("{}: the file is over 1 MB; expected a model's config.json", path));
  }
  return parse_config_json(text, path);
}

}  // namespace headway
